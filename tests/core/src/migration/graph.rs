//! The graphs of parts that move: a grid's, or one of parts that are no rectangles.

use std::hash::{Hash, Hasher};

use tresse_core::base::id::SubdomainId;
use tresse_core::field::grid::Decomposition;
use tresse_core::parts::Graph;

/// The most links of a part.
pub const LINKS: usize = 6;

/// Parts and their neighbours: the same in every state of a system, so that states need not be
/// compared by them.
#[derive(Clone, Copy, Debug)]
pub enum Parts {
    /// Subdomains of a grid.
    Grid(Decomposition),
    /// So many parts, at least 7, in a ring with chords: two to six neighbours each, and edges of
    /// another length in each direction.
    Ring(u32),
}

impl PartialEq for Parts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Parts {}

impl Hash for Parts {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Parts {
    /// Returns all parts.
    pub fn ids(&self) -> impl Iterator<Item = SubdomainId> + use<> {
        (0..self.parts()).map(SubdomainId)
    }

    /// Returns the neighbour on a link.
    pub fn neighbour(&self, id: SubdomainId, link: usize) -> Option<SubdomainId> {
        match self {
            Self::Grid(cut) => cut.neighbours(id).get(link).copied().flatten(),
            Self::Ring(parts) => across(*parts, id.0, link),
        }
    }
}

/// Returns the neighbour on a link of a ring's part: so far before it, or behind it. Not all that
/// are two or three away are neighbours.
fn across(parts: u32, id: u32, link: usize) -> Option<SubdomainId> {
    let far = u32::try_from(link / 2).unwrap_or(0) + 1;
    let to = (id + if link.is_multiple_of(2) { far } else { parts - far }) % parts;
    (far == 1 || !(id * to + far).is_multiple_of(3)).then_some(SubdomainId(to))
}

impl Graph<LINKS> for Parts {
    fn parts(&self) -> u32 {
        match self {
            Self::Grid(cut) => cut.parts(),
            Self::Ring(parts) => *parts,
        }
    }

    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; LINKS] {
        match self {
            Self::Grid(cut) => {
                let [top, bottom, left, right] = cut.neighbours(part);
                [top, bottom, left, right, None, None]
            }
            Self::Ring(parts) => core::array::from_fn(|link| across(*parts, part.0, link)),
        }
    }

    fn back(&self, part: SubdomainId, link: usize) -> usize {
        match self {
            Self::Grid(cut) => Graph::back(cut, part, link),
            Self::Ring(_) => link ^ 1,
        }
    }

    fn size(&self, part: SubdomainId) -> [u32; 2] {
        match self {
            Self::Grid(cut) => cut.size(part),
            Self::Ring(_) => [1 + part.0 % 5, part.0],
        }
    }

    fn cells(&self, size: [u32; 2]) -> u64 {
        match self {
            Self::Grid(cut) => cut.cells(size),
            Self::Ring(_) => size[0].into(),
        }
    }

    fn edge(&self, size: [u32; 2], link: usize) -> u32 {
        match self {
            Self::Grid(cut) => cut.edge(size, link),
            Self::Ring(_) => 1 + (size[1] + u32::try_from(link).unwrap_or(0)) % 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::parts::check;
    use tresse_core::run::RunConfig;

    use super::*;

    #[test]
    fn rings_are_graphs_of_unlike_parts() {
        for parts in 7..40 {
            let ring = Parts::Ring(parts);
            let config = RunConfig { split: parts, ..RunConfig::paper(1) };
            assert_eq!(check(&ring, parts as usize, &config), Ok(()));
            let degree = |id| ring.neighbours(id).into_iter().flatten().count();
            let degrees: Vec<_> = ring.ids().map(degree).collect();
            assert!(degrees.iter().min() < degrees.iter().max());
            let unlike = |id: SubdomainId| {
                let to = ring.neighbour(id, 0).unwrap();
                ring.edge(ring.size(id), 0) != ring.edge(ring.size(to), 1)
            };
            assert!(ring.ids().any(unlike));
        }
    }
}
