//! `tresse-mpi compare`: measures the effect of balancing between ranks on these ranks: the
//! experiment of section 5 of Zarins & Weiland 2020.
//!
//! All ranks make all runs in the same order; the first one keeps what they came to.

mod bench;
mod method;
mod table;

use tresse::commands::CommandError;
use tresse::commands::compare::conclude;
use tresse::exit::Exit;
use tresse::experiments::comparison::{
    ComparisonReport, ComparisonSample, FILES, least_increase_percent,
};
use tresse::report::output::{OutputDir, Outputs};
use tresse_core::base::id::RankId;

use self::bench::Bench;
use self::table::Methods;
use super::error::SolveError;
use crate::commands::args::CompareRanksArgs;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, agree, as_first, together};

/// Compares the methods, and prints and stores the results. Collective.
pub fn run(entry: &mut Entry, args: &CompareRanksArgs) -> Result<Exit, Refused> {
    let agreed = agree(entry, "the command line", args);
    together(entry, agreed)?;
    let is_first = entry.rank() == RankId(0);
    let bench = Bench::prepare(entry, args)?;
    let out = args.compare.out.as_deref().filter(|_| is_first);
    let out = out.map(|path| Outputs::default().folder("--out", path, FILES));
    let out = together(entry, out.transpose().map_err(SolveError::from))?;
    let announced = if is_first { bench.announce(entry, args) } else { Ok(()) };
    together(entry, announced)?;
    let samples = bench.measure(entry, args.compare.json || args.compare.quiet)?;
    let concluded = if is_first {
        concluded(entry, args.compare.json, &bench, &samples, out.as_ref())
            .map_err(SolveError::from)
    } else {
        Ok(Exit::Done)
    };
    let exit = together(entry, concluded)?;
    Ok(as_first(entry, exit))
}

/// Prints and stores the results, on the first rank.
fn concluded(
    entry: &Entry,
    json: bool,
    bench: &Bench,
    samples: &[ComparisonSample],
    out: Option<&OutputDir>,
) -> Result<Exit, CommandError> {
    let report = ComparisonReport {
        config: &bench.common,
        machine: bench.machine(),
        mpi: Some(entry.library()),
        interrupted: samples.len() < bench.runs(),
        runs: samples.len(),
        // All ranks would have to agree on it.
        repeated: 0,
        least_increase_percent: least_increase_percent(samples),
        tables: Methods::of(&bench.methods, samples),
        samples,
        size: bench.common.size(),
        noise: &bench.common.noise,
        elsewhere: None,
    };
    conclude(&report, json, out)
}
