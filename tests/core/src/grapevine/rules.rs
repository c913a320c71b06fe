//! The rules that hold for every run of Grapevine, written from the definitions.

use std::collections::BTreeSet;
use std::fmt;

use tresse_core::balance::grapevine::{Criterion, Iteration, View};
use tresse_core::base::id::ProcessorId;

use super::world::{BoundedMemory, Ran, World};

/// A rule that a run breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn must(holds: bool, what: impl FnOnce() -> String) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken(what())) }
}

impl World {
    /// Runs it, and checks what it did, or that it was right to refuse.
    pub fn verify(&self) -> Result<Option<Ran>, Broken> {
        match self.run() {
            Ok(ran) => self.check(&ran).map(|()| Some(ran)),
            Err(error) => must(!self.is_valid(), || format!("refused: {error}")).map(|()| None),
        }
    }

    fn is_valid(&self) -> bool {
        let known = |owner: &ProcessorId| owner.0 < self.processors;
        let is_safe = self.bounded_memory.is_none() || self.can_refuse();
        self.config.check().is_ok()
            && self.processors > 0
            && self.owners.iter().all(known)
            && is_safe
    }

    /// Reports whether what a receiver gets goes by its true load.
    fn can_refuse(&self) -> bool {
        self.config.view == View::Live || self.config.refuse
    }

    /// Checks everything that holds for a run of this world.
    pub fn check(&self, ran: &Ran) -> Result<(), Broken> {
        must(self.is_valid(), || "accepted, but not valid".to_owned())?;
        self.check_conservation(ran)?;
        self.check_iterations(ran)?;
        self.check_choice(ran)?;
        if self.can_refuse() {
            check_fall(ran)?;
            if self.config.criterion == Criterion::Original {
                self.check_receivers(ran)?;
            }
        }
        self.bounded_memory
            .as_ref()
            .map_or(Ok(()), |bounded_memory| self.check_bounded_memory(bounded_memory, ran))
    }

    /// Every object is somewhere, and fixed ones are where they were.
    fn check_conservation(&self, ran: &Ran) -> Result<(), Broken> {
        must(ran.owners.len() == self.loads.len(), || "other objects".to_owned())?;
        for (object, (&after, &before)) in ran.owners.iter().zip(&self.owners).enumerate() {
            must(after.0 < self.processors, || format!("object {object} is on {after}"))?;
            let is_fixed = self.fixed[object];
            must(!is_fixed || after == before, || format!("object {object} is fixed"))?;
        }
        Ok(())
    }

    /// Checks that the iterations end when they should and not before.
    fn check_iterations(&self, ran: &Ran) -> Result<(), Broken> {
        let config = &self.config;
        let (mut trial, mut number, mut idle) = (0, 0, 0);
        let mut max = ran.outcome.initial_max;
        for made in &ran.iterations {
            let is_idle = idle >= config.idle && config.idle > 0;
            if is_idle || number == config.iterations {
                (trial, number, idle, max) = (trial + 1, 0, 0, ran.outcome.initial_max);
            }
            number += 1;
            must((made.trial, made.number) == (trial, number), || format!("skipped: {made:?}"))?;
            must(!self.is_reached(max), || format!("the target is reached: {made:?}"))?;
            idle = if made.tally.transfers == 0 { idle + 1 } else { 0 };
            let same = made.tally.transfers > 0 || made.max == max;
            must(same, || format!("another maximum without any transfer: {made:?}"))?;
            let exchanges = made.tally.exchanges;
            must(exchanges == 0 || config.exchange, || format!("exchanges: {made:?}"))?;
            max = made.max;
        }
        let is_last = trial + 1 == config.trials || config.iterations == 0;
        let is_idle = idle >= config.idle && config.idle > 0;
        let is_over = is_last && (number == config.iterations || is_idle);
        must(is_over || self.is_reached(max), || format!("ended after {trial}, {number}"))
    }

