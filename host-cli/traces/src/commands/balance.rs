//! `tresse balance`: the objects of a load trace on its processors.

mod compare;
mod files;
mod phase;
mod pictures;
mod table;

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use bytesize::ByteSize;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use serde::Serialize;
use tresse_console::command::{CommandError, printed, warn};
use tresse_console::exit::Exit;
use tresse_console::files::output::{Inputs, Outputs};
use tresse_console::interrupt;
use tresse_console::runs_progress::Progress;
use tresse_console::summary::write_json;
use tresse_core::balance::grapevine::{Config, Iteration};
use tresse_core::base::id::ProcessorId;
use tresse_platform::Platform;

use self::phase::PhaseReport;
use super::traces;
use crate::balancing::{Balanced, BalancingError, Instance, InstanceError, Method, balance};
use crate::commands::args::{BalanceArgs, PhaseChoice, flags};
use crate::load_traces::{LoadTrace, PlacementError, check_folder};

/// An error of balancing a load trace.
#[derive(Debug, thiserror::Error)]
pub enum BalanceError {
    /// A phase cannot be balanced.
    #[error("phase {phase}: {error}")]
    Phase {
        /// Number of the phase.
        phase: u64,
        /// The error.
        error: BalancingError,
    },
    /// A phase is not valid.
    #[error("{error} (phase {phase})")]
    Instance {
        /// Number of the phase.
        phase: u64,
        /// The error.
        error: InstanceError,
    },
    /// The trace has no such phase.
    #[error("--phase {phase}: the trace has {}", listed(.phases))]
    NoPhase {
        /// Number that was asked for.
        phase: u64,
        /// Numbers of all phases.
        phases: Vec<u64>,
    },
    /// The system has no threads left.
    #[error("--threads {0}: the threads cannot be started: use fewer")]
    Threads(u32),
    /// The placement cannot be written.
    #[error(transparent)]
    Placement(#[from] PlacementError),
}

/// Words which phases there are.
fn listed(phases: &[u64]) -> String {
    match phases {
        [] => "no phases".into(),
        [one] => format!("only phase {one}"),
        [first, .., last] => format!("{} phases, from {first} to {last}", phases.len()),
    }
}

/// The summary that `--json` prints and `summary.json` has.
#[derive(Serialize)]
struct Summary<'a> {
    /// Seconds of balancing of all phases together, some of which may have been balanced at the
    /// same time; without reading and writing.
    seconds: f64,
    phases: Vec<PhaseReport>,
    stem: &'a str,
    method: &'static str,
    /// The effective parameters of Grapevine.
    config: Option<Config>,
    memory_limit: Option<u64>,
    /// Whether phases or iterations are missing because a person has interrupted the run.
    interrupted: bool,
}

/// Balances the phases, and prints and stores the results.
pub fn run(args: &BalanceArgs) -> Result<Exit, CommandError> {
    let method = args.method()?;
    let (trace, originals) = traces::read(&args.trace, args.json || args.quiet)?;
    let job = Job::prepare(args, &trace)?;
    let trace = match &args.files.out_stem {
        Some(stem) => trace.renamed(stem),
        None => trace,
    };
    let outputs = Outputs::new(Inputs::default().with_all("the trace", &originals));
    let names = files::names(args, &trace);
    let out = args.files.out.as_deref().map(|path| outputs.folder("--out", path, names));
    let out = out.transpose()?;
    if let Some(out) = &out
        && !args.compare
    {
        check_folder(&trace, out.path(), args.files.encoding())?;
    }
    if args.compare {
        return compare::run(args, &job, trace.stem(), out.as_ref());
    }
    let placements = job.place(&method)?;
    let phases: Vec<PhaseReport> = placements.iter().map(Placed::report).collect();
    let interrupted = interrupt::flag().load(Ordering::Relaxed);
    let summary = Summary {
        seconds: phases.iter().map(|phase| phase.seconds).sum(),
        phases,
        stem: trace.stem(),
        method: method.name(),
        config: match method {
            Method::Grapevine(config) => Some(config),
            _ => None,
        },
        memory_limit: args.memory_limit,
        interrupted,
    };
    // The tables first: what was computed is shown even where it cannot be stored.
    if args.json {
        printed(|to| write_json(&summary, to))?;
    } else if !args.quiet {
        printed(|to| {
            let (stem, method) = (summary.stem, summary.method);
            writeln!(to, "{stem}: --method {method}{}", memory_flag(args))?;
            if let Some(config) = &summary.config {
                writeln!(to, "{}", flags(config))?;
            }
            table::write(&summary.phases, to)?;
            let (done, all) = (summary.phases.len(), job.phases.len());
            if interrupted {
                writeln!(
                    to,
                    "interrupted: {done} of {all} phases were begun, the others stay as they were"
                )?;
            }
            Ok::<_, io::Error>(())
        })?;
    }
    if let Some(out) = &out {
        files::store(args, out, &trace, &summary, &placements)?;
        if !args.json && !args.quiet {
            printed(|to| writeln!(to, "written: {}", out.path().display()))?;
        }
    }
    let beyond: Vec<String> = placements.iter().filter_map(|placed| job.beyond(placed)).collect();
    for line in &beyond {
        warn(line);
    }
    Ok(match () {
        () if interrupted => Exit::Interrupted,
        () if !beyond.is_empty() => Exit::NotReached,
        () => Exit::Done,
    })
}

/// Returns the bound on memory as the flag that gives it, after a blank; nothing where there is
/// none.
fn memory_flag(args: &BalanceArgs) -> String {
    args.memory_limit.map_or_else(String::new, |limit| format!(" --memory-limit {limit}"))
}

/// Number of a phase's objects up to which threads do not share the work.
const SMALL: usize = 1 << 14;

