//! Measures whether a rank can be read while it computes.
//!
//! A get should need nothing of its target. Over TCP, and with some libraries even within a node,
//! it is answered only when its target enters MPI, and MPI cannot be asked which it is. So it is
//! measured before the first sweep: half of the nodes compute while the others read from them, and
//! then the other way round.

use std::fmt;
use std::hint;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use tresse_core::base::id::RankId;

use crate::mpi::entry::Entry;
use crate::mpi::error::WindowError;
use crate::mpi::nodes::Nodes;
use crate::mpi::window::Window;

/// Time for which a rank computes without entering MPI.
const COMPUTE: Duration = Duration::from_millis(100);
/// Times at which gets begin and end: by then all ranks have left the barrier, and none enters MPI
/// again.
const GETS: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(80)];
/// Median time from which on gets are taken to wait for their target: well above the effects of a
/// loaded machine, well below [`COMPUTE`].
const WAITS: Duration = Duration::from_millis(25);
/// Number of words that are read at once.
const WORDS: usize = 128;

/// The behaviour of gets while their target computes; the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passive {
    /// Whether a get waits until its target enters MPI.
    pub needs_entering: bool,
    /// Median time of a get on the rank where it is longest; `None` where it was not measured.
    pub median: Option<Duration>,
}

impl Passive {
    /// Measures gets between nodes, in two tenths of a second. Collective. Collective.
    ///
    /// On one node, where ranks read each other's memory, there is nothing to measure, unless gets
    /// are `always` used; then it is measured between ranks.
    pub fn measure(entry: &mut Entry, always: bool) -> Result<Self, WindowError> {
        if entry.ranks() == 1 || entry.nodes().number() == 1 && !always {
            return Ok(Self { needs_entering: false, median: None });
        }
        let halves = Halves::new(entry.nodes(), entry.ranks());
        let window = Window::allocate(entry, WORDS)?;
        let mut longest = 0;
        for computing in [0, 1] {
            let target = halves.target(entry.rank(), computing);
            entry.barrier();
            let median = if let Some(target) = target {
                median_get(entry, &window, target)
            } else {
                compute();
                Ok(Duration::ZERO)
            };
            let median = entry.together("a get", median)?;
            longest = longest.max(u64::try_from(median.as_nanos()).unwrap_or(u64::MAX));
        }
        window.free(entry)?;
        let median = Duration::from_nanos(entry.max_u64(longest));
        Ok(Self { needs_entering: median >= WAITS, median: Some(median) })
    }
}

impl fmt::Display for Passive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.median, self.needs_entering) {
            (None, _) => write!(f, "all ranks read each other's memory"),
            (Some(median), false) => {
                write!(f, "a rank can be read while it computes, in {median:.1?} (median)")
            }
            (Some(median), true) => write!(
                f,
                "a rank can be read only when it enters MPI: {median:.1?} (median) while it \
                 computes for {COMPUTE:?}"
            ),
        }
    }
}

/// The ranks in two halves, by node, or each for itself where there is one node.
struct Halves([Vec<RankId>; 2]);

impl Halves {
    /// Divides the ranks into halves, by node, or by rank where there is only one node.
    fn new(nodes: &Nodes, ranks: u32) -> Self {
        let mut halves = [Vec::new(), Vec::new()];
        for rank in (0..ranks).map(RankId) {
            let place = if nodes.number() > 1 { nodes.place(rank) } else { rank.0 };
            let half = usize::from(place % 2 == 1);
            halves[half].push(rank);
        }
        Self(halves)
    }

    /// Returns the rank that a rank reads from while the ranks of one half compute; `None` if it is
    /// in that half.
    fn target(&self, rank: RankId, computing: usize) -> Option<RankId> {
        let [targets, readers] = [&self.0[computing], &self.0[1 - computing]];
        let place = readers.iter().position(|reader| *reader == rank)?;
        targets.get(place % targets.len().max(1)).copied()
    }
}

/// Keeps the core busy for `COMPUTE` without a call of MPI.
fn compute() {
    let begin = Instant::now();
    while begin.elapsed() < COMPUTE {
        hint::spin_loop();
    }
}

/// Returns the median time of gets while their target computes; a rank that was itself kept from
/// the processor for as long reports a time as if gets had waited.
fn median_get(
    entry: &mut Entry,
    window: &Window<AtomicU64>,
    target: RankId,
) -> Result<Duration, WindowError> {
    let [begin, end] = GETS.map(|after| Instant::now() + after);
    while Instant::now() < begin {
        hint::spin_loop();
    }
    let mut words = [const { AtomicU64::new(0) }; WORDS];
    let mut times = Vec::new();
    let mut now = Instant::now();
    while now < end {
        let before = now;
        window.get(entry, target, 0, &mut words)?;
        now = Instant::now();
        times.push(now - before);
    }
    times.sort_unstable();
    Ok(times.get(times.len() / 2).copied().unwrap_or(COMPUTE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(lowest: &[u32], computing: usize) -> Vec<Option<u32>> {
        let nodes = Nodes::new(lowest.to_vec());
        let ranks = u32::try_from(lowest.len()).unwrap();
        let halves = Halves::new(&nodes, ranks);
        let target = |rank| halves.target(RankId(rank), computing).map(|it| it.0);
        (0..ranks).map(target).collect()
    }

    #[test]
    fn who_reads_is_on_another_node() {
        assert_eq!(targets(&[0, 0, 2, 3], 0), [None, None, Some(0), None]);
        assert_eq!(targets(&[0, 0, 2, 3], 1), [Some(2), Some(2), None, Some(2)]);
    }

    #[test]
    fn on_one_node_every_other_rank_reads() {
        assert_eq!(targets(&[0, 0, 0], 0), [None, Some(0), None]);
        assert_eq!(targets(&[0, 0, 0], 1), [Some(1), None, Some(1)]);
    }

    #[test]
    fn what_was_measured_is_said() {
        let passive = |median, needs_entering| Passive { needs_entering, median }.to_string();
        let micros = |micros| Some(Duration::from_micros(micros));
        assert_eq!(passive(None, false), "all ranks read each other's memory");
        let read = "a rank can be read while it computes, in 20.0µs (median)";
        assert_eq!(passive(micros(20), false), read);
        let waits = "a rank can be read only when it enters MPI: 90.0ms (median) while it computes \
                     for 100ms";
        assert_eq!(passive(micros(90_000), true), waits);
    }
}
