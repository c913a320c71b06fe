//! Reads arrays of numbers from `.npy` files; the header is checked before any memory is allocated for
//! the data.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use ndarray::{ArrayD, Dimension as _, IxDyn, ShapeBuilder as _};

use crate::escape;
use crate::npy::{self, Header};

/// The longest header that is read. `NumPy` pads those of plain arrays to 128 bytes; a longer one
/// holds field names.
const LONGEST_HEADER: usize = 1024;

/// An array file that cannot be used; the problem file, its key and the path are added outside.
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// The file cannot be opened or read.
    #[error("cannot be read ({0}): paths are relative to the problem file")]
    Unreadable(#[from] io::Error),
    /// The path is a directory, a pipe or a device.
    #[error("is not a regular file: name an .npy file")]
    NotAFile,
    /// The file has no header of the format.
    #[error("is not an .npy file ({0}): write it with numpy.save")]
    Header(String),
    /// The elements' type is not a plain number.
    #[error(
        "has elements of type {0}, expected float32, float64, int32 or int64: \
         convert it with array.astype('float32')"
    )]
    Element(String),
    /// The array has not as many dimensions or elements as there are cells.
    #[error("has shape {found:?}, expected {expected}: reshape or cut the array")]
    Shape {
        /// Shape in the header.
        found: Vec<usize>,
        /// Description of the shape that the grid needs.
        expected: String,
    },
    /// The header does not describe the bytes that follow it.
    #[error("holds {held} bytes of data, but its header claims {claimed}: write it again")]
    Length {
        /// Bytes after the header.
        held: u64,
        /// Bytes that shape and element type need.
        claimed: u128,
    },
    /// An element is NaN or infinite.
    #[error("has {value} at {index:?} (from 0): every element must be finite")]
    NotFinite {
        /// Value of the element.
        value: f64,
        /// Index of the element.
        index: Vec<usize>,
    },
    /// An element is zero or negative where it must not be.
    #[error("has {value} at {index:?} (from 0): every element must be above 0")]
    NotPositive {
        /// Value of the element.
        value: f64,
        /// Index of the element.
        index: Vec<usize>,
    },
}

/// A function that opens an array file, which is a regular file.
pub(super) type Open<'a, R> = dyn FnMut(&Path) -> Result<R, NpyError> + 'a;

/// The types that are read, of either order of bytes; each becomes an `f64`.
#[derive(Clone, Copy, Debug)]
enum Element {
    F4,
    F8,
    I4,
    I8,
}

/// An opened array file whose header describes exactly the bytes that it holds.
#[derive(Debug)]
pub(super) struct Npy<R> {
    file: R,
    /// Place of the first byte of the data.
    start: u64,
    header: Header,
    element: Element,
}

impl<R: Read + Seek> Npy<R> {
    /// Checks the header of a file that is at its start; the data are not read.
    pub fn open(mut file: R) -> Result<Self, NpyError> {
        let bytes = header_bytes(&mut file)?;
        let header = Header::parse(&bytes).map_err(|what| NpyError::Header(what.into()))?;
        let element = Element::of(&header)?;
        let claimed = header
            .shape
            .iter()
            .try_fold(element.bytes() as u128, |bytes, &side| bytes.checked_mul(side as u128))
            .unwrap_or(u128::MAX);
        let start = bytes.len() as u64;
        let held = file.seek(SeekFrom::End(0))?.saturating_sub(start);
        if u128::from(held) != claimed {
            return Err(NpyError::Length { held, claimed });
        }
        Ok(Self { file, start, header, element })
    }

    /// Returns the shape, in numpy's order.
    pub fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// Returns an error that names the shape that was expected.
    pub fn wrong_shape(&self, expected: String) -> NpyError {
        NpyError::Shape { found: self.header.shape.clone(), expected }
    }

    /// Reads the data, and refuses numbers that are not finite.
    pub fn read(mut self) -> Result<ArrayD<f64>, NpyError> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.start))?;
        self.file.read_to_end(&mut bytes)?;
        let is_big_endian = self.header.descr.starts_with('>');
        let values = self.element.values(&mut bytes, is_big_endian);
        let shape = IxDyn(&self.header.shape).set_f(self.header.is_fortran);
        let array = ArrayD::from_shape_vec(shape, values)
            .map_err(|_| NpyError::Header("it was changed while it was read".into()))?;
        match array.indexed_iter().find(|(_, value)| !value.is_finite()) {
            Some((index, &value)) => {
                Err(NpyError::NotFinite { value, index: index.slice().to_vec() })
            }
            None => Ok(array),
        }
    }
}

impl Element {
    fn of(header: &Header) -> Result<Self, NpyError> {
        match header.descr.as_str() {
            "<f4" | ">f4" => Ok(Self::F4),
            "<f8" | ">f8" => Ok(Self::F8),
            "<i4" | ">i4" => Ok(Self::I4),
            "<i8" | ">i8" => Ok(Self::I8),
            other => Err(NpyError::Element(one_line(&format!("'{other}'")))),
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Self::F4 | Self::I4 => 4,
            Self::F8 | Self::I8 => 8,
        }
    }

    /// Returns the numbers that these bytes stand for, after putting the bytes into little-endian order.
    fn values(self, bytes: &mut [u8], is_big_endian: bool) -> Vec<f64> {
        if is_big_endian {
            bytes.chunks_exact_mut(self.bytes()).for_each(<[u8]>::reverse);
        }
        let (fours, eights) = (bytes.as_chunks().0.iter(), bytes.as_chunks().0.iter());
        match self {
            Self::F4 => fours.map(|&four| f32::from_le_bytes(four).into()).collect(),
            Self::I4 => fours.map(|&four| i32::from_le_bytes(four).into()).collect(),
            Self::F8 => eights.map(|&eight| f64::from_le_bytes(eight)).collect(),
            Self::I8 => eights.map(|&eight| i64::from_le_bytes(eight) as f64).collect(),
        }
    }
}

/// Reads everything before the data: magic, version, length and dictionary.
fn header_bytes(file: &mut impl Read) -> Result<Vec<u8>, NpyError> {
    let mut bytes = Vec::new();
    file.take(LONGEST_HEADER as u64).read_to_end(&mut bytes)?;
    let length = npy::length(&bytes).ok_or_else(|| NpyError::Header("no numpy header".into()))?;
    if length > bytes.len() {
        return Err(NpyError::Header(format!("a header of {length} bytes")));
    }
    bytes.truncate(length);
    Ok(bytes)
}

fn one_line(text: &str) -> String {
    escape::one_line(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
