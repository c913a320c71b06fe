//! One run, all of whose iterations are kept.

use std::ops::ControlFlow;

use tresse_core::balance::grapevine::parallel::Serial;
use tresse_core::balance::grapevine::{Config, Iteration, Problem, run_seen};
use tresse_core::balance::objects::Objects;
use tresse_core::balance::owned::OwnedGrapevineMemory;
use tresse_core::base::id::ProcessorId;

use super::settings::Instance;
use crate::views::solve::sentence;

/// Greatest number of processors whose knowledge of each other is kept.
const MOST_KNOWING: u32 = 1_024;

/// The state after an iteration.
#[derive(Clone, Debug)]
pub struct Step {
    /// Counts of the iteration; `None` at the start.
    pub made: Option<Iteration>,
    /// Owner of each object.
    pub owners: Vec<ProcessorId>,
    /// Load of each processor.
    pub loads: Vec<u64>,
    /// Processors that each processor had heard of; empty where there are too many.
    pub known: Vec<Vec<u32>>,
}

/// Returns the states after all iterations of a run, the start first. The same problem makes the
/// same run on every platform. An error is a sentence.
pub fn steps(instance: &Instance, config: &Config) -> Result<Vec<Step>, String> {
    let Instance { processors, loads, fixed, .. } = instance;
    let objects = Objects::new(loads, fixed).map_err(|error| sentence(&error))?;
    let mut memory = OwnedGrapevineMemory::new(config, objects.len(), *processors as usize);
    let mut owners = instance.owners.clone();
    let problem = Problem { config, objects: &objects, processors: *processors, bounds: None };
    let mut first = vec![0; *processors as usize];
    objects.check(&owners, *processors).map_err(|error| sentence(&error))?;
    objects.add_up(&owners, &mut first);
    let start = Step { made: None, owners: owners.clone(), loads: first, known: Vec::new() };
    let mut steps = vec![start];
    let mut ids = vec![ProcessorId(0); *processors as usize];
    let outcome =
        run_seen(&problem, &mut owners, &mut memory.lend(), &Serial, &mut |made, seen| {
            let number = if *processors > MOST_KNOWING { 0 } else { *processors };
            let mut known = |of| {
                let found = seen.knowledge.gather(ProcessorId(of), &mut ids);
                ids.iter().take(found).map(|id| id.0).collect()
            };
            steps.push(Step {
                made: Some(*made),
                owners: seen.owners.to_vec(),
                loads: seen.loads.to_vec(),
                known: (0..number).map(&mut known).collect(),
            });
            ControlFlow::Continue(())
        });
    outcome.map_err(|error| sentence(&error))?;
    Ok(steps)
}