    /// Reports whether max ÷ average − 1 is at most the target.
    fn is_reached(&self, max: u64) -> bool {
        let total: u128 = self.loads.iter().copied().map(u128::from).sum();
        let excess = (u128::from(max) * u128::from(self.processors)).saturating_sub(total);
        // Millionths of at most 2³² times the total.
        excess * 1_000_000 <= total * u128::from(self.config.target.0)
    }

    /// The figures of the placement are its own, and it is the right one.
    fn check_choice(&self, ran: &Ran) -> Result<(), Broken> {
        let highest = |owners: &[ProcessorId]| self.sums(owners).into_iter().max().unwrap_or(0);
        let (before, after) = (highest(&self.owners), highest(&ran.owners));
        let outcome = ran.outcome;
        must(outcome.initial_max == before, || format!("{before} at the start: {outcome:?}"))?;
        must(outcome.final_max == after, || format!("{after} at the end: {outcome:?}"))?;
        let start = (before, 0, 0);
        let all = ran.iterations.iter().map(|made| (made.max, made.trial, made.number));
        let taken = if self.config.keep_best {
            // The lowest, of equal ones the first.
            all.fold(start, |best, one| if one.0 < best.0 { one } else { best })
        } else {
            all.fold(start, |_, one| one)
        };
        let said = (outcome.final_max, outcome.trial, outcome.iteration);
        must(said == taken, || format!("{said:?} is taken instead of {taken:?}"))?;
        let is_start = taken != start || ran.owners == self.owners;
        must(is_start || !self.config.keep_best, || "not as at the start".to_owned())
    }

    /// Checks that a processor with more than at the start has less than the average.
    fn check_receivers(&self, ran: &Ran) -> Result<(), Broken> {
        let total: u128 = self.loads.iter().copied().map(u128::from).sum();
        let sums = self.sums(&self.owners).into_iter().zip(self.sums(&ran.owners));
        for (processor, (before, after)) in sums.enumerate() {
            let is_below = u128::from(after) * u128::from(self.processors) < total;
            let passes = || format!("{processor} passes the average: from {before} to {after}");
            must(after <= before || is_below, passes)?;
        }
        Ok(())
    }

    /// Nobody uses more memory than it may, or than before.
    fn check_bounded_memory(
        &self,
        bounded_memory: &BoundedMemory,
        ran: &Ran,
    ) -> Result<(), Broken> {
        for processor in (0..self.processors).map(ProcessorId) {
            let before = bounded_memory.bytes(processor, &self.owners);
            let after = bounded_memory.bytes(processor, &ran.owners);
            let what =
                || format!("{processor} uses {after}, of {}, and {before}", bounded_memory.limit);
            must(after <= bounded_memory.limit.max(before), what)?;
        }
        Ok(())
    }
}

/// Checks that no iteration raises the maximum.
fn check_fall(ran: &Ran) -> Result<(), Broken> {
    let mut before = ran.outcome.initial_max;
    for &Iteration { trial, number, max, .. } in &ran.iterations {
        before = if number == 1 { ran.outcome.initial_max } else { before };
        let rises = || format!("iteration {number} of {trial} raises {before} to {max}");
        must(max <= before, rises)?;
        before = max;
    }
    Ok(())
}

impl BoundedMemory {
    /// Returns the memory that a processor uses, from the definition.
    ///
    /// # Panics
    /// Where there is no such processor or block.
    pub fn bytes(&self, processor: ProcessorId, owners: &[ProcessorId]) -> u64 {
        let here = owners.iter().zip(&self.footprints).filter(|(owner, _)| **owner == processor);
        let here: Vec<_> = here.map(|(_, footprint)| footprint).collect();
        let blocks: BTreeSet<_> = here.iter().filter_map(|object| object.block).collect();
        let shared: u64 = blocks.iter().map(|block| self.blocks[block.0 as usize]).sum();
        let own: u64 = here.iter().map(|object| object.own).sum();
        let working = here.iter().map(|object| object.working).max().unwrap_or(0);
        let serialized = here.iter().map(|object| object.serialized).max().unwrap_or(0);
        self.resident[processor.index()] + shared + own + working + serialized
    }
}
