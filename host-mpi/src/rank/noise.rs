//! The ranks that a source of noise is on.

use tresse::platform::Placement;
use tresse_core::base::id::NodeId;
use tresse_core::run::noise::{Noise, NoisePlace};

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
