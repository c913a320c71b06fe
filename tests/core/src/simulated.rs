//! Virtual machines of any kind, and what must hold on them after each event.

pub mod checker;
pub mod world;

use std::ops::Add;

use tresse_core::field::grid::Decomposition;
use tresse_core::parts::NoCells;
use tresse_core::run::End;
use tresse_core::sim::machine::{CoreTrace, LentParts, Simulation, SimulationNeeds};
use tresse_core::sim::owned::OwnedSimulationMemory;

use self::checker::Checker;
use self::world::VirtualWorld;

/// Counts of the events in a run that kept every rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Sweeps.
    pub updates: u64,
    /// Subdomains that changed their owner on a node.
    pub moves: u64,
    /// Sweeps of subdomains at home with another worker.
    pub away: u64,
    /// Sweeps that another worker was stuck in.
    pub helped: u64,
    /// Sweeps that another worker was done with first.
    pub discarded: u64,
    /// Subdomains that arrived on another node.
    pub transfers: u64,
    /// Events after which subdomains were in flight.
    pub events_in_flight: u64,
    /// Whether it has turned to pulling.
    pub turned: u64,
    /// Whether somebody asked it to end.
    pub interrupted: u64,
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            updates: self.updates + other.updates,
            moves: self.moves + other.moves,
            away: self.away + other.away,
            helped: self.helped + other.helped,
            discarded: self.discarded + other.discarded,
            transfers: self.transfers + other.transfers,
            events_in_flight: self.events_in_flight + other.events_in_flight,
            turned: self.turned + other.turned,
            interrupted: self.interrupted + other.interrupted,
        }
    }
}

/// Far more events than any small world has before its end.
const EVENTS_AT_MOST: u64 = 2_000_000;

/// Returns this number of worlds, or the number in `PROPTEST_CASES`.
pub fn cases(usually: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usually)
}

/// Runs a world without cells to its end, and checks everything after each event.
pub fn run(world: &VirtualWorld) -> Result<Tally, String> {
    let VirtualWorld { config, hardware, traces, interrupt_after } = world;
    let traces: Vec<_> =
        traces.iter().map(|trace| CoreTrace { core: trace.core, pieces: &trace.pieces }).collect();
    let mut memory = OwnedSimulationMemory::new(&SimulationNeeds::of(config, hardware, &traces));
    let decomposition = Decomposition::new(config).map_err(|error| error.to_string())?;
    let mut parts = vec![NoCells; decomposition.subdomains() as usize];
    let parts = LentParts::new(&decomposition, &mut parts);
    let mut machine = Simulation::new(config, hardware, &traces, parts, memory.lend())
        .map_err(|error| format!("the world is none: {error}"))?;
    let mut checker = Checker::new(world)?;
    checker.after(&machine)?;
    let mut steps = 0;
    loop {
        let goes_on = machine.step(&mut checker);
        checker.after_step(&machine)?;
        if !goes_on {
            break;
        }
        steps += 1;
        if steps >= EVENTS_AT_MOST {
            return Err(format!("no end after {steps} events, {} updates", machine.updates()));
        }
        if interrupt_after.is_some_and(|after| steps >= after) {
            machine.interrupt();
            checker.after(&machine)?;
        }
    }
    let interrupted = match machine.outcome().map(|outcome| outcome.end) {
        Some(End::Iterations) => false,
        Some(End::Interrupted) if interrupt_after.is_some() => true,
        other => return Err(format!("the run ended as {other:?}")),
    };
    checker.at_end(&machine, interrupted)?;
    let tally = Tally {
        updates: machine.updates(),
        moves: machine.moves(),
        away: machine.away(),
        helped: machine.helped(),
        discarded: checker.discarded(),
        transfers: machine.transfers(),
        events_in_flight: checker.events_in_flight(),
        turned: machine.chosen().and_then(|chosen| chosen.switched).is_some().into(),
        interrupted: interrupted.into(),
    };
    Ok(tally)
}
