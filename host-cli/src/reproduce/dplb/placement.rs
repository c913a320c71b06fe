//! Where the slow sockets or nodes are (section 5).

use tresse_core::id::{NodeId, SocketId};
use tresse_core::noise::{
    Noise, NoiseChoice, NoisePlace, NoisePlaces, Parasite, PlaceKind, Range, Scattered,
    ScatteredParasite, resolve,
};

use crate::reproduce::experiment::{Replicate, Setting};

/// Sockets of a node of Cirrus (Table 1).
const SOCKETS: u32 = 2;

/// 40 % of the time of every core (section 4).
pub(super) const NOISE: Parasite = Parasite::Duty { millionths: 400_000 };

/// What is slowed down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    Socket,
    Node,
}

impl Component {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Socket => "socket",
            Self::Node => "node",
        }
    }

    const fn place(self, index: u32) -> NoisePlace {
        match self {
            Self::Socket => NoisePlace::Socket(SocketId(index)),
            Self::Node => NoisePlace::Node(NodeId(index)),
        }
    }

    /// How many there are on the machine of this number of sockets.
    const fn of_sockets(self, sockets: u32) -> u32 {
        match self {
            Self::Socket => sockets,
            Self::Node => sockets / SOCKETS,
        }
    }

    const fn kind(self) -> PlaceKind {
        match self {
            Self::Socket => PlaceKind::Socket,
            Self::Node => PlaceKind::Node,
        }
    }
}

/// Which of the components are the slow ones; the replicates take turns, so that a box of them has
/// all three, as the paper's boxes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// From the middle of the domain outwards.
    Worst,
    /// From its ends inwards.
    Best,
    /// Anywhere.
    Random,
}

impl Placement {
    pub(super) const fn of(replicate: u32) -> Self {
        match replicate % 3 {
            0 => Self::Worst,
            1 => Self::Best,
            _ => Self::Random,
        }
    }

    /// A number of `there` components that lie in a row; the run's seed decides where that is random.
    pub(super) fn choose(
        self,
        component: Component,
        count: u32,
        there: u32,
        seed: u64,
    ) -> Vec<Noise> {
        let noise = |index| Noise { place: component.place(index), parasite: NOISE };
        let mut outwards: Vec<u32> = (0..there).collect();
        // Twice the distance from the middle, ties to the lower index.
        outwards.sort_by_key(|&index| (2 * index + 1).abs_diff(there));
        match self {
            Self::Worst => outwards.into_iter().take(count as usize).map(noise).collect(),
            Self::Best => outwards.into_iter().rev().take(count as usize).map(noise).collect(),
            Self::Random => anywhere(
                Scattered {
                    kind: component.kind(),
                    number: Range { least: count, most: count },
                    parasite: ScatteredParasite::Same(NOISE),
                },
                there,
                seed,
            ),
        }
    }
}

/// Noise where the seed puts it, among a number of components.
pub(super) fn anywhere(asked: Scattered, there: u32, seed: u64) -> Vec<Noise> {
    let sockets: Vec<SocketId> = (0..there).map(SocketId).collect();
    let places = NoisePlaces { cores: &[], sockets: &sockets, nodes: there };
    // The experiments ask for no more than there is; whoever asks for more gets none.
    resolve(&[NoiseChoice::Scattered(asked)], seed, &places)
        .map(|noise| noise.into_iter().collect())
        .unwrap_or_default()
}

/// Puts the noise of a setting where the replicate's placement has it: as many components of the
/// kind as the setting's configuration names.
pub(super) fn place(replicate: Replicate, setting: &Setting) -> Vec<Noise> {
    let named = &setting.config.noise;
    let component = match named.first().map(|noise| noise.place) {
        Some(NoisePlace::Socket(_)) => Component::Socket,
        _ => Component::Node,
    };
    let there = component.of_sockets(sockets(setting));
    let count = u32::try_from(named.len()).unwrap_or(u32::MAX);
    let noise = Placement::of(replicate.number).choose(component, count, there, replicate.seed);
    on_sockets(noise)
}

/// The sockets of a setting's machine, whatever its ranks are.
pub(super) fn sockets(setting: &Setting) -> u32 {
    setting.hardware.nodes * setting.hardware.sockets
}

/// Noise on nodes as noise on their sockets, which are there whatever ranks are.
pub(super) fn on_sockets(noise: Vec<Noise>) -> Vec<Noise> {
    let parts = noise.into_iter().flat_map(|noise| {
        let sockets = match noise.place {
            NoisePlace::Node(NodeId(node)) => node * SOCKETS..(node + 1) * SOCKETS,
            NoisePlace::Socket(SocketId(socket)) => socket..socket + 1,
            NoisePlace::Core(_) => return vec![noise],
        };
        sockets
            .map(|socket| Noise { place: NoisePlace::Socket(SocketId(socket)), ..noise })
            .collect()
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn indices(placement: Placement, component: Component, count: u32, seed: u64) -> Vec<u32> {
        let there = if component == Component::Node { 15 } else { 30 };
        let chosen = placement.choose(component, count, there, seed);
        let index = |noise: &Noise| match noise.place {
            NoisePlace::Node(NodeId(index)) if component == Component::Node => index,
            NoisePlace::Socket(SocketId(index)) if component == Component::Socket => index,
            place => panic!("{place:?}"),
        };
        assert!(chosen.iter().all(|noise| noise.parasite == NOISE));
        chosen.iter().map(index).collect()
    }

    #[test]
    fn the_worst_are_in_the_middle_and_the_best_at_the_ends() {
        use Component::{Node, Socket};
        assert_eq!(indices(Placement::Worst, Node, 4, 1), [7, 6, 8, 5]);
        assert_eq!(indices(Placement::Best, Node, 4, 1), [14, 0, 13, 1]);
        assert_eq!(indices(Placement::Worst, Socket, 3, 1), [14, 15, 13]);
        assert_eq!(indices(Placement::Best, Socket, 3, 1), [29, 0, 28]);
        for placement in [Placement::Worst, Placement::Best, Placement::Random] {
            assert!(indices(placement, Socket, 0, 1).is_empty());
        }
    }

    #[test]
    fn random_ones_are_distinct_and_follow_the_seed() {
        let chosen = |seed| indices(Placement::Random, Component::Node, 8, seed);
        let sets: BTreeSet<_> = (0..20).map(chosen).collect();
        assert!(sets.len() > 15, "{sets:?}");
        for set in &sets {
            assert_eq!(set.iter().collect::<BTreeSet<_>>().len(), 8);
        }
        assert_eq!(chosen(3), chosen(3));
    }

    #[test]
    fn a_slow_node_is_its_two_sockets() {
        let noise = Placement::Best.choose(Component::Node, 2, 15, 1);
        let places: Vec<_> = on_sockets(noise).iter().map(|noise| noise.place).collect();
        assert_eq!(places, [28, 29, 0, 1].map(|socket| NoisePlace::Socket(SocketId(socket))));
    }

    #[test]
    fn replicates_take_turns() {
        use Placement::{Best, Random, Worst};
        let turns = [0, 1, 2, 3].map(Placement::of);
        assert_eq!(turns, [Worst, Best, Random, Worst]);
    }
}
