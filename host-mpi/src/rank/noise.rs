//! The ranks that a source of noise is on.

use tresse::platform::Placement;
use tresse_core::base::id::NodeId;
use tresse_core::run::RunConfig;
use tresse_core::run::noise::{Noise, NoisePlace};

use crate::mpi::Entry;

/// Returns the configuration as this rank sees it, with its own sources of noise; the source that
/// is on no rank where there is one, on all ranks the same. Collective.
pub fn own_config(
    entry: &mut Entry,
    config: &RunConfig,
    placement: &Placement,
) -> Result<RunConfig, Noise> {
    let (rank, mut own) = (entry.rank(), config.clone());
    own.noise.clear();
    for source in &config.noise {
        let is_concerned = concerns(source, rank, placement);
        // Ranks that share a core do not both make noise on it.
        let concerned = entry.all_gather_u64(u64::from(is_concerned));
        let has = |rank: &NodeId| concerned.get(rank.index()) == Some(&1);
        let is_first = entry.nodes().with(rank).find(has) == Some(rank);
        let is_node = on_rank(source, rank).as_ref() != Some(source);
        if !concerned.contains(&1) {
            return Err(*source);
        }
        if is_concerned
            && (is_first || is_node)
            && let Some(source) = on_rank(source, rank)
        {
            // There is room for all of them.
            let _ = own.noise.push(source);
        }
    }
    Ok(own)
}

/// Returns a source as the rank that it concerns sees it: its node is the only one of that rank.
pub fn on_rank(noise: &Noise, rank: NodeId) -> Option<Noise> {
    match noise.place {
        NoisePlace::Node(node) => {
            (node == rank).then_some(Noise { place: NoisePlace::Node(NodeId(0)), ..*noise })
        }
        NoisePlace::Core(_) | NoisePlace::Socket(_) => Some(*noise),
    }
}

/// Returns a rank's source as all ranks together see it: the inverse of [`on_rank`].
pub fn of_rank(noise: &Noise, rank: NodeId) -> Noise {
    match noise.place {
        NoisePlace::Node(_) => Noise { place: NoisePlace::Node(rank), ..*noise },
        NoisePlace::Core(_) | NoisePlace::Socket(_) => *noise,
    }
}

/// Reports whether a source runs on this rank: at its node, or at a core or a socket where it has a
/// worker.
pub fn concerns(noise: &Noise, rank: NodeId, placement: &Placement) -> bool {
    match noise.place {
        NoisePlace::Node(node) => node == rank,
        NoisePlace::Core(core) => placement.seats.iter().any(|seat| seat.core == core),
        NoisePlace::Socket(socket) => placement.seats.iter().any(|seat| seat.socket == socket),
    }
}
