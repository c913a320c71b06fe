//! A part of the system as it is iterated.

use tresse_core::base::id::SubdomainId;
use tresse_core::base::table::At as _;
use tresse_core::parts::Part;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};

use crate::block::Block;
use crate::system::{Exchange, System};

/// The values of a part: of its own rows, and those that it has last read of others.
#[derive(Debug)]
pub struct Subdomain<'s> {
    system: &'s System,
    block: &'s Block,
    exchanges: &'s [Exchange],
    values: Vec<f64>,
    /// Residual of the extended rows, and then their correction.
    correction: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'s> Subdomain<'s> {
    /// Returns the part of this number, which the system has, at the start.
    pub fn new(system: &'s System, id: SubdomainId) -> Self {
        let (block, exchanges) = (system.blocks().at(id), system.exchanges(id));
        let memory = vec![0.0; block.extended()];
        let values = block.start().to_vec();
        Self { system, block, exchanges, values, correction: memory.clone(), scratch: memory }
    }

    /// Returns the values of the part's own rows, in ascending order of these.
    pub fn own_values(&self) -> &[f64] {
        self.values.get(..self.block.own()).unwrap_or_default()
    }
}

impl Part for Subdomain<'_> {
    type Unit = f64;

    fn publish(&self, link: usize, edge: EdgeWriter<'_, f64>) {
        let sent = self.exchanges.get(link).map_or(&[][..], |exchange| &exchange.sent);
        let value = |&number: &u32| self.values.get(number as usize).copied().unwrap_or(0.0);
        edge.write(sent.iter().map(value));
    }

    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        let received = self.exchanges.get(link).map_or(&[][..], |exchange| &exchange.received);
        for (&number, unit) in received.iter().zip(edge.cells()) {
            self.values.get_mut(number as usize).into_iter().for_each(|value| *value = unit);
        }
    }

    fn update(&mut self, _: bool) -> Option<f64> {
        let residuals = self.block.residuals(&self.values);
        self.correction.iter_mut().zip(residuals).for_each(|(to, residual)| *to = residual);
        let own = self.block.own();
        let squares = squares(self.correction.iter().take(own).copied());
        self.block.factors().solve(&mut self.correction, &mut self.scratch);
        for (value, correction) in self.values.iter_mut().zip(&self.correction).take(own) {
            *value += correction;
        }
        Some(squares)
    }

    fn residual(&mut self) -> f64 {
        squares(self.block.residuals(&self.values).take(self.block.own()))
    }

    fn pack(&self) -> impl Iterator<Item = f64> {
        self.values.iter().copied()
    }

    fn unpack(&mut self, id: SubdomainId, units: impl Iterator<Item = f64>) -> bool {
        let Some(block) = self.system.blocks().get(id.index()) else { return false };
        (self.block, self.exchanges) = (block, self.system.exchanges(id));
        self.values.clear();
        self.values.extend(units);
        self.correction.resize(block.extended(), 0.0);
        self.scratch.resize(block.extended(), 0.0);
        self.values.len() == block.globals().len()
    }
}

fn squares(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum()
}
