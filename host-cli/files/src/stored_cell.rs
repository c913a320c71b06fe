//! Cells as files have them: little-endian bytes that keep every bit.

use tresse_core::field::stencil::Real;
use tresse_core::run::Precision;

/// A cell's type that files can hold: `f32` or `f64`.
pub trait StoredCell: Real {
    /// Precision of this type.
    const PRECISION: Precision;

    /// Replaces the content of `bytes` by the cells.
    fn to_bytes(cells: &[Self], bytes: &mut Vec<u8>);

    /// Replaces the content of `cells`; bytes at the end that are no whole cell are ignored.
    fn from_bytes(bytes: &[u8], cells: &mut Vec<Self>);

    /// Returns the cells in the form that the writers of files take.
    fn view(cells: &[Self]) -> FieldCells<'_>;
}

/// Cells, row after row, in the precision of the run.
#[derive(Clone, Copy, Debug)]
pub enum FieldCells<'a> {
    /// 32-bit floats.
    F32(&'a [f32]),
    /// 64-bit floats.
    F64(&'a [f64]),
}

impl FieldCells<'_> {
    /// Returns the number of cells.
    pub const fn len(&self) -> usize {
        match self {
            Self::F32(cells) => cells.len(),
            Self::F64(cells) => cells.len(),
        }
    }

    /// Reports whether there are no cells.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> From<&'a [f32]> for FieldCells<'a> {
    fn from(cells: &'a [f32]) -> Self {
        Self::F32(cells)
    }
}

impl<'a> From<&'a [f64]> for FieldCells<'a> {
    fn from(cells: &'a [f64]) -> Self {
        Self::F64(cells)
    }
}

macro_rules! stored_cell {
    ($cell:ty, $variant:ident) => {
        impl StoredCell for $cell {
            const PRECISION: Precision = Precision::$variant;

            fn to_bytes(cells: &[Self], bytes: &mut Vec<u8>) {
                bytes.clear();
                bytes.resize(size_of_val(cells), 0);
                let (places, _) = bytes.as_chunks_mut();
                places.iter_mut().zip(cells).for_each(|(place, cell)| *place = cell.to_le_bytes());
            }

            fn from_bytes(bytes: &[u8], cells: &mut Vec<Self>) {
                cells.clear();
                let (places, _) = bytes.as_chunks();
                cells.extend(places.iter().map(|&place| Self::from_le_bytes(place)));
            }

            fn view(cells: &[Self]) -> FieldCells<'_> {
                FieldCells::$variant(cells)
            }
        }
    };
}

stored_cell!(f32, F32);
stored_cell!(f64, F64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_comes_back() {
        let bits = [0, 1, 0x7f80_0001, 0xffc0_1234, 0x8000_0000, 0x3f80_0000];
        let (mut bytes, mut back) = (vec![9], vec![7.0]);
        StoredCell::to_bytes(&bits.map(f32::from_bits), &mut bytes);
        assert_eq!(bytes, bits.map(u32::to_le_bytes).concat());
        bytes.push(1);
        f32::from_bytes(&bytes, &mut back);
        assert!(back.iter().map(|cell| cell.to_bits()).eq(bits));

        let bits = [1, 0x7ff0_0000_0000_0001, 0xfff8_0000_dead_beef];
        let mut back = Vec::new();
        StoredCell::to_bytes(&bits.map(f64::from_bits), &mut bytes);
        f64::from_bytes(&bytes, &mut back);
        assert!(back.iter().map(|cell| cell.to_bits()).eq(bits));
    }
}
