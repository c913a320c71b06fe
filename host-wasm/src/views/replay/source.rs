//! The origins of a schedule: a recording, or a run in virtual time.

use std::error::Error;
use std::io::Cursor as Reader;

use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Instant;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::problem::Problem;
use tresse_core::field::stencil::Portable;
use tresse_core::run::RunConfig;
use tresse_core::sim::machine::Event as Seen;
use tresse_core::sim::owned::OwnedRun;
use tresse_files::recording::{Activity, AnyRecording, Cursor, Head, Recording, What};

use super::kind::Kind;
use super::pool;
use super::recorded::Recorded;
use super::schedule::Schedule;
use crate::files::GivenFile;
use crate::parameters::Parameters;
use crate::views::solve::{command_line, run_of, sentence};

/// Greatest number of bytes that a recording may need.
const MOST_BYTES: u64 = 2 << 30;
/// Length of the longest run in virtual time, in sweeps of each subdomain.
const MOST_ITERATIONS: u64 = 400;

/// Returns the worker that each subdomain starts with.
fn first_owners(decomposition: &Decomposition) -> Vec<u32> {
    decomposition.ids().map(|id| decomposition.first_owner(id).0).collect()
}

/// Words the method and the grid of a run.
fn method(config: &RunConfig) -> String {
    format!("{}({}) + {} on {} cells", config.mode, config.split, config.balance, config.grid)
}

/// Reads a recording. An error is a sentence.
pub fn recording(file: GivenFile) -> Result<Recorded, String> {
    let GivenFile { name, bytes } = file;
    let said = |error: &dyn std::fmt::Display| format!("{name} {error}.");
    let opened =
        AnyRecording::open(Reader::new(bytes), MOST_BYTES).map_err(|error| said(&error))?;
    match opened {
        AnyRecording::Run(recording) => run(&name, *recording).map_err(|error| said(&*error)),
        AnyRecording::Pool(recording) => Ok(pool::recorded(&name, &recording)),
    }
}

/// Reads the recording of a solver's run: tracks, events and decomposition.
fn run(name: &str, mut recording: Recording<Reader<Vec<u8>>>) -> Result<Recorded, Box<dyn Error>> {
    let head: Head = recording.head().clone();
    let decomposition = Decomposition::new(&head.config)?;
    let mut schedule = Schedule::new(head.tracks(), &first_owners(&decomposition));
    let subdomains = decomposition.subdomains();
    for track in 0..head.tracks() {
        let mut cursor = Cursor::new(track);
        while let Some(event) = cursor.next(&mut recording)? {
            let (kind, subdomain) = match event.what {
                What::Sweep(swept) => {
                    (Kind::Sweep, swept.subdomain.0.min(subdomains.saturating_sub(1)))
                }
                What::Did(Activity::Barrier | Activity::Gate | Activity::HandOver) => {
                    (Kind::Wait, 0)
                }
                What::Did(
                    Activity::Round { .. } | Activity::Detection | Activity::Verification,
                ) => (Kind::Balance, 0),
                What::Burst => (Kind::Noise, 0),
                What::Moved(_) | What::Took(_) => continue,
            };
            schedule.add(track, (event.start.0, event.end.0), kind, subdomain);
        }
    }
    schedule.finish();
    let workers =
        head.cores.iter().enumerate().map(|(worker, core)| format!("worker {worker}, core {core}"));
    let noise =
        head.noise.iter().map(|source| format!("noise {}, core {}", source.noise, source.core));
    let end = recording.why_ended().map(|why| format!(", ended: {why}")).unwrap_or_default();
    Ok(Recorded {
        title: format!(
            "{name}, recorded by tresse {}: {}{end}",
            head.program,
            method(&head.config)
        ),
        tracks: workers.chain(noise).collect(),
        workers: u32::try_from(head.cores.len()).unwrap_or(u32::MAX),
        decomposition: Some(decomposition),
        schedule,
        command: format!("tresse replay {name}"),
    })
}

/// Makes a run in virtual time, which is shown while no recording is open. An error is a sentence.
pub fn simulated(parameters: &Parameters) -> Result<Recorded, String> {
    let mut own = parameters.clone();
    for key in ["from", "to"] {
        own.set(key, "");
    }
    let run = run_of(&own, 1)?;
    let problem = Problem::paper(run.config.grid);
    let iterations = run.config.stop.iterations.unwrap_or(MOST_ITERATIONS).min(MOST_ITERATIONS);
    let machine = run.machine.to_string();
    let made = OwnedRun::<f64, _>::new(run.config, run.machine.hardware, &[], &problem, Portable);
    let mut made = made.map_err(|error| sentence(&error))?;
    let (config, decomposition) = (made.config().clone(), *made.decomposition());
    let mut schedule = Schedule::new(config.workers as usize, &first_owners(&decomposition));
    let mut waits: Vec<Option<Instant>> = vec![None; config.workers as usize];
    let mut see = |now: Instant, event: Seen| match event {
        Seen::Started { worker, subdomain: SubdomainId(subdomain), until } => {
            if let Some(since) = waits.get_mut(worker.index()).and_then(Option::take)
                && since < now
            {
                schedule.add(worker.index(), (since.0, now.0), Kind::Wait, 0);
            }
            schedule.add(worker.index(), (now.0, until.0), Kind::Sweep, subdomain);
        }
        Seen::Waits { worker, .. } => {
            if let Some(wait) = waits.get_mut(worker.index()) {
                wait.get_or_insert(now);
            }
        }
        _ => {}
    };
    let most = iterations * u64::from(decomposition.subdomains());
    let gone = made.with(|machine| while machine.updates() < most && machine.step(&mut see) {});
    gone.map_err(|error| sentence(&error))?;
    schedule.finish();
    Ok(Recorded {
        title: format!("A run in virtual time on {machine}: {}", method(&config)),
        tracks: (0..config.workers).map(|worker| format!("worker {worker}")).collect(),
        workers: config.workers,
        decomposition: Some(decomposition),
        schedule,
        command: command_line(&own),
    })
}
