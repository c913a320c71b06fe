//! Arrays of numbers from `.npy` files: the header is judged before anything is allocated for it.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

use ndarray::{Array, ArrayD, Dimension as _, IxDyn};
use ndarray_npy::{ReadNpyError, ReadNpyExt, ReadableElement, npy::header::Header};

use crate::terminal;

/// The longest header that is read. `NumPy` pads those of plain arrays to 128 bytes; a longer one
/// holds field names or is meant to exhaust the parser.
const LONGEST_HEADER: usize = 1024;

/// An array file that cannot be used; the problem file, its key and the path are added outside.
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// The file cannot be opened or read.
    #[error("cannot be read ({0}): paths are relative to the problem file")]
    Unreadable(#[from] io::Error),
    /// A directory, a pipe or a device.
    #[error("is not a regular file: name an .npy file")]
    NotAFile,
    /// No header of the format.
    #[error("is not an .npy file ({0}): write it with numpy.save")]
    Header(String),
    /// An element type that is not a plain number.
    #[error(
        "has elements of type {0}, expected float32, float64, int32 or int64: \
         convert it with array.astype('float32')"
    )]
    Element(String),
    /// Not as many dimensions or elements as there are cells.
    #[error("has shape {found:?}, expected {expected}: reshape or cut the array")]
    Shape {
        /// What the header says.
        found: Vec<usize>,
        /// What the grid needs.
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
    /// NaN or infinite.
    #[error("has {value} at {index:?} (from 0): every element must be finite")]
    NotFinite {
        /// The element.
        value: f64,
        /// Where it stands.
        index: Vec<usize>,
    },
}

/// The types that are read; each becomes an `f64`.
#[derive(Clone, Copy, Debug)]
enum Element {
    F4,
    F8,
    I4,
    I8,
}

/// An opened array file whose header describes exactly the bytes that it holds.
#[derive(Debug)]
pub(super) struct Npy {
    file: File,
    element: Element,
    shape: Vec<usize>,
}

impl Npy {
    /// Opens a file and judges its header; the data stay unread.
    pub fn open(path: &Path) -> Result<Self, NpyError> {
        // Looked at before it is opened: opening a pipe would wait for its other end.
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(NpyError::NotAFile);
        }
        let mut file = File::open(path)?;
        let bytes = header_bytes(&mut file)?;
        let header = Header::from_reader(&mut bytes.as_slice())
            .map_err(|error| NpyError::Header(one_line(&error.to_string())))?;
        let element = Element::of(&header)?;
        let claimed = header
            .shape
            .iter()
            .try_fold(element.bytes(), |bytes, &side| bytes.checked_mul(side as u128))
            .unwrap_or(u128::MAX);
        let held = metadata.len().saturating_sub(bytes.len() as u64);
        if u128::from(held) != claimed {
            return Err(NpyError::Length { held, claimed });
        }
        Ok(Self { file, element, shape: header.shape })
    }

    /// The shape, in numpy's order.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// An error that names the shape that was expected.
    pub fn wrong_shape(&self, expected: String) -> NpyError {
        NpyError::Shape { found: self.shape.clone(), expected }
    }

    /// Reads the data; all of them are finite.
    pub fn read(mut self) -> Result<ArrayD<f64>, NpyError> {
        self.file.rewind()?;
        let reader = BufReader::new(self.file);
        let array = match self.element {
            Element::F4 => converted(reader, |value: f32| f64::from(value)),
            Element::F8 => converted(reader, |value: f64| value),
            Element::I4 => converted(reader, |value: i32| f64::from(value)),
            Element::I8 => converted(reader, |value: i64| value as f64),
        }?;
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
        let name = header.type_descriptor.to_string();
        match name.trim_matches('\'') {
            "<f4" | ">f4" => Ok(Self::F4),
            "<f8" | ">f8" => Ok(Self::F8),
            "<i4" | ">i4" => Ok(Self::I4),
            "<i8" | ">i8" => Ok(Self::I8),
            _ => Err(NpyError::Element(one_line(&name))),
        }
    }

    const fn bytes(self) -> u128 {
        match self {
            Self::F4 | Self::I4 => 4,
            Self::F8 | Self::I8 => 8,
        }
    }
}

/// Magic, version, length and dictionary: everything before the data.
fn header_bytes(file: &mut File) -> Result<Vec<u8>, NpyError> {
    let mut bytes = Vec::new();
    file.take(LONGEST_HEADER as u64).read_to_end(&mut bytes)?;
    let length = match bytes.as_slice() {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, low, high, ..] => {
            10 + usize::from(u16::from_le_bytes([*low, *high]))
        }
        [0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, _, a, b, c, d, ..] => {
            12_usize.saturating_add(u32::from_le_bytes([*a, *b, *c, *d]) as usize)
        }
        _ => return Err(NpyError::Header("no numpy header".into())),
    };
    if length > bytes.len() {
        return Err(NpyError::Header(format!("a header of {length} bytes")));
    }
    bytes.truncate(length);
    // A plain array has one dictionary with one tuple in it. The time that the parser takes grows
    // exponentially with the depth of brackets. The longest prefix before it has 12 bytes.
    if bytes.iter().skip(12).filter(|byte| b"([{".contains(byte)).count() > 2 {
        return Err(NpyError::Header("its header is of compound elements, or damaged".into()));
    }
    Ok(bytes)
}

fn converted<T: ReadableElement + Copy>(
    reader: impl Read,
    convert: impl Fn(T) -> f64,
) -> Result<ArrayD<f64>, NpyError> {
    match Array::<T, IxDyn>::read_npy(reader) {
        Ok(array) => Ok(array.map(|element| convert(*element))),
        Err(ReadNpyError::Io(error)) => Err(NpyError::Unreadable(error)),
        Err(error) => Err(NpyError::Header(one_line(&error.to_string()))),
    }
}

fn one_line(text: &str) -> String {
    terminal::one_line(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
