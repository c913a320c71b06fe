//! What the equation of a cell has besides its neighbours: a source term, and weights at its faces.

/// What a field may have for each cell besides the cell itself, or for each kind of them a `T`:
/// cells that are lent, memory for them, or nothing but whether it is there (`Terms<()>`).
///
/// All of them are in the layout of the cells as [`Layout::new`](super::Layout::new) makes it,
/// wherever the cells are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Terms<T> {
    /// The source term times the area of a cell, on the interior; none is zero.
    pub source: Option<T>,
    /// Weights of the faces: the coefficient there, times the ratio of the sides of a cell; none is
    /// 1.
    pub faces: Option<Faces<T>>,
}

/// Weights of the faces between cells, each of which is in memory once.
///
/// ```text
///             vertical[row][column]
///           ┌──────────┴──────────┐
/// horizontal[row][column]   cell   horizontal[row][column + 1]
///           └──────────┬──────────┘
///             vertical[row + 1][column]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Faces<T> {
    /// Weight of the face above each cell of the interior, and of that below its last row: in the
    /// bottom of the ring.
    pub vertical: T,
    /// Weight of the face to the left of each cell of the interior, and of that to the right of its
    /// last column: in the right of the ring.
    pub horizontal: T,
}

impl<T> Terms<T> {
    /// No source term, and faces of weight 1.
    pub const NONE: Self = Self { source: None, faces: None };

    /// Returns the same terms as references.
    #[inline(always)]
    pub const fn as_ref(&self) -> Terms<&T> {
        Terms {
            source: self.source.as_ref(),
            faces: match &self.faces {
                Some(Faces { vertical, horizontal }) => Some(Faces { vertical, horizontal }),
                None => None,
            },
        }
    }

    /// Returns the same terms as mutable references.
    pub const fn as_mut(&mut self) -> Terms<&mut T> {
        Terms {
            source: self.source.as_mut(),
            faces: match &mut self.faces {
                Some(Faces { vertical, horizontal }) => Some(Faces { vertical, horizontal }),
                None => None,
            },
        }
    }

    /// Returns the same terms with `change` applied to each `T`.
    #[inline(always)]
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Terms<U> {
        Terms {
            source: self.source.map(&mut change),
            faces: self.faces.map(|Faces { vertical, horizontal }| Faces {
                vertical: change(vertical),
                horizontal: change(horizontal),
            }),
        }
    }

    /// Returns the `T` of every term that there is.
    pub fn into_each(self) -> impl Iterator<Item = T> {
        let faces = self.faces.into_iter().flat_map(|faces| [faces.vertical, faces.horizontal]);
        self.source.into_iter().chain(faces)
    }
}

impl Terms<()> {
    /// Returns the terms of an equation with a source or none, and cells of this height over width;
    /// `has_weights` says that it has a coefficient other than 1, or a side with a flux. Faces have
    /// weights unless all of them are 1.
    pub const fn of(has_source: bool, has_weights: bool, cell_ratio: f64) -> Self {
        let is_square = cell_ratio.to_bits() == 1_f64.to_bits();
        Self {
            source: if has_source { Some(()) } else { None },
            faces: if has_weights || !is_square {
                Some(Faces { vertical: (), horizontal: () })
            } else {
                None
            },
        }
    }

    /// Returns how many numbers are held for each cell: the cell itself, its source and its face
    /// weights.
    pub const fn numbers(&self) -> u64 {
        let source = if self.source.is_some() { 1 } else { 0 };
        let faces = if self.faces.is_some() { 2 } else { 0 };
        1 + source + faces
    }
}

/// Returns the weight of a face between cells of these coefficients, both finite and not below 0:
/// their harmonic average 2ab / (a + b), with which the flux through the face is that through two
/// half cells in a row (S. V. Patankar, *Numerical Heat Transfer and Fluid Flow*, 1980, section
/// 4.2-3). It is 0 where one of them is 0: a cell that is left out.
///
/// It is the same to the bit in either order, `a` itself where both are `a`, and it overflows only
/// beyond half of the largest number.
pub fn face_weight(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low > 0.0 { 2.0 * low / (1.0 + low / high) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::face_weight;

    #[test]
    fn a_face_has_the_harmonic_average_of_both_cells() {
        for (a, b, expected) in
            [(1.0, 1.0, 1.0), (1.0, 3.0, 1.5), (0.25, 0.25, 0.25), (6.0, 3.0, 4.0)]
        {
            assert_eq!(face_weight(a, b).to_bits(), f64::to_bits(expected), "{a} {b}");
            assert_eq!(face_weight(b, a).to_bits(), f64::to_bits(expected), "{b} {a}");
        }
        for k in [1e-140, 0.1, 0.3, 1e140] {
            assert_eq!(face_weight(k, k).to_bits(), k.to_bits());
        }
        for other in [0.0, 1.0] {
            assert_eq!(face_weight(0.0, other).to_bits(), 0, "{other}");
        }
        let far_apart = face_weight(1e140, 1e-140);
        assert!((far_apart / 2e-140 - 1.0).abs() < 1e-15, "{far_apart}");
    }
}