/// A phase with its place in the trace.
struct Selected {
    index: usize,
    id: u64,
    instance: Instance,
}

/// A phase with its new placement.
struct Placed<'a> {
    phase: &'a Selected,
    balanced: Balanced,
}

impl Placed<'_> {
    /// Returns the report of the phase.
    fn report(&self) -> PhaseReport {
        PhaseReport::of(self.phase.id, &self.phase.instance, &self.balanced)
    }

    fn owners(&self) -> &[ProcessorId] {
        &self.balanced.owners
    }
}

/// The phases to balance, and the settings.
struct Job {
    phases: Vec<Selected>,
    threads: Option<u32>,
    available: u64,
    hidden: bool,
    /// The methods that are tried where another does not keep the bound on memory.
    others: [Method; 3],
}

impl Job {
    /// Takes the chosen phases, and sets up all methods that may be compared.
    fn prepare(args: &BalanceArgs, trace: &LoadTrace) -> Result<Self, CommandError> {
        let all = || trace.phases().iter().enumerate();
        let chosen = match args.phase {
            PhaseChoice::All => all().collect::<Vec<_>>(),
            PhaseChoice::One(id) => all().filter(|(_, phase)| phase.id == id).collect(),
        };
        if let (PhaseChoice::One(phase), []) = (args.phase, chosen.as_slice()) {
            let phases = trace.phases().iter().map(|phase| phase.id).collect();
            return Err(BalanceError::NoPhase { phase, phases }.into());
        }
        let phases = chosen.into_iter().map(|(index, phase)| {
            let id = phase.id;
            Instance::of_phase(phase.objects(), args.memory_limit)
                .map(|instance| Selected { index, id, instance })
                .map_err(|error| BalanceError::Instance { phase: id, error })
        });
        Ok(Self {
            phases: phases.collect::<Result<_, _>>()?,
            threads: args.threads,
            available: Platform::detect()?.available_memory,
            hidden: args.json || args.quiet,
            others: [
                Method::Lpt,
                Method::KarmarkarKarp,
                Method::Grapevine(args.choices.resolve()?),
            ],
        })
    }

    /// Returns what is said of a phase in which a processor needs more memory than it may, with the
    /// first other method that keeps the bound.
    fn beyond(&self, placed: &Placed<'_>) -> Option<String> {
        let instance = &placed.phase.instance;
        let limit = instance.limit()?;
        let needed = instance.most_memory(placed.owners()).filter(|needed| *needed > limit)?;
        let keeps = |method: &&Method| {
            let goes_on = &mut |_: &Iteration| ControlFlow::Continue(());
            let balanced = balance(method, instance, self.available, goes_on).ok();
            let most = balanced.and_then(|balanced| instance.most_memory(&balanced.owners));
            most.is_some_and(|most| most <= limit)
        };
        let kept = self.others.iter().find(keeps).map(Method::name);
        let advice = match kept {
            Some(name) => format!("--method {name} keeps it"),
            None => "no method that we tried keeps it: raise it".to_owned(),
        };
        let [needed, limit] = [needed, limit].map(ByteSize);
        let phase = placed.phase.id;
        Some(format!(
            "--memory-limit: phase {phase}: a processor needs {needed}, more than {limit}; {advice}"
        ))
    }

    /// Runs `work` on as many threads as were asked for.
    fn on_threads<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, BalanceError> {
        let Some(threads) = self.threads else { return Ok(work()) };
        let pool = ThreadPoolBuilder::new().num_threads(threads as usize).build();
        Ok(pool.map_err(|_| BalanceError::Threads(threads))?.install(work))
    }

    /// Balances every phase, or those before an interrupt.
    fn place(&self, method: &Method) -> Result<Vec<Placed<'_>>, BalanceError> {
        let steps = method.steps().saturating_mul(self.phases.len() as u64);
        let progress = Progress::late(usize::try_from(steps).unwrap_or(usize::MAX), self.hidden);
        let placements = self.on_threads(|| self.place_all(method, &progress))?;
        progress.finish();
        placements
    }

    /// Balances all phases at once, each on one thread, where all are small; otherwise balances one
    /// after the other, each on all threads.
    fn place_all(
        &self,
        method: &Method,
        progress: &Progress,
    ) -> Result<Vec<Placed<'_>>, BalanceError> {
        let place = |phase| self.place_one(method, phase, progress);
        if self.phases.iter().all(|phase| phase.instance.owners().len() <= SMALL) {
            self.phases.par_iter().map(place).while_some().collect()
        } else {
            self.phases.iter().map_while(place).collect()
        }
    }

    /// Balances one phase; returns `None` after an interrupt.
    fn place_one<'p>(
        &self,
        method: &Method,
        phase: &'p Selected,
        progress: &Progress,
    ) -> Option<Result<Placed<'p>, BalanceError>> {
        if interrupt::flag().load(Ordering::Relaxed) {
            return None;
        }
        progress.show(&format!("phase {}", phase.id));
        let balanced = self.attempt(method, phase, progress);
        let error = |error| BalanceError::Phase { phase: phase.id, error };
        Some(balanced.map(|balanced| Placed { phase, balanced }).map_err(error))
    }

    /// Balances a phase by a method, with progress. An interrupt ends it after the present
    /// iteration.
    fn attempt(
        &self,
        method: &Method,
        phase: &Selected,
        progress: &Progress,
    ) -> Result<Balanced, BalancingError> {
        let mut steps = method.steps();
        let balanced = balance(method, &phase.instance, self.available, &mut |_: &Iteration| {
            progress.end();
            steps = steps.saturating_sub(1);
            if interrupt::flag().load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        progress.leave_out(steps);
        balanced
    }
}
