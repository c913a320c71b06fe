//! Objects on processors and any way to balance them, from bytes: one decoder for properties and
//! for fuzzing.

use std::ops::ControlFlow;

use tresse_core::balance::footprint::{BlockId, Bounds, Footprint};
use tresse_core::balance::grapevine::parallel::{Parallel, Serial};
use tresse_core::balance::grapevine::{
    BalanceOutcome, Cmf, CmfUpdate, Config, Criterion, Iteration, Order, Pass, Problem, RunError,
    SenderLoad, Threshold, View, run,
};
use tresse_core::balance::objects::{Millionths, Objects};
use tresse_core::balance::owned::OwnedGrapevineMemory;
use tresse_core::base::id::ProcessorId;

use crate::choices::Choices;

/// A problem with its parameters.
#[derive(Clone, Debug)]
pub struct World {
    /// The parameters.
    pub config: Config,
    /// Load of each object.
    pub loads: Vec<u64>,
    /// Whether each object must stay.
    pub fixed: Vec<bool>,
    /// Processor of each object.
    pub owners: Vec<ProcessorId>,
    /// Number of processors.
    pub processors: u32,
    /// Memory of the processors, where it is bounded.
    pub bounded_memory: Option<BoundedMemory>,
}

/// Bounded memory.
#[derive(Clone, Debug)]
pub struct BoundedMemory {
    /// Footprint of each object.
    pub footprints: Vec<Footprint>,
    /// Bytes of each shared block.
    pub blocks: Vec<u64>,
    /// Memory that each processor uses without objects.
    pub resident: Vec<u64>,
    /// Memory that each processor may use.
    pub limit: u64,
}

/// A run, with the placement after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Outcome, with the iteration whose placement was taken.
    pub outcome: BalanceOutcome,
    /// All iterations.
    pub iterations: Vec<Iteration>,
    /// Processor of each object.
    pub owners: Vec<ProcessorId>,
}

impl World {
    /// Returns the world that bytes stand for; all bytes stand for one. One in sixteen is not
    /// valid.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut choices = Choices(bytes);
        let mut config = choices.config();
        let may_be_wrong = choices.between(0, 15) == 15;
        let most = choices.one_of(&[6, 3, 12, 40]);
        let processors = choices.between(u32::from(!may_be_wrong), most);
        let most = choices.one_of(&[12, 30, 80]);
        let number = choices.between(0, most) as usize;
        let used = choices.between(1, processors.max(1));
        let loads = choices.loads(number);
        let fixing = choices.one_of(&[0, 0, 20, 200]);
        let fixed = (0..number).map(|_| choices.between(1, 255) <= fixing).collect();
        let last = used - u32::from(!may_be_wrong);
        let owners = (0..number).map(|_| ProcessorId(choices.between(0, last))).collect();
        let bounded_memory =
            (choices.between(0, 3) == 3).then(|| choices.bounded_memory(processors, number));
        if !may_be_wrong {
            make_valid(&mut config, bounded_memory.is_some());
        }
        Self { config, loads, fixed, owners, processors, bounded_memory }
    }

    /// Runs it on one thread.
    pub fn run(&self) -> Result<Ran, RunError> {
        self.run_on(&Serial)
    }

    /// Runs it.
    ///
    /// # Panics
    /// Where the loads' sum does not fit: those worlds are never made.
    pub fn run_on(&self, parallel: &impl Parallel) -> Result<Ran, RunError> {
        let Self { config, loads, fixed, processors, bounded_memory, .. } = self;
        let objects = Objects::new(loads, fixed).unwrap_or_else(|error| panic!("{error}"));
        let bounds = bounded_memory.as_ref().map(BoundedMemory::bounds);
        let problem =
            Problem { config, objects: &objects, processors: *processors, bounds: bounds.as_ref() };
        let mut memory = OwnedGrapevineMemory::new(config, loads.len(), *processors as usize);
        let mut owners = self.owners.clone();
        let mut iterations = Vec::new();
        let mut watch = |iteration: &Iteration| {
            iterations.push(*iteration);
            ControlFlow::Continue(())
        };
        match run(&problem, &mut owners, &mut memory.lend(), parallel, &mut watch) {
            Ok(outcome) => Ok(Ran { outcome, iterations, owners }),
            Err(error) => {
                assert_eq!(owners, self.owners, "an error changes nothing");
                Err(error)
            }
        }
    }

    /// Returns the load of each processor.
    pub fn sums(&self, owners: &[ProcessorId]) -> Vec<u64> {
        let mut sums = vec![0; self.processors as usize];
        owners.iter().zip(&self.loads).for_each(|(owner, load)| sums[owner.index()] += load);
        sums
    }

    /// Returns the world with loads in another unit.
    pub fn scaled(&self, factor: u64) -> Self {
        let loads = self.loads.iter().map(|load| load * factor).collect();
        Self { loads, ..self.clone() }
    }
}

