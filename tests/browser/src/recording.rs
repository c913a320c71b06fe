//! A recording as large as is wanted, of a run that nobody has made.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::{Duration, Instant};
use tresse_core::field::problem::Problem;
use tresse_core::sim::owned::timeline::{Spent, Timeline, Track};
use tresse_core::tasks::sharing::{Activity, Method, SharingConfig};
use tresse_files::field::FieldHash;
use tresse_files::recording::chunk::Coder;
use tresse_files::recording::format::{FRAME_MOST, FrameWriter, Kind};
use tresse_files::recording::{self, End, Event, Head, PoolHead, Swept, What, pool};
use tresse_page::parameters::Parameters;
use tresse_page::views::solve::run_of;

/// Nanoseconds of a sweep, and of a wait after so many sweeps.
const SWEEP: u64 = 10_000;
const WAIT: (u64, u64) = (64, 40_000);

/// Writes a recording of a pool: two workers, of which the second begins late, and a manager.
pub fn write_pool(path: &Path) -> io::Result<()> {
    let spans = |spans: &[(Activity, u64)]| {
        let spans = spans.iter().map(|&(activity, time)| {
            Spent::new(Activity::ALL.map(|one| Duration(if one == activity { time } else { 0 })))
        });
        Track::new(spans, Duration::ZERO)
    };
    let workers = vec![
        spans(&[
            (Activity::Tasks, 700_000),
            (Activity::Copies, 200_000),
            (Activity::Idle, 100_000),
        ]),
        spans(&[(Activity::Searching, 400_000), (Activity::Tasks, 600_000)]),
    ];
    let managers = vec![spans(&[(Activity::Idle, 900_000), (Activity::Managing, 100_000)])];
    let head = PoolHead {
        program: "1".into(),
        subject: "tree T1".into(),
        config: Some(SharingConfig::new(Method::Speculative)),
        workers: 2,
        managers: 1,
        has_own_cores: true,
        cores: vec![0, 1],
        machine: "a machine".into(),
        is_virtual: false,
    };
    pool::write(&head, &Timeline { workers, managers }, 12, &mut File::create(path)?)
}

/// Writes a recording of 36 workers with four subdomains each, that all sweep equally often.
pub fn write(path: &Path, sweeps: u64) -> io::Result<()> {
    let parameters = Parameters::parse("machine=cirrus&cells-per-worker=48x48");
    let run = run_of(&parameters, 1).map_err(io::Error::other)?;
    let config = run.config;
    let problem = Problem::paper(config.grid);
    let cores: Vec<u32> = (0..config.workers).collect();
    let mut file = BufWriter::new(File::create(path)?);
    let mut frames = FrameWriter::begin(&mut file)?;
    Head::new(&config, &problem, cores.clone(), Vec::new()).write(&mut frames)?;
    let each = sweeps / u64::from(config.workers);
    let mut events = 0;
    for worker in cores {
        let mut coder = Coder::new(0);
        let mut bytes = 0_u64.to_le_bytes().to_vec();
        let (mut now, mut write) = (u64::from(worker) * 100, 0);
        for sweep in 0..each {
            let subdomain =
                SubdomainId(worker * config.split + u32::try_from(sweep % 4).unwrap_or(0));
            let swept = Swept { subdomain, version: sweep / 4 + 1, halos: [None; 4] };
            let event =
                |what, length: u64| Event { start: Instant(now), end: Instant(now + length), what };
            coder.encode(&event(What::Sweep(swept), SWEEP), &mut bytes);
            now += SWEEP;
            write += 1;
            if sweep % WAIT.0 == WAIT.0 - 1 {
                let (start, end) = (Instant(now), Instant(now + WAIT.1));
                coder.encode(
                    &Event::<4> { start, end, what: What::Did(recording::Activity::Barrier) },
                    &mut bytes,
                );
                now += WAIT.1;
                write += 1;
            }
            if bytes.len() > FRAME_MOST / 64 || sweep + 1 == each {
                frames.write(Kind::Events, worker, &bytes)?;
                (coder, bytes) = (Coder::new(now), now.to_le_bytes().to_vec());
            }
        }
        events += write;
    }
    let end =
        End { events, sweeps: each * u64::from(config.workers), field: FieldHash(0), why: None };
    frames.write(Kind::End, 0, &end.to_json()?)
}
