//! A whole run of all processors.

use std::ops::ControlFlow;

use serde::Serialize;
use tresse_core::base::id::ProcessorId;

use super::{GrapevineError, Input, refuse_other_form};
use crate::balancing::{Balanced, BalancingError, Instance, Method, Moved, balance};

/// Greatest number of bytes of a decision, which is for systems that fit into a line.
const MEMORY: u64 = 1 << 30;

/// The output.
#[derive(Serialize)]
pub(super) struct Settled {
    owners: Vec<ProcessorId>,
    moves: Vec<Moved>,
    initial_imbalance: f64,
    iterations: Vec<Step>,
    final_imbalance: f64,
}

#[derive(Serialize)]
struct Step {
    transfers: u64,
    rejected: u64,
    imbalance: f64,
}

/// Balances all objects.
pub(super) fn run(input: Input) -> Result<Settled, GrapevineError> {
    let others = [
        (input.load.is_some(), "load"),
        (input.objects.is_some(), "objects"),
        (input.peers.is_some(), "peers"),
        (input.average.is_some(), "average"),
    ];
    let config = input.config(input.preset())?;
    let loads = input.loads.ok_or(GrapevineError::Missing("loads"))?;
    refuse_other_form("loads", others)?;
    let owners = input.owners.ok_or(GrapevineError::Missing("owners"))?;
    let processors = match input.processors.ok_or(GrapevineError::Missing("processors"))? {
        0 => return Err(GrapevineError::NoProcessors),
        processors => processors,
    };
    let fixed = input.fixed.unwrap_or_default();
    let instance = Instance::of_loads(loads, fixed, owners, processors)?;
    let watch = &mut |_: &_| ControlFlow::Continue(());
    let balanced = balance(&Method::Grapevine(config), &instance, MEMORY, watch);
    let balanced = balanced.map_err(|error| match error {
        BalancingError::Memory { needed, .. } => GrapevineError::TooLarge { processors, needed },
        error => GrapevineError::Balancing(error),
    })?;
    Ok(Settled::of(&instance, balanced))
}

impl Settled {
    /// Returns the outcome of a run, with the figures of each iteration.
    fn of(instance: &Instance, balanced: Balanced) -> Self {
        let Balanced { owners, iterations, outcome, .. } = balanced;
        let moves = instance.moves(&owners);
        let steps = iterations.iter().map(|made| Step {
            transfers: made.tally.transfers,
            rejected: made.tally.rejected,
            imbalance: instance.imbalance(made.max),
        });
        Self {
            moves: moves.collect(),
            initial_imbalance: instance.imbalance(outcome.initial_max),
            iterations: steps.collect(),
            final_imbalance: instance.imbalance(outcome.final_max),
            owners,
        }
    }
}
