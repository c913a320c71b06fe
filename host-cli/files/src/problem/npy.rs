//! Reads arrays of numbers from `.npy` files; the header is checked before any memory is allocated
//! for the data.

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
        "has elements of type {0}, expected bool, integers or floats of at most 64 bits: \
         convert it with array.astype('float64')"
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

/// The type of the elements: `NumPy`'s kind, size and order of bytes. Each becomes an `f64`.
#[derive(Clone, Copy, Debug)]
struct Element {
    kind: Kind,
    bytes: usize,
    is_big_endian: bool,
}

/// The kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
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
            .try_fold(element.bytes as u128, |bytes, &side| bytes.checked_mul(side as u128))
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

    /// Reads the data, and refuses numbers that are not finite. Returns the number of those that
    /// were rounded, too.
    pub fn read(self) -> Result<(ArrayD<f64>, usize), NpyError> {
        let (array, rounded) = self.read_any()?;
        check_finite(&array)?;
        Ok((array, rounded))
    }

    /// Reads the data, also what is no finite number. Returns the number of those that were
    /// rounded, too.
    pub fn read_any(mut self) -> Result<(ArrayD<f64>, usize), NpyError> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.start))?;
        self.file.read_to_end(&mut bytes)?;
        let (values, rounded) = self.element.values(&mut bytes);
        let shape = IxDyn(&self.header.shape).set_f(self.header.is_fortran);
        let array = ArrayD::from_shape_vec(shape, values)
            .map_err(|_| NpyError::Header("it was changed while it was read".into()))?;
        Ok((array, rounded))
    }
}

/// Refuses numbers that are not finite.
pub fn check_finite(array: &ArrayD<f64>) -> Result<(), NpyError> {
    array.indexed_iter().find(|(_, value)| !value.is_finite()).map_or(Ok(()), |(index, &value)| {
        Err(NpyError::NotFinite { value, index: index.slice().to_vec() })
    })
}

impl Element {
    /// Reads the type of the elements, such as `<f8`: byte order, kind and number of bytes.
    fn of(header: &Header) -> Result<Self, NpyError> {
        let descr = header.descr.as_str();
        let wrong = || NpyError::Element(one_line(&format!("'{descr}'")));
        let kind = descr.get(1..).ok_or_else(wrong)?;
        let (kind, bytes) = match kind {
            "b1" => (Kind::Bool, 1),
            "i1" => (Kind::Signed, 1),
            "i2" => (Kind::Signed, 2),
            "i4" => (Kind::Signed, 4),
            "i8" => (Kind::Signed, 8),
            "u1" => (Kind::Unsigned, 1),
            "u2" => (Kind::Unsigned, 2),
            "u4" => (Kind::Unsigned, 4),
            "u8" => (Kind::Unsigned, 8),
            "f2" => (Kind::Float, 2),
            "f4" => (Kind::Float, 4),
            "f8" => (Kind::Float, 8),
            _ => return Err(wrong()),
        };
        match descr.get(..1) {
            Some("<") => Ok(Self { kind, bytes, is_big_endian: false }),
            Some(">") => Ok(Self { kind, bytes, is_big_endian: true }),
            // A byte has no order.
            Some("|") if bytes == 1 => Ok(Self { kind, bytes, is_big_endian: false }),
            _ => Err(wrong()),
        }
    }

    /// Returns the numbers that these bytes stand for, after putting the bytes into little-endian
    /// order, and how many of them were rounded.
    fn values(self, bytes: &mut [u8]) -> (Vec<f64>, usize) {
        if self.is_big_endian {
            bytes.chunks_exact_mut(self.bytes).for_each(<[u8]>::reverse);
        }
        let mut rounded = 0;
        let value = |bytes: &[u8]| {
            let (value, is_rounded) = self.value(bytes);
            rounded += usize::from(is_rounded);
            value
        };
        (bytes.chunks_exact(self.bytes).map(value).collect(), rounded)
    }

