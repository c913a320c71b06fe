//! One report of what all ranks have measured.

use serde::{Deserialize, Serialize};
use tresse::engine::threads::RunRecord;
use tresse::experiments::comparison::lost_capacity;
use tresse::report::RunReport;
use tresse_core::id::RankId;
use tresse_core::noise::Noise;
use tresse_core::progress::{Progress, Staleness};
use tresse_core::run::NoiseReport;

use crate::mpi::Entry;
use crate::rank::ranks::Counted;

/// What one rank has to add to the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankReport {
    /// The rank.
    pub rank: u32,
    /// The processor's name.
    pub cpu: String,
    /// The cores of its workers, by the operating system's numbers.
    pub cores: Vec<u32>,
    /// Subdomains at the end.
    pub subdomains: u64,
    /// Their updates.
    pub updates: u64,
    /// The lowest and the highest of their update counts.
    pub least: u64,
    /// See `least`.
    pub most: u64,
    /// Sweeps of its workers, of whatever subdomains they had.
    pub sweeps: u64,
    /// Moves between its workers.
    pub moves: u64,
    /// Their balancing rounds.
    pub rounds: u64,
    /// Subdomains that it sent to other ranks.
    pub sent: u64,
    /// Edges that were written while it read them by gets.
    pub halo_retries: u64,
    /// Forwards that it followed.
    pub forwards_followed: u64,
    /// Halos that it read.
    pub halos: u64,
    /// Their version gaps.
    pub staleness: u64,
    /// The largest of them.
    pub staleness_max: u64,
    /// What noise took of its cores: by source the core and the share.
    noise: Vec<(usize, u32, f64)>,
    /// Cores that a worker could not be pinned to.
    pub unpinned: Vec<u32>,
}

/// The solver's report, and what ranks add.
#[derive(Debug, Serialize)]
pub struct RanksReport<'a> {
    /// As of one process.
    #[serde(flatten)]
    pub report: &'a RunReport<'a>,
    /// Ranks.
    pub ranks: u32,
    /// Subdomains that moved between ranks.
    pub node_moves: u64,
    /// Edges that were written while they were read by gets.
    pub halo_retries: u64,
    /// Forwards that were followed.
    pub forwards_followed: u64,
    /// The MPI library.
    pub mpi: &'a str,
    /// Each rank's own figures.
    pub per_rank: &'a [RankReport],
}

impl<'a> RanksReport<'a> {
    /// Returns the report of all ranks' figures.
    pub fn new(report: &'a RunReport<'a>, mpi: &'a str, per_rank: &'a [RankReport]) -> Self {
        let sum = |figure: fn(&RankReport) -> u64| per_rank.iter().map(figure).sum();
        Self {
            report,
            ranks: report.nodes,
            node_moves: sum(|rank| rank.sent),
            halo_retries: sum(|rank| rank.halo_retries),
            forwards_followed: sum(|rank| rank.forwards_followed),
            mpi,
            per_rank,
        }
    }
}

impl RankReport {
    /// What one rank has measured; `sources` are all of the run's noise.
    pub fn new(
        rank: RankId,
        (cpu, cores): (&str, Vec<u32>),
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
            moves: record.moves,
            rounds: record.rounds,
            sent: counted.sent,
            halo_retries: counted.halo_retries,
            forwards_followed: counted.forwards_followed,
            halos,
            staleness: sum,
            staleness_max: max,
            noise: noise.collect(),
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

    /// Makes the first rank's record that of the whole run.
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
        record.moves = all.iter().map(|rank| rank.moves).sum();
        record.rounds = all.iter().map(|rank| rank.rounds).sum();
        record.transfers = all.iter().map(|rank| rank.sent).sum();
        let noise = all.iter().flat_map(|rank| &rank.noise).filter_map(|&(place, core, share)| {
            Some(NoiseReport { source: *sources.get(place)?, core, share })
        });
        record.noise = noise.collect();
        record.noise.sort_by_key(|noise| sources.iter().position(|source| *source == noise.source));
    }
}

/// Reports whether a source of the run is this one of a rank's own.
fn same(source: &Noise, own: &Noise, rank: RankId) -> bool {
    crate::rank::noise::on_rank(source, rank).as_ref() == Some(own)
}
