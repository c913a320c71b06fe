//! The head of `NumPy`'s array files, of plain arrays of numbers: versions 1 to 3 are read, version
//! 1 is written.

use std::str::Chars;

/// A file's first bytes.
const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Heads of version 1 are padded to a multiple of this.
const ALIGNMENT: usize = 64;

/// The header of an array file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The elements' type as `NumPy` names it, such as `<f8`.
    pub descr: String,
    /// Whether the first index runs fastest.
    pub is_fortran: bool,
    /// The array's length in each dimension.
    pub shape: Vec<usize>,
}

/// Returns the length of a header, including magic, version and length field, or `None` where the
/// bytes are of another format.
pub fn length(start: &[u8]) -> Option<usize> {
    match start.strip_prefix(MAGIC)? {
        [1, _, low, high, ..] => Some(10 + usize::from(u16::from_le_bytes([*low, *high]))),
        [2 | 3, _, a, b, c, d, ..] => {
            Some(12_usize.saturating_add(u32::from_le_bytes([*a, *b, *c, *d]) as usize))
        }
        _ => None,
    }
}

impl Header {
    /// Returns the header of an array whose last index runs fastest.
    pub fn new(descr: &str, shape: &[usize]) -> Self {
        Self { descr: descr.into(), is_fortran: false, shape: shape.into() }
    }

    /// Parses a whole header, whose length [`length`] has returned; an error says what is wrong.
    pub fn parse(head: &[u8]) -> Result<Self, &'static str> {
        let start = if head.get(MAGIC.len()) == Some(&1) { 10 } else { 12 };
        let text = head.get(start..).and_then(|text| std::str::from_utf8(text).ok());
        let text = text.ok_or("its header is no text")?;
        Dictionary(text.chars()).read().ok_or("its header is of compound elements, or damaged")
    }

    /// Returns the header in version 1, or `None` where it is too long for that, with some
    /// thousands of dimensions.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let order = if self.is_fortran { "True" } else { "False" };
        let lengths: Vec<_> = self.shape.iter().map(usize::to_string).collect();
        let shape = match &lengths[..] {
            [only] => format!("{only},"),
            all => all.join(", "),
        };
        let text = format!(
            "{{'descr': '{}', 'fortran_order': {order}, 'shape': ({shape}), }}",
            self.descr
        );
        let unpadded = 10 + text.len() + 1;
        let padding = unpadded.next_multiple_of(ALIGNMENT) - unpadded;
        let length = u16::try_from(text.len() + padding + 1).ok()?;
        let mut head = [&MAGIC[..], &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat();
        head.resize(head.len() + padding, b' ');
        head.push(b'\n');
        Some(head)
    }
}

/// A dictionary as Python writes it, with the three keys of a head.
struct Dictionary<'a>(Chars<'a>);

impl Dictionary<'_> {
    /// Parses the dictionary of the header, a literal of Python; `None` where it is another one.
    fn read(mut self) -> Option<Header> {
        let (mut descr, mut is_fortran, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.consume('}') {
            let key = self.quoted()?;
            self.expect(':')?;
            match key.as_str() {
                "descr" => descr = Some(self.quoted()?),
                "fortran_order" => is_fortran = Some(self.boolean()?),
                "shape" => shape = Some(self.tuple()?),
                _ => return None,
            }
            if !self.consume(',') {
                self.expect('}')?;
                break;
            }
        }
        let is_over = self.0.as_str().trim().is_empty();
        let header = Header { descr: descr?, is_fortran: is_fortran?, shape: shape? };
        is_over.then_some(header)
    }

    /// Skips space and then a character, and reports whether the character was there.
    fn consume(&mut self, expected: char) -> bool {
        self.0 = self.0.as_str().trim_start().chars();
        let rest = self.0.as_str().strip_prefix(expected).map(str::chars);
        rest.map(|rest| self.0 = rest).is_some()
    }

    /// Skips space and then a character, which must be there.
    fn expect(&mut self, expected: char) -> Option<()> {
        self.consume(expected).then_some(())
    }

    /// Parses a text in single or double quotes, without escapes.
    fn quoted(&mut self) -> Option<String> {
        let quote = if self.consume('\'') { '\'' } else { '"' };
        if quote == '"' {
            self.expect('"')?;
        }
        let (text, rest) = self.0.as_str().split_once(quote)?;
        self.0 = rest.chars();
        Some(text.into())
    }

    /// Returns the letters and digits that come next.
    fn word(&mut self) -> &str {
        let rest = self.0.as_str().trim_start();
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.0 = rest.chars();
        word
    }

    /// Parses Python's `True` or `False`.
    fn boolean(&mut self) -> Option<bool> {
        match self.word() {
            "True" => Some(true),
            "False" => Some(false),
            _ => None,
        }
    }

    /// Parses a tuple of whole numbers, with or without a comma at its end.
    fn tuple(&mut self) -> Option<Vec<usize>> {
        let mut numbers = Vec::new();
        self.expect('(')?;
        while !self.consume(')') {
            // Python 2 marks long numbers.
            numbers.push(self.word().trim_end_matches('L').parse().ok()?);
            if !self.consume(',') {
                self.expect(')')?;
                break;
            }
        }
        Some(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Header, &'static str> {
        let length = u16::try_from(text.len()).unwrap();
        let head = [&MAGIC[..], &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat();
        assert_eq!(super::length(&head), Some(head.len()));
        Header::parse(&head)
    }

    #[test]
    fn heads_as_numpy_writes_them() {
        for (shape, text) in [
            (&[][..], "()"),
            (&[7], "(7,)"),
            (&[2, 3], "(2, 3)"),
            (&[usize::MAX, 0, 5], "(18446744073709551615, 0, 5)"),
        ] {
            let header = Header::new("<f8", shape);
            let bytes = header.to_bytes().unwrap();
            let expected = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {text}, }}");
            assert_eq!(std::str::from_utf8(&bytes[10..]).unwrap().trim_end(), expected);
            assert!(bytes.len().is_multiple_of(64) && bytes.ends_with(b"\n"));
            assert_eq!(length(&bytes), Some(bytes.len()));
            assert_eq!(Header::parse(&bytes), Ok(header));
        }
        assert_eq!(Header::new("<f8", &[1].repeat(40_000)).to_bytes(), None);
    }

    #[test]
    fn keys_in_any_order_and_style() {
        let expected = Header { descr: ">i4".into(), is_fortran: true, shape: vec![4, 5] };
        for text in [
            "{'descr': '>i4', 'fortran_order': True, 'shape': (4, 5), }\n",
            "{\"shape\":(4,5),\"fortran_order\":True,\"descr\":\">i4\"}",
            " { 'shape' : ( 4L , 5L , ) , 'descr' : '>i4' , 'fortran_order' : True } ",
        ] {
            assert_eq!(parsed(text).as_ref(), Ok(&expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_plain_array_is_refused() {
        for text in [
            "",
            "{}",
            "{'descr': '<f8', 'fortran_order': False}",
            "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551616,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} more",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
            "{'descr': '<f8",
        ] {
            assert!(parsed(text).is_err(), "{text}");
        }
        for start in
            [&b""[..], b"\x93NUMPX\x01\0\x10\0", b"\x93NUMPY\x04\0\0\0", b"\x93NUMPY\x01\0\0"]
        {
            assert_eq!(length(start), None);
        }
    }
}