    /// Returns the number that these bytes stand for, and whether it had to be rounded.
    fn value(self, bytes: &[u8]) -> (f64, bool) {
        let mut word = [0; 8];
        word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        let bits = u64::from_le_bytes(word);
        let [a, b, c, d, ..] = word;
        match (self.kind, self.bytes) {
            (Kind::Bool, _) => (f64::from(u8::from(bits != 0)), false),
            (Kind::Unsigned, _) => whole(i128::from(bits)),
            (Kind::Signed, _) => {
                let above = u64::BITS - 8 * u32::try_from(self.bytes).unwrap_or(8);
                whole(i128::from((bits << above).cast_signed() >> above))
            }
            (Kind::Float, 2) => (half(u16::from_le_bytes([a, b])), false),
            (Kind::Float, 4) => (f32::from_le_bytes([a, b, c, d]).into(), false),
            (Kind::Float, _) => (f64::from_bits(bits), false),
        }
    }
}

/// Returns the float nearest to a whole number, and whether it had to be rounded.
fn whole(number: i128) -> (f64, bool) {
    let nearest = number as f64;
    #[expect(clippy::cast_possible_truncation, reason = "numbers of 64 bits fit")]
    let back = nearest as i128;
    (nearest, back != number)
}

/// Returns the value of a float of 16 bits (IEEE 754).
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 0 { magnitude } else { -magnitude }
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

/// Returns a text on one line, without what a terminal would obey.
fn one_line(text: &str) -> String {
    escape::one_line(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_those_of_ieee_754() {
        // The table of examples in IEEE 754's article on binary16.
        for (bits, value) in [
            (0, 0.0),
            (1, 2_f64.powi(-24)),
            (0x03ff, 6.097_555_160_522_461e-5),
            (0x0400, 2_f64.powi(-14)),
            (0x3555, 0.333_251_953_125),
            (0x3c00, 1.0),
            (0x3c01, 1.000_976_562_5),
            (0x7bff, 65_504.0),
            (0xc000, -2.0),
            (0x7c00, f64::INFINITY),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(half(bits).to_bits(), value.to_bits(), "{bits:#x}");
        }
        assert!(half(0x7c01).is_nan() && half(0x8000).is_sign_negative());
    }

    #[test]
    fn numbers_of_every_kind_become_floats() {
        let of = |descr: &str, bytes: &[u8]| {
            let element = Element::of(&Header::new(descr, &[1]))?;
            Ok::<_, NpyError>(element.values(&mut bytes.to_vec()))
        };
        for (descr, bytes, value) in [
            ("|b1", &[1][..], 1.0),
            ("|i1", &[0x80], -128.0),
            ("|u1", &[0x80], 128.0),
            ("<i2", &[0xff, 0xff], -1.0),
            (">u2", &[0x01, 0x02], 258.0),
            ("<u4", &[0xff, 0xff, 0xff, 0xff], 4_294_967_295.0),
            (">i4", &[0xff, 0xff, 0xff, 0xfe], -2.0),
            ("<i8", &[0, 0, 0, 0, 0, 0, 0x20, 0], 2_f64.powi(53)),
            (">f2", &[0x3c, 0x00], 1.0),
            ("<f4", &[0, 0, 0x80, 0xbf], -1.0),
            (">f8", &[0x3f, 0xf0, 0, 0, 0, 0, 0, 0], 1.0),
        ] {
            assert_eq!(of(descr, bytes).unwrap(), (vec![value], 0), "{descr}");
        }
        for (descr, bytes) in [
            ("<u8", [0xff; 8]),
            ("<i8", [1, 0, 0, 0, 0, 0, 0x20, 0]),
            (">i8", [0x80, 0, 0, 0, 0, 0, 0, 1]),
        ] {
            assert_eq!(of(descr, &bytes).unwrap().1, 1, "{descr}");
        }
        for descr in ["", "<", "|f4", "=f8", "<f16", "<c8", "<U4", "|O", "é8", "<M8[ns]", "|V4"] {
            let said = of(descr, &[0; 16]).unwrap_err().to_string();
            assert!(said.contains("astype") && said.contains(descr), "{said}");
        }
    }
}
