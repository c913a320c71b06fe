//! The head of a packet, which goes with a subdomain's cells.

use core::fmt;

use crate::base::id::SubdomainId;
use crate::base::time::Duration;
use crate::parts::Graph;
use crate::parts::halo::{Bounds, Location, halves, word};

/// All that is known of a subdomain except its units, which follow it in the outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Packet<const N: usize = 4> {
    /// The subdomain.
    pub subdomain: SubdomainId,
    /// Number of moves that the subdomain has made, without this one.
    pub epoch: u32,
    /// Number of its updates, which is the version of its edges.
    pub version: u64,
    /// The bits of the sum of squares of its residual, as last published. All are allowed.
    pub residual: u64,
    /// Time that its sweeps have taken together.
    pub sweep_time: Duration,
    /// Number of units that it is packed in ([`Part::pack`](crate::parts::Part::pack)).
    pub units: u64,
    /// Locations of its neighbours, as the sender knows them, by link.
    pub neighbours: [Option<Location>; N],
}

/// A packet that cannot be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketError {
    /// There are fewer words than a head has.
    Short,
    /// There is no such subdomain.
    Subdomain,
    /// The number of moves is too large to be counted.
    Epoch,
    /// The packet is of another subdomain than the one that was offered, or of one that has not
    /// left yet, or of a move that is over.
    Another,
    /// The number of units that has come is not that of the packet.
    Units {
        /// Units that have come.
        came: usize,
        /// Units of the packet.
        has: u64,
    },
    /// Its checksum is another one: it is not what was packed for this offer.
    Checksum,
    /// There is no memory for it in its slot.
    Misfit,
    /// The neighbour on this link is one that is not there, or none where there is one, or its
    /// place is not.
    Neighbour(usize),
}

impl fmt::Display for PacketError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => f.write_str("it has too few words"),
            Self::Subdomain => f.write_str("it is of a subdomain that does not exist"),
            Self::Epoch => f.write_str("its subdomain has moved too often to be counted"),
            Self::Another => f.write_str("it is not the one that was offered"),
            Self::Units { came, has } => write!(f, "{came} units have come, and it has {has}"),
            Self::Checksum => f.write_str("its checksum is wrong: it is not what was sent"),
            Self::Misfit => f.write_str("it does not fit into the slot that was kept for it"),
            Self::Neighbour(link) => {
                write!(f, "the neighbour on link {link} is not where one can be")
            }
        }
    }
}

impl core::error::Error for PacketError {}

impl<const N: usize> Packet<N> {
    /// Words of a head.
    pub const WORDS: usize = 5 + 2 * N;

    /// Returns the [`Packet::WORDS`] words of the head. A neighbour whose rank is 2³² − 1, which no
    /// rank is, is encoded as unknown.
    pub fn encode(&self) -> impl Iterator<Item = u64> + use<N> {
        let Self { subdomain, epoch, version, residual, sweep_time, units, neighbours } = *self;
        [word(epoch, subdomain.0), version, residual, sweep_time.0, units]
            .into_iter()
            .chain(neighbours.into_iter().flat_map(encode))
    }

    /// Reads a packet from the first [`Packet::WORDS`] words, and checks that it describes a
    /// subdomain of the graph and its neighbours.
    pub fn decode(
        words: impl IntoIterator<Item = u64>,
        bounds: Bounds,
        graph: &impl Graph<N>,
    ) -> Result<Self, PacketError> {
        let mut words = words.into_iter();
        let mut next = || words.next().ok_or(PacketError::Short);
        let [name, version, residual, sweep_time, units] =
            [next()?, next()?, next()?, next()?, next()?];
        let mut places = [[0; 2]; N];
        for place in &mut places {
            *place = [next()?, next()?];
        }
        let (epoch, id) = halves(name);
        let exists = |id: &SubdomainId| id.0 < graph.parts();
        let subdomain = bounds.subdomain(id).filter(exists).ok_or(PacketError::Subdomain)?;
        if epoch == u32::MAX {
            return Err(PacketError::Epoch);
        }
        let mut neighbours = [None; N];
        let links = graph.neighbours(subdomain).into_iter().zip(places).zip(&mut neighbours);
        for (link, ((there, [place, epoch]), neighbour)) in links.enumerate() {
            *neighbour = decode(place, epoch, bounds);
            let is_there = there.is_some();
            if neighbour.is_some() != is_there || !is_there && (place, epoch) != (0, 0) {
                return Err(PacketError::Neighbour(link));
            }
        }
        let sweep_time = Duration(sweep_time);
        Ok(Self { subdomain, epoch, version, residual, sweep_time, units, neighbours })
    }
}

