//! Random bursts: the lengths that a parasite draws, whoever lets it run.

use crate::base::id::NodeId;
use crate::base::rng::Rng;
use crate::base::time::Duration;

/// First random stream of the parasites; lower ones are those of the balancers ([`Rng`]).
const STREAM: u64 = 2 << 32;

/// One cycle of a parasite: first it rests, then it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParasiteCycle {
    /// Time for which it rests.
    pub gap: Duration,
    /// Time of the core that it then uses.
    pub burst: Duration,
}

impl ParasiteCycle {
    /// Draws the next cycle: both lengths are uniform from 0 to twice their mean.
    pub fn draw(burst: Duration, gap: Duration, rng: &mut Rng) -> Self {
        let mut length = |mean: Duration| Duration(rng.up_to(mean.0.saturating_mul(2)));
        let gap = length(gap);
        Self { gap, burst: length(burst) }
    }
}

/// Returns the generator of a node's `parasite`-th parasite, counted over the run's sources and
/// within each over the node's cores that it is on, ascending.
pub fn generator(seed: u64, node: NodeId, parasite: u32) -> Rng {
    Rng::new(seed, STREAM + (u64::from(node.0) << 16) + u64::from(parasite))
}
