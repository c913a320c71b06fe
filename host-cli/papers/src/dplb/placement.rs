//! The placement of the slow sockets or nodes (section 5).

use tresse_core::base::id::{NodeId, SocketId};
use tresse_core::run::noise::{
    Noise, NoiseChoice, NoisePlace, NoisePlaces, Parasite, PlaceKind, Range, Scattered,
    ScatteredParasite, resolve,
};

use crate::Replicate;

/// Number of sockets of a node of Cirrus (Table 1).
const SOCKETS: u32 = 2;

/// Noise that takes 40 % of the time of every core (section 4).
const NOISE: Parasite = Parasite::Duty { millionths: 400_000 };

/// The kinds of components that are slowed down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    Socket,
    Node,
}

impl Component {
    /// Returns the name of the component in labels.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Socket => "socket",
            Self::Node => "node",
        }
    }

    /// Returns the place of noise on the component of this number.
    const fn place(self, index: u32) -> NoisePlace {
        match self {
            Self::Socket => NoisePlace::Socket(SocketId(index)),
            Self::Node => NoisePlace::Node(NodeId(index)),
        }
    }

    /// Returns the kind of place that noise is drawn for.
    const fn kind(self) -> PlaceKind {
        match self {
            Self::Socket => PlaceKind::Socket,
            Self::Node => PlaceKind::Node,
        }
    }

    /// Returns the number of components on this number of nodes.
    const fn on(self, nodes: u32) -> u32 {
        match self {
            Self::Socket => nodes * SOCKETS,
            Self::Node => nodes,
        }
    }
}

/// Placements of the slow components; the replicates take turns, so that a box of them has all
/// three, as the paper's boxes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// From the middle of the domain outwards.
    Worst,
    /// From the ends of the domain inwards.
    Best,
    /// At random.
    Random,
}

impl Placement {
    /// Returns the placement of a replicate: a third of them each has the worst, the best and a
    /// random one.
    pub(super) const fn of(replicate: Replicate) -> Self {
        match replicate.number % 3 {
            0 => Self::Worst,
            1 => Self::Best,
            _ => Self::Random,
        }
    }

    /// Returns noise on `count` components of some nodes in a row; a random choice is drawn from
    /// the replicate's seed.
    pub(super) fn choose(
        self,
        component: Component,
        count: u32,
        nodes: u32,
        replicate: Replicate,
    ) -> Vec<Noise> {
        let there = component.on(nodes);
        let mut outwards: Vec<u32> = (0..there).collect();
        // Twice the distance from the middle, ties to the lower index.
        outwards.sort_by_key(|&index| (2 * index + 1).abs_diff(there));
        match self {
            Self::Worst => {}
            Self::Best => outwards.reverse(),
            Self::Random => {
                let number = Range { least: count, most: count };
                let parasite = ScatteredParasite::Same(NOISE);
                let asked = Scattered { kind: component.kind(), number, parasite };
                return anywhere(asked, nodes, replicate);
            }
        }
        let chosen = outwards.into_iter().take(count as usize);
        on_sockets(chosen.map(|index| Noise { place: component.place(index), parasite: NOISE }))
    }
}

/// Returns noise at places drawn from the replicate's seed, among the components of this number of
/// nodes.
pub(super) fn anywhere(asked: Scattered, nodes: u32, replicate: Replicate) -> Vec<Noise> {
    let sockets: Vec<SocketId> = (0..nodes * SOCKETS).map(SocketId).collect();
    let places = NoisePlaces { cores: &[], sockets: &sockets, nodes };
    // The experiments ask for no more than there is; whoever asks for more gets none.
    let noise = resolve(&[NoiseChoice::Scattered(asked)], replicate.seed, &places);
    on_sockets(noise.unwrap_or_default())
}

/// Returns noise on nodes as noise on their sockets, which exist whatever ranks are.
fn on_sockets(noise: impl IntoIterator<Item = Noise>) -> Vec<Noise> {
    let parts = noise.into_iter().flat_map(|noise| {
        let sockets = match noise.place {
            NoisePlace::Node(NodeId(node)) => node * SOCKETS..(node + 1) * SOCKETS,
            NoisePlace::Socket(SocketId(socket)) => socket..socket + 1,
            NoisePlace::Core(_) => return vec![noise],
        };
        sockets.map(|socket| Noise { place: Component::Socket.place(socket), ..noise }).collect()
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Returns the sockets.
    fn chosen(placement: Placement, component: Component, count: u32, seed: u64) -> Vec<u32> {
        let chosen = placement.choose(component, count, 15, Replicate { number: 0, seed });
        let index = |noise: &Noise| match noise.place {
            NoisePlace::Socket(SocketId(index)) => index,
            place => panic!("{place:?}"),
        };
        assert!(chosen.iter().all(|noise| noise.parasite == NOISE));
        chosen.iter().map(index).collect()
    }

    #[test]
    fn the_worst_are_in_the_middle_and_the_best_at_the_ends() {
        use Component::{Node, Socket};
        // Nodes 7 and 6, and 14 and 0: both sockets of each.
        assert_eq!(chosen(Placement::Worst, Node, 2, 1), [14, 15, 12, 13]);
        assert_eq!(chosen(Placement::Best, Node, 2, 1), [28, 29, 0, 1]);
        assert_eq!(chosen(Placement::Worst, Socket, 3, 1), [14, 15, 13]);
        assert_eq!(chosen(Placement::Best, Socket, 3, 1), [29, 0, 28]);
        for placement in [Placement::Worst, Placement::Best, Placement::Random] {
            assert!(chosen(placement, Socket, 0, 1).is_empty());
        }
    }

    #[test]
    fn random_ones_are_distinct_and_follow_the_seed() {
        let chosen = |seed| chosen(Placement::Random, Component::Node, 8, seed);
        let sets: BTreeSet<_> = (0..20).map(chosen).collect();
        assert!(sets.len() > 15, "{sets:?}");
        for set in &sets {
            assert_eq!(set.iter().collect::<BTreeSet<_>>().len(), 16);
        }
        assert_eq!(chosen(3), chosen(3));
    }

    #[test]
    fn replicates_take_turns() {
        use Placement::{Best, Random, Worst};
        let turn = |number| Placement::of(Replicate { number, seed: 1 });
        assert_eq!([0, 1, 2, 3].map(turn), [Worst, Best, Random, Worst]);
    }
}
