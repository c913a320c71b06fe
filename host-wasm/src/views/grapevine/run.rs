//! One run, all of whose iterations are kept.

use std::ops::ControlFlow;

use tresse_core::balance::grapevine::parallel::Serial;
use tresse_core::balance::grapevine::{Config, Iteration, Problem, run_seen};
use tresse_core::balance::objects::Objects;
use tresse_core::id::ProcessorId;
use tresse_core::owned::OwnedGrapevineMemory;

use super::settings::Instance;
use crate::views::solve::sentence;

/// More processors than these know too much of each other to be kept.
const MOST_KNOWING: u32 = 1_024;

/// What an iteration has led to.
#[derive(Clone, Debug)]
pub struct Step {
    /// What was counted; none at the start.
    pub made: Option<Iteration>,
    /// The owner of each object.
    pub owners: Vec<ProcessorId>,
    /// The load of each processor.
    pub loads: Vec<u64>,
    /// The processors that each processor had heard of; empty where there are too many.
    pub known: Vec<Vec<u32>>,
}

/// Returns all iterations of a run, the start first. The same problem makes the same run everywhere. An
/// error is a sentence.
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