impl BoundedMemory {
    /// Lends the bounds to the core.
    pub fn bounds(&self) -> Bounds<'_> {
        let Self { footprints, blocks, resident, limit } = self;
        Bounds { footprints, blocks, resident, limit: *limit }
    }
}

/// Makes parameters go together.
fn make_valid(config: &mut Config, is_bounded: bool) {
    let is_gossiped = config.view == View::Gossiped;
    config.refuse |= config.exchange || is_bounded;
    config.keep_best |= config.trials > 1;
    if is_gossiped {
        config.sender_load = SenderLoad::Current;
    }
}

impl Choices<'_> {
    fn is(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    fn config(&mut self) -> Config {
        let known = self.between(1, 64);
        Config {
            criterion: self.one_of(&[Criterion::Relaxed, Criterion::Original]),
            cmf: self.one_of(&[Cmf::NormByMax, Cmf::Original]),
            cmf_update: self.one_of(&[CmfUpdate::AfterAcceptance, CmfUpdate::Once]),
            order: self.one_of(&[
                Order::Descending,
                Order::Arbitrary,
                Order::Id,
                Order::Ascending,
                Order::FewestMigrations,
                Order::SmallObjects,
            ]),
            pass: self.one_of(&[Pass::Single, Pass::Restart]),
            view: self.one_of(&[View::Gossiped, View::Live]),
            known: self.one_of(&[Some(known), Some(1), Some(64), None]),
            fanout: self.one_of(&[2, 1, 3, 6, 64]),
            rounds: self.between(1, 5),
            iterations: self.between(0, 8),
            attempts: self.between(1, 4),
            threshold: self.one_of(&[
                Threshold::Times(Millionths::ONE),
                Threshold::Times(Millionths(1_500_000)),
                Threshold::Falling(1),
                Threshold::Falling(8),
            ]),
            sender_load: self.one_of(&[SenderLoad::Current, SenderLoad::AtTurn]),
            refuse: self.one_of(&[true, true, false]),
            exchange: self.is(),
            keep_best: self.is(),
            trials: self.one_of(&[1, 1, 1, 3]),
            target: self.one_of(&[Millionths(0), Millionths(0), Millionths(300_000)]),
            idle: self.between(0, 3),
            seed: self.between(0, 65_535).into(),
        }
    }

    /// Many equal ones, any, or such that their sum just fits.
    fn loads(&mut self, number: usize) -> Vec<u64> {
        let largest = u64::MAX / (number as u64).max(1);
        let kind = self.between(0, 3);
        let load = |byte: u32| match kind {
            0 => u64::from(byte % 13),
            1 => u64::from(byte) + 1,
            2 => u64::from(byte) << 20,
            _ => largest - u64::from(byte) * (largest >> 8),
        };
        (0..number).map(|_| load(self.byte())).collect()
    }

    fn bounded_memory(&mut self, processors: u32, objects: usize) -> BoundedMemory {
        let blocks: Vec<u64> = (0..self.between(0, 4)).map(|_| self.byte().into()).collect();
        let mut footprint = || {
            let block = self.between(0, 6);
            Footprint {
                own: self.between(0, 20).into(),
                working: self.between(0, 5).into(),
                serialized: self.between(0, 5).into(),
                block: blocks.get(block as usize).map(|_| BlockId(block)),
            }
        };
        let footprints: Vec<Footprint> = (0..objects).map(|_| footprint()).collect();
        let resident = (0..processors).map(|_| self.between(0, 9).into()).collect();
        BoundedMemory { footprints, blocks, resident, limit: self.between(20, 400).into() }
    }
}
