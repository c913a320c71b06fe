//! The report of the figures that all ranks have measured.

use serde::{Deserialize, Serialize};
use tresse::engine::threads::{RunRecord, Visited};
use tresse::experiments::comparison::lost_capacity;
use tresse::report::MethodReport;
use tresse_core::base::id::RankId;
use tresse_core::run::NoiseReport;
use tresse_core::run::noise::Noise;
use tresse_core::run::progress::{Progress, Staleness};

use crate::mpi::Entry;
use crate::rank::ranks::Counted;

/// The figures that one rank adds to the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankReport {
    /// Number of the rank.
    pub rank: u32,
    /// Name of the processor.
    pub cpu: String,
    /// Cores of the rank's workers, by the operating system's numbers.
    pub cores: Vec<u32>,
    /// Number of subdomains on the rank at the end.
    pub subdomains: u64,
    /// Updates of these subdomains.
    pub updates: u64,
    /// Lowest update count of these subdomains.
    pub least: u64,
    /// Highest update count of these subdomains.
    pub most: u64,
    /// Sweeps of the rank's workers, of whatever subdomains they had.
    pub sweeps: u64,
    /// What the rank's workers have made, where they claim subdomains for one sweep at a time, or a
    /// few.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visits: Option<Visited>,
    /// Moves between the rank's workers.
    pub moves: u64,
    /// Balancing rounds of the rank's workers.
    pub rounds: u64,
    /// Subdomains that the rank sent to other ranks.
    pub sent: u64,
    /// Edges that were written while the rank read them by gets.
    pub halo_retries: u64,
    /// Forwards that the rank followed.
    pub forwards_followed: u64,
    /// Halos that the rank read.
    pub halos: u64,
    /// Sum of the version gaps of these halos.
    pub staleness: u64,
    /// Largest version gap of these halos.
    pub staleness_max: u64,
    /// Noise on the rank: the index of the source, the core, and the share of its time that was
    /// taken.
    noise: Vec<(usize, u32, f64)>,
    /// Share of their cores' time that the rank's workers had, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
    /// Cores that a worker could not be pinned to.
    pub unpinned: Vec<u32>,
}

/// The solver's report, with the figures that ranks add.
#[derive(Debug, Serialize)]
pub struct RanksReport<'a> {
    /// Report as of one process.
    #[serde(flatten)]
    pub report: MethodReport<'a>,
    /// What ranks add.
    #[serde(flatten)]
    pub ranks: RanksFigures<'a>,
}

/// What ranks add to a report.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RanksFigures<'a> {
    /// Number of ranks.
    pub ranks: u32,
    /// Edges that were written while they were read by gets.
    pub halo_retries: u64,
    /// Forwards that were followed.
    pub forwards_followed: u64,
    /// The MPI library.
    pub mpi: &'a str,
    /// Figures of each rank.
    pub per_rank: &'a [RankReport],
}

impl<'a> RanksFigures<'a> {
    /// Returns the figures of all ranks.
    pub fn new(mpi: &'a str, per_rank: &'a [RankReport]) -> Self {
        let sum = |figure: fn(&RankReport) -> u64| per_rank.iter().map(figure).sum();
        Self {
            ranks: u32::try_from(per_rank.len()).unwrap_or(u32::MAX),
            halo_retries: sum(|rank| rank.halo_retries),
            forwards_followed: sum(|rank| rank.forwards_followed),
            mpi,
            per_rank,
        }
    }
}

impl RankReport {
    /// Returns the figures that one rank has measured; `sources` are all of the run's noise.
    pub fn new(
        rank: RankId,
        cpu: &str,
        cores: Vec<u32>,
        record: &RunRecord,
        counted: Counted,
        sources: &[Noise],
    ) -> Self {
        let Progress { least, most, updates, subdomains } = record.progress;
        let Staleness { halos, sum, max } = record.staleness;
        let noise = record.noise.iter().filter_map(|noise| {
            let source = sources.iter().position(|source| same(source, &noise.source, rank))?;
            Some((source, noise.core, noise.share))
        });
        Self {
            rank: rank.0,
            cpu: cpu.to_owned(),
            cores,
            subdomains,
            updates,
            least,
            most,
            sweeps: record.sweeps,
            visits: record.visits,
            moves: record.moves,
            rounds: record.rounds,
            sent: counted.sent,
            halo_retries: counted.halo_retries,
            forwards_followed: counted.forwards_followed,
            halos,
            staleness: sum,
            staleness_max: max,
            noise: noise.collect(),
            cpu_share: record.cpu_share,
            unpinned: record.unpinned.clone(),
        }
    }

    /// Returns the part of the time of all ranks' cores that noise took.
    pub fn lost_capacity(all: &[Self]) -> f64 {
        let workers = all.iter().flat_map(|rank| rank.cores.iter().map(|&core| (rank.rank, core)));
        let noise = all
            .iter()
            .flat_map(|rank| rank.noise.iter().map(|&(_, core, share)| ((rank.rank, core), share)));
        lost_capacity(workers, noise)
    }

    /// Returns all ranks' figures on the first one. Collective.
    pub fn gather(self, entry: &mut Entry) -> Option<Vec<Self>> {
        let bytes = serde_json::to_vec(&self).unwrap_or_default();
        let all = entry.gather_bytes(bytes)?;
        Some(all.iter().filter_map(|bytes| serde_json::from_slice(bytes).ok()).collect())
    }

    /// Completes the first rank's record to that of the whole run.
    pub fn complete(all: &[Self], record: &mut RunRecord, sources: &[Noise]) {
        let progress = |rank: &Self| {
            let Self { least, most, updates, subdomains, .. } = *rank;
            Progress { least, most, updates, subdomains }
        };
        record.progress = all.iter().map(progress).reduce(Progress::and).unwrap_or_default();
        record.spread_max = record.spread_max.max(record.progress.spread());
        record.staleness = all.iter().fold(Staleness::default(), |sum, rank| {
            let Self { halos, staleness, staleness_max, .. } = *rank;
            sum.and(Staleness { halos, sum: staleness, max: staleness_max })
        });
        record.sweeps = all.iter().map(|rank| rank.sweeps).sum();
        record.visits = all.iter().filter_map(|rank| rank.visits).reduce(Visited::and);
        record.moves = all.iter().map(|rank| rank.moves).sum();
        record.rounds = all.iter().map(|rank| rank.rounds).sum();
        record.cpu_share = cpu_share(all);
        record.transfers = all.iter().map(|rank| rank.sent).sum();
        let noise = all.iter().flat_map(|rank| &rank.noise).filter_map(|&(place, core, share)| {
            Some(NoiseReport { source: *sources.get(place)?, core, share })
        });
        record.noise = noise.collect();
        record.noise.sort_by_key(|noise| sources.iter().position(|source| *source == noise.source));
    }
}

/// Returns the share of their cores' time that all workers had; none where it is not known of each
/// rank.
fn cpu_share(all: &[RankReport]) -> Option<f64> {
    let workers: usize = all.iter().map(|rank| rank.cores.len()).sum();
    let of = |rank: &RankReport| Some(rank.cpu_share? * rank.cores.len() as f64);
    let sum = all.iter().try_fold(0.0, |sum, rank| Some(sum + of(rank)?))?;
    (workers > 0).then(|| sum / workers as f64)
}

/// Reports whether a source of the run is the source `own` of a rank.
fn same(source: &Noise, own: &Noise, rank: RankId) -> bool {
    crate::rank::noise::on_rank(source, rank).as_ref() == Some(own)
}
