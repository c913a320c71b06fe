//! Scattering: the choice of places for the noise that a person asks for.

use core::fmt;

use super::{MAX_NOISE, Noise, NoiseChoice, NoisePlace, Parasite, PlaceKind, Range};
use super::{Scattered, ScatteredParasite};
use crate::base::id::{NodeId, SocketId};
use crate::base::rng::Rng;
use crate::base::table::At;

/// First random stream of the choices; lower ones are those of the balancers and the parasites
/// ([`Rng`]).
const STREAM: u64 = 3 << 32;

/// The places of a run that noise can be at.
#[derive(Clone, Copy, Debug)]
pub struct NoisePlaces<'a> {
    /// Cores, by the operating system's numbers.
    pub cores: &'a [u32],
    /// Sockets with workers.
    pub sockets: &'a [SocketId],
    /// Nodes, numbered from 0.
    pub nodes: u32,
}

/// Error for more noise than there can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScatterError {
    /// There are fewer distinct places than were asked for.
    TooFewPlaces {
        /// The noise that was asked for.
        asked: Scattered,
        /// Places that could be chosen from.
        there: u32,
    },
    /// There are more sources than [`MAX_NOISE`], as many as there could be in all.
    TooManySources(u64),
}

impl fmt::Display for ScatterError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewPlaces { asked, there } => {
                write!(f, "noise {asked}: at most {there} such places can be chosen")
            }
            Self::TooManySources(sources) => {
                write!(
                    f,
                    "the noise has up to {sources} sources, and must have at most {MAX_NOISE}"
                )
            }
        }
    }
}

impl core::error::Error for ScatterError {}

/// Returns all sources of noise of a run: fixed ones as they are, scattered ones at places drawn by
/// `seed`.
///
/// Whether there is an error does not depend on the seed.
pub fn resolve(
    choices: &[NoiseChoice],
    seed: u64,
    places: &NoisePlaces<'_>,
) -> Result<heapless::Vec<Noise, MAX_NOISE>, ScatterError> {
    let sources = choices.iter().map(|choice| u64::from(choice.most())).sum();
    if sources > MAX_NOISE as u64 {
        return Err(ScatterError::TooManySources(sources));
    }
    let mut resolved = heapless::Vec::new();
    for (stream, choice) in (STREAM..).zip(choices) {
        let mut add =
            |noise| resolved.push(noise).map_err(|_| ScatterError::TooManySources(sources));
        match *choice {
            NoiseChoice::Fixed(noise) => add(noise)?,
            NoiseChoice::Scattered(asked) => {
                scatter(asked, &mut Rng::new(seed, stream), places, &mut add)?;
            }
        }
    }
    Ok(resolved)
}

/// Adds noise at random distinct places, in ascending order. Each place left is chosen with the
/// chance that makes all sets of places equally likely (Knuth, The Art of Computer Programming,
/// volume 2, algorithm 3.4.2 S).
fn scatter(
    asked: Scattered,
    rng: &mut Rng,
    places: &NoisePlaces<'_>,
    add: &mut impl FnMut(Noise) -> Result<(), ScatterError>,
) -> Result<(), ScatterError> {
    let there = places.number(asked.kind);
    if asked.number.most > there {
        return Err(ScatterError::TooFewPlaces { asked, there });
    }
    let mut wanted = asked.number.draw(rng);
    for (index, left) in (0..there).map(|index| (index, there - index)) {
        if wanted == 0 {
            break;
        }
        if rng.below(left) < wanted {
            wanted -= 1;
            let place = places.place(asked.kind, index);
            add(Noise { place, parasite: asked.parasite.draw(rng) })?;
        }
    }
    debug_assert_eq!(wanted, 0, "fewer places are chosen than were asked for");
    Ok(())
}

impl NoisePlaces<'_> {
    /// Returns how many places of a kind there are.
    fn number(&self, kind: PlaceKind) -> u32 {
        let number = match kind {
            PlaceKind::Core => self.cores.len(),
            PlaceKind::Socket => self.sockets.len(),
            PlaceKind::Node => return self.nodes,
        };
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Returns place number `index` of a kind.
    fn place(&self, kind: PlaceKind, index: u32) -> NoisePlace {
        match kind {
            PlaceKind::Core => NoisePlace::Core(*self.cores.at(index)),
            PlaceKind::Socket => NoisePlace::Socket(*self.sockets.at(index)),
            PlaceKind::Node => NoisePlace::Node(NodeId(index)),
        }
    }
}

impl Range {
    /// Draws a number of the range with equal chances.
    fn draw(self, rng: &mut Rng) -> u32 {
        debug_assert!(self.least <= self.most, "a range ends before it begins");
        let above = rng.up_to(u64::from(self.most.saturating_sub(self.least)));
        self.least.saturating_add(u32::try_from(above).unwrap_or(0))
    }
}

impl ScatteredParasite {
    /// Returns the parasite of one place, with its duty drawn where it is a range.
    fn draw(self, rng: &mut Rng) -> Parasite {
        match self {
            Self::Same(parasite) => parasite,
            Self::Duty(range) => Parasite::Duty { millionths: range.draw(rng) },
        }
    }
}
