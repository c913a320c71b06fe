//! Shards that learn by asynchronous stochastic gradient descent, and average their models.

use ndarray::{Array1, Array2, Axis, s};
use tresse::{Graph, Part};
use tresse_core::base::{id::SubdomainId, rng::Rng};
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};

use super::data::{BATCH, FEATURES, PENALTY, SHARDS, samples};

/// The shards are the corners of a cube in four dimensions, with a neighbour along each.
pub struct Shards;

impl Graph<4> for Shards {
    fn parts(&self) -> u32 {
        SHARDS
    }
    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 4] {
        [1, 2, 4, 8].map(|along| (part.0 < SHARDS).then_some(SubdomainId(part.0 ^ along)))
    }
    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [256, 8]
    }
}

/// A shard, which has its own model and those of its neighbours.
pub struct Shard {
    id: SubdomainId,
    rates: [f64; 2],
    updates: f64,
    samples: Array2<f64>,
    pub model: Array1<f64>,
    beside: Array2<f64>,
}

impl Shard {
    /// A shard with a first learning rate, and the number of updates by which that has halved.
    pub fn new(id: SubdomainId, rates: [f64; 2]) -> Self {
        let (model, beside) = (Array1::zeros(FEATURES), Array2::zeros([4, FEATURES]));
        Self { id, rates, updates: 0.0, samples: samples(id), model, beside }
    }
    /// Returns the mean of the models, and from there a step down the gradient of any one batch.
    fn next(&self) -> Array1<f64> {
        let number = Rng::new(self.updates.to_bits(), self.id.0.into()).below(8) as usize;
        let batch = self.samples.slice(s![number * BATCH..(number + 1) * BATCH, ..]);
        let wrong = batch.dot(&self.model).mapv(|margin| 1.0 / (1.0 + margin.exp()));
        let downhill = wrong.dot(&batch) / BATCH as f64 - PENALTY * &self.model;
        let mean = (&self.model + &self.beside.sum_axis(Axis(0))) / 5.0;
        mean + self.rates[0] / (1.0 + self.updates / self.rates[1]) * downhill
    }
}

impl Part for Shard {
    type Unit = f64;
    fn publish(&self, _: usize, edge: EdgeWriter<'_, f64>) {
        edge.write(self.model.iter().copied());
    }
    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        self.beside.row_mut(link).iter_mut().zip(edge.cells()).for_each(|(to, unit)| *to = unit);
    }
    fn update(&mut self, with_residual: bool) -> Option<f64> {
        let (residual, next) = (with_residual.then(|| self.residual()), self.next());
        (self.model, self.updates) = (next, self.updates + 1.0);
        residual
    }
    fn residual(&mut self) -> f64 {
        (self.next() - &self.model).mapv(|change| change * change).sum()
    }
    fn pack(&self) -> impl Iterator<Item = f64> {
        [&self.updates].into_iter().chain(&self.model).chain(&self.beside).copied()
    }
    fn unpack(&mut self, id: SubdomainId, units: impl Iterator<Item = f64>) -> bool {
        if self.id != id {
            *self = Self::new(id, self.rates);
        }
        let own = [&mut self.updates].into_iter().chain(&mut self.model).chain(&mut self.beside);
        own.zip(units).map(|(own, unit)| *own = unit).count() == 1 + 5 * FEATURES
    }
}
