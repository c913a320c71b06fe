//! The head and the end of a recording.
//!
//! Text and small numbers are JSON; arrays follow as they are, see [`Head::arrays`].

mod form;

use std::io;

use serde::{Deserialize, Serialize};
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::field::problem::{CellSize, CellValues, Problem, Profile};
use tresse_core::node::owned::bytes_needed;
use tresse_core::run::noise::Noise;
use tresse_core::run::{self, MAX_WORKERS, RunConfig};

use self::form::{HeadForm, SourceForm};
use super::error::RecordingError;
use super::format::{FrameWriter, Kind, NUMBERS};
use crate::field::FieldHash;
use crate::field_name::{About, FieldName};

/// The head: configuration, problem and tracks of a recorded run.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The version of the program that wrote the recording.
    pub program: String,
    /// The effective configuration; valid.
    pub config: RunConfig,
    /// The problem, on the configuration's grid.
    pub problem: Problem,
    /// The name of the field and the size of its cells.
    pub about: About,
    /// The cores of the workers, by their numbers; a worker's track has its number.
    pub cores: Vec<u32>,
    /// The parasites, whose tracks follow those of the workers.
    pub noise: Vec<Source>,
}

/// A source of noise, and its core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Noise that was asked for.
    pub noise: Noise,
    /// Number that the operating system gives to the core.
    pub core: u32,
}

/// The end of a recorded run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Number of events of all tracks.
    pub events: u64,
    /// Number of these events that are sweeps.
    pub sweeps: u64,
    /// Hash of the field.
    pub field: FieldHash,
    /// Reason for which the run ended; `None` in a part of a recording and in recordings of older
    /// programs.
    pub why: Option<run::End>,
}

impl End {
    /// Returns the JSON of a frame of [`Kind::End`].
    pub fn to_json(self) -> serde_json::Result<Vec<u8>> {
        let Self { events, sweeps, field, why } = self;
        serde_json::to_vec(&EndForm { events, sweeps, field: field.to_string(), end: why })
    }

    /// Reads the JSON of a frame of [`Kind::End`].
    pub fn from_json(json: &[u8]) -> Result<Self, RecordingError> {
        let form: EndForm = serde_json::from_slice(json)
            .map_err(|error| RecordingError::nonsense(format!("its end: {error}")))?;
        let field = u128::from_str_radix(&form.field, 16);
        let field = field.map_err(|_| RecordingError::nonsense("its end: the hash"))?;
        let EndForm { events, sweeps, end: why, .. } = form;
        Ok(Self { events, sweeps, field: FieldHash(field), why })
    }
}

impl Head {
    /// Returns the head of a run that is about to begin, with the cores of all workers and
    /// parasites. The field has no name of its own, and cells of width 1.
    pub fn new(config: &RunConfig, problem: &Problem, cores: Vec<u32>, noise: Vec<Source>) -> Self {
        let cell = CellSize { height: problem.cell_ratio, width: 1.0 };
        Self {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            config: config.clone(),
            problem: problem.clone(),
            about: About { name: FieldName::default(), cell },
            cores,
            noise,
        }
    }

    /// Returns the number of tracks: one for each worker and each parasite.
    pub fn tracks(&self) -> usize {
        self.cores.len() + self.noise.len()
    }

    /// Returns the JSON of a frame of [`Kind::Head`]; the arrays are not in it.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&HeadForm::of(self))
    }

    /// Returns the arrays of the problem in the order in which they follow the head: the sides by
    /// [`Side::index`], the initial cells, the source, the coefficient; values that are no array
    /// are left out.
    pub fn arrays(&self) -> impl Iterator<Item = &[f64]> {
        let Problem { boundary, initial, source, coefficient, .. } = &self.problem;
        let sides = Side::ALL.into_iter().filter_map(|side| match boundary.profile(side) {
            Profile::Values(values) => Some(values.as_slice()),
            Profile::Constant(_) | Profile::Gaussian { .. } => None,
        });
        let cells = [initial, source, coefficient].into_iter().filter_map(|cells| match cells {
            CellValues::Values { values, .. } => Some(values.as_slice()),
            CellValues::Constant(_) => None,
        });
        sides.chain(cells)
    }

    /// Writes the head and its arrays.
    pub fn write(&self, frames: &mut FrameWriter<'_>) -> io::Result<()> {
        frames.write(Kind::Head, 0, &self.to_json()?)?;
        for array in self.arrays() {
            for numbers in array.chunks(NUMBERS) {
                let bytes: Vec<u8> =
                    numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
                frames.write(Kind::Array, 0, &bytes)?;
            }
        }
        Ok(())
    }

    /// Reads the JSON of a head, and then the arrays by `read`, which is called with their lengths;
    /// a head that needs more than `available` bytes of memory is refused before an array is read.
    pub(super) fn from_json(
        json: &[u8],
        available: u64,
        read: &mut dyn FnMut(usize) -> Result<Vec<f64>, RecordingError>,
    ) -> Result<Self, RecordingError> {
        let form: HeadForm = serde_json::from_slice(json)
            .map_err(|error| RecordingError::nonsense(format!("its head: {error}")))?;
        let config = form.config.read().ok_or_else(|| RecordingError::nonsense("its method"))?;
        config.validate()?;
        let decomposition = Decomposition::new(&config)?;
        let workers = config.workers;
        if workers > MAX_WORKERS {
            return Err(RecordingError::nonsense(format!("{workers} workers, {}", config.mode)));
        }
        if form.cores.len() != workers as usize {
            return Err(RecordingError::nonsense("workers without a core"));
        }
        // Whoever won made the sweep that is replayed: it takes no copies.
        let alone = RunConfig { help: false, ..config.clone() };
        let needed = bytes_needed(&alone, &decomposition, form.problem.terms())
            .saturating_add(config.grid.cells().saturating_mul(3 * size_of::<f64>() as u64));
        if needed > available {
            return Err(RecordingError::Memory { needed, available });
        }
        let noise = form.noise.iter().map(SourceForm::read).collect::<Option<_>>();
        let about = form.about()?;
        Ok(Self {
            program: form.program,
            problem: form.problem.read(config.grid, read)?,
            about,
            config,
            cores: form.cores,
            noise: noise.ok_or_else(|| RecordingError::nonsense("its noise"))?,
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndForm {
    events: u64,
    sweeps: u64,
    /// The field's hash in hexadecimal digits.
    field: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<run::End>,
}
