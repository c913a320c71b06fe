//! Writing a load trace: a file a rank.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};

use super::comma::{self, Inexpressible};
use super::load_trace::{LoadTrace, Part, Phase};
use super::text::Fields;

/// The forms in which the files of a load trace are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// JSON without compression.
    #[default]
    Plain,
    /// JSON, compressed with brotli.
    Brotli,
    /// The older comma-separated lines: numbers, times, and bytes between objects.
    Comma,
}

/// Quality of the compression, from 0 to 11; higher qualities take far more time for files that are
/// hardly smaller.
const QUALITY: u32 = 2;
/// Logarithm of how far back a repetition is seen: as far as brotli's readers allow.
const WINDOW: u32 = 22;

impl Encoding {
    /// Returns the ending of a file's name.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Plain => "json",
            Self::Brotli => "json.br",
            Self::Comma => "vom",
        }
    }
}

impl LoadTrace {
    /// Checks that an encoding can hold the load trace.
    pub fn check(&self, encoding: Encoding) -> Result<(), Inexpressible> {
        if encoding == Encoding::Comma { comma::check(self) } else { Ok(()) }
    }

    /// Writes the file of one rank.
    pub fn write_rank(
        &self,
        rank: usize,
        encoding: Encoding,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        let Some(head) = self.heads.get(rank) else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the trace has no such rank"));
        };
        let file = RankText { head, phases: &self.phases, rank };
        match encoding {
            Encoding::Comma => comma::write(self, rank, to),
            Encoding::Plain => {
                serde_json::to_writer(&mut *to, &file)?;
                to.write_all(b"\n")
            }
            Encoding::Brotli => {
                // As a whole: the compressor is slow with many small pieces.
                let text = serde_json::to_vec(&file)?;
                let mut compressor = brotli::CompressorWriter::new(to, 1 << 16, QUALITY, WINDOW);
                compressor.write_all(&text)?;
                compressor.flush()
            }
        }
    }

    /// Returns the load trace with another stem.
    pub fn renamed(self, stem: &str) -> Self {
        Self { stem: stem.to_owned(), ..self }
    }

    /// Returns the name of the file of one rank, `<stem>.<rank>.<ending>`.
    pub fn name(&self, rank: usize, encoding: Encoding) -> String {
        format!("{}.{rank}.{}", self.stem, encoding.ending())
    }

    /// Returns the files of all ranks.
    pub fn names(&self, encoding: Encoding) -> BTreeSet<String> {
        (0..self.ranks()).map(|rank| self.name(rank, encoding)).collect()
    }
}

/// The text of one rank's file.
struct RankText<'a> {
    head: &'a Fields,
    phases: &'a [Phase],
    rank: usize,
}

struct PhasesText<'a>(&'a [Phase], usize);

struct PhaseText<'a>(u64, &'a Part);

impl Serialize for RankText<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        self.head.serialize_into(&mut map)?;
        map.serialize_entry("phases", &PhasesText(self.phases, self.rank))?;
        map.end()
    }
}

impl Serialize for PhasesText<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(Some(self.0.len()))?;
        for phase in self.0 {
            if let Some(part) = phase.parts.get(self.1) {
                list.serialize_element(&PhaseText(phase.id, part))?;
            }
        }
        list.end()
    }
}

impl Serialize for PhaseText<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self(id, part) = self;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("id", id)?;
        map.serialize_entry("tasks", &part.tasks)?;
        // Also where there are none: vt's check of its links looks for the list.
        map.serialize_entry("communications", &part.communications)?;
        part.extras.serialize_into(&mut map)?;
        map.end()
    }
}