/// Packs a location into two words: rank and slot, then epoch; both 0 for none.
fn encode(neighbour: Option<Location>) -> [u64; 2] {
    let place = |Location { rank, slot, epoch }| {
        Some([word(rank.0.checked_add(1)?, slot.0), u64::from(epoch)])
    };
    neighbour.and_then(place).unwrap_or_default()
}

/// Unpacks a location; none where the words are not one within the bounds.
fn decode(place: u64, epoch: u64, bounds: Bounds) -> Option<Location> {
    let (rank, slot) = halves(place);
    Some(Location {
        rank: bounds.rank(rank.checked_sub(1)?)?,
        slot: bounds.slot(slot)?,
        epoch: u32::try_from(epoch).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::{RankId, SlotId};
    use crate::field::grid::{Decomposition, Side};
    use crate::run::{
        Balance, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, Stop,
    };

    const BOUNDS: Bounds = Bounds { subdomains: 4, ranks: 3, slots: 2 };

    /// Returns a grid of four subdomains below each other.
    fn cut() -> Decomposition {
        Decomposition::new(&RunConfig {
            grid: GridSize { rows: 8, columns: 8 },
            workers: 1,
            split: 4,
            mode: Mode::Async,
            balance: Balance::None,
            help: false,
            always_help: false,
            plb: PlbParams::default(),
            nodes: Nodes::ONE,
            imbalance: Imbalance::default(),
            stop: Stop { iterations: Some(1), ..Stop::NEVER },
            precision: Precision::F64,
            seed: 0,
            noise: heapless::Vec::new(),
        })
        .unwrap()
    }

    fn packet() -> Packet {
        let at =
            |rank, slot, epoch| Some(Location { rank: RankId(rank), slot: SlotId(slot), epoch });
        Packet {
            subdomain: SubdomainId(1),
            epoch: 8,
            version: u64::MAX,
            residual: (-0.25_f64).to_bits(),
            sweep_time: Duration(77),
            units: 16,
            neighbours: [at(2, 1, u32::MAX), at(0, 0, 0), None, None],
        }
    }

    #[test]
    fn heads_read_back_and_the_cells_follow() {
        let words = || packet().encode().chain([7; 3]);
        for length in Packet::<4>::WORDS..words().count() {
            let read = Packet::decode(words().take(length), BOUNDS, &cut());
            assert_eq!(read, Ok(packet()));
        }
        for length in 0..Packet::<4>::WORDS {
            let short = Packet::<4>::decode(words().take(length), BOUNDS, &cut());
            assert_eq!(short, Err(PacketError::Short));
        }
    }

    #[test]
    fn any_residual_goes_through() {
        for bits in [f64::NAN.to_bits() | 5, f64::INFINITY.to_bits(), (-0.0_f64).to_bits(), 1] {
            let sent = Packet { residual: bits, ..packet() };
            assert_eq!(Packet::decode(sent.encode(), BOUNDS, &cut()), Ok(sent));
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let with = |place: usize, word: u64| {
            let other = |(at, sent)| if at == place { word } else { sent };
            Packet::<4>::decode(packet().encode().enumerate().map(other), BOUNDS, &cut())
        };
        assert_eq!(with(0, 4), Err(PacketError::Subdomain));
        assert_eq!(with(0, u64::MAX), Err(PacketError::Subdomain));
        assert_eq!(with(0, (u64::from(u32::MAX) << 32) + 1), Err(PacketError::Epoch));
        let (top, left) =
            (PacketError::Neighbour(Side::Top.index()), PacketError::Neighbour(Side::Left.index()));
        // Rank 3, slot 2, no rank, an epoch that is too large, nobody.
        for (place, word) in [(5, 4 << 32), (5, (1 << 32) + 2), (5, 1), (6, 1 << 32), (5, u64::MAX)]
        {
            assert_eq!(with(place, word), Err(top), "{word:x}");
        }
        // A neighbour beyond the boundary, and an epoch of nobody.
        assert_eq!(with(9, 1 << 32), Err(left));
        assert_eq!(with(10, 1), Err(left));
        let alone = Packet { neighbours: [None, packet().neighbours[1], None, None], ..packet() };
        assert_eq!(Packet::decode(alone.encode(), BOUNDS, &cut()), Err(top));
        let fewer = Bounds { subdomains: 1, ..BOUNDS };
        assert_eq!(Packet::decode(packet().encode(), fewer, &cut()), Err(PacketError::Subdomain));
    }
}
