//! A whole field, and its hash.

use std::borrow::Cow;
use std::fmt;

use ndarray::Array2;
use tresse_core::base::id::SubdomainId;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::problem::Problem;
use tresse_core::field::stencil::Real;
use tresse_core::field::subdomain::Subdomain;
use twox_hash::XxHash3_128;

/// The cells of a finished run, in its precision.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// 32-bit floats, rows × columns.
    F32(Array2<f32>),
    /// 64-bit floats, rows × columns.
    F64(Array2<f64>),
}

impl Field {
    /// Returns the field with no number in the cells that its problem leaves out.
    pub fn without_holes(&self, problem: &Problem) -> Cow<'_, Self> {
        if !problem.has_holes() {
            return Cow::Borrowed(self);
        }
        let mut field = self.clone();
        match &mut field {
            Self::F32(cells) => {
                cells.as_slice_mut().into_iter().for_each(|cells| problem.clear_holes(0, cells));
            }
            Self::F64(cells) => {
                cells.as_slice_mut().into_iter().for_each(|cells| problem.clear_holes(0, cells));
            }
        }
        Cow::Owned(field)
    }

    /// Returns the hash of the field's size and of every bit of its cells.
    pub fn hash(&self) -> FieldHash {
        match self {
            Self::F32(cells) => hash(cells, |cell| cell.to_le_bytes()),
            Self::F64(cells) => hash(cells, |cell| cell.to_le_bytes()),
        }
    }
}

impl From<Array2<f32>> for Field {
    fn from(cells: Array2<f32>) -> Self {
        Self::F32(cells)
    }
}

impl From<Array2<f64>> for Field {
    fn from(cells: Array2<f64>) -> Self {
        Self::F64(cells)
    }
}

/// XXH3 of 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldHash(pub u128);

impl fmt::Display for FieldHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A hasher of a field whose cells arrive one after the other.
pub struct FieldHasher(XxHash3_128);

impl FieldHasher {
    /// Returns the hasher of a field of this size, before its first cell.
    pub fn new(rows: usize, columns: usize) -> Self {
        let mut hash = XxHash3_128::new();
        for length in [rows, columns] {
            hash.write(&(length as u64).to_le_bytes());
        }
        Self(hash)
    }

    /// Adds cells as little-endian bytes, row after row.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Returns the hash of all cells that were added.
    pub fn finish(self) -> FieldHash {
        FieldHash(self.0.finish_128())
    }
}

/// Hashes the cells row by row, with the bytes that `bytes` gives for each.
fn hash<F, const N: usize>(cells: &Array2<F>, bytes: impl Fn(&F) -> [u8; N]) -> FieldHash {
    let mut hash = FieldHasher::new(cells.nrows(), cells.ncols());
    cells.iter().for_each(|cell| hash.add(&bytes(cell)));
    hash.finish()
}

/// Returns the cells of all subdomains as one field; `with` is called for the subdomains in
/// ascending order of their numbers and shows each to its second argument.
pub fn assembled<F: Real>(
    decomposition: &Decomposition,
    mut with: impl FnMut(SubdomainId, &mut dyn FnMut(&Subdomain<'_, F>)),
) -> Array2<F> {
    let grid = decomposition.grid();
    let mut field = Array2::from_elem((grid.rows, grid.columns), F::ZERO);
    for id in decomposition.ids() {
        let part = decomposition.rectangle(id);
        with(id, &mut |subdomain| {
            for row in 0..part.size.rows {
                let cells = subdomain.layout().row(subdomain.cells(), row);
                let columns = part.first_column..part.first_column + part.size.columns;
                field
                    .slice_mut(ndarray::s![part.first_row + row, columns])
                    .iter_mut()
                    .zip(cells)
                    .for_each(|(place, cell)| *place = *cell);
            }
        });
    }
    field
}
