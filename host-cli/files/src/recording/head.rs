//! What a recording begins and ends with.
//!
//! Text and small numbers are JSON; arrays follow as they are, see [`Head::arrays`].

mod form;

use std::io;

use serde::{Deserialize, Serialize};
use tresse_core::grid::{Decomposition, Side};
use tresse_core::noise::Noise;
use tresse_core::owned::bytes_needed;
use tresse_core::problem::{CellValues, Problem, Profile};
use tresse_core::run::{self, MAX_WORKERS, RunConfig};

use self::form::{HeadForm, SourceForm};
use super::error::RecordingError;
use super::format::{FrameWriter, Kind, NUMBERS};
use crate::field::FieldHash;

/// What was solved, how, and on what tracks it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The version of the program that wrote the recording.
    pub program: String,
    /// The effective configuration; valid.
    pub config: RunConfig,
    /// The problem, on the configuration's grid.
    pub problem: Problem,
    /// The cores of the workers, by their numbers; a worker's track has its number.
    pub cores: Vec<u32>,
    /// The parasites, whose tracks follow those of the workers.
    pub noise: Vec<Source>,
}

/// A parasite and its core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// What it was asked to do.
    pub noise: Noise,
    /// The core, by the operating system's number.
    pub core: u32,
}

/// How a recording ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Events of all tracks.
    pub events: u64,
    /// How many of these are sweeps.
    pub sweeps: u64,
    /// The hash of the field.
    pub field: FieldHash,
    /// Why the run ended; not of a part, nor of what older programs have recorded.
    pub why: Option<run::End>,
}

impl End {
    /// As [`Kind::End`] holds it.
    pub fn to_json(self) -> serde_json::Result<Vec<u8>> {
        let Self { events, sweeps, field, why } = self;
        serde_json::to_vec(&EndForm { events, sweeps, field: field.to_string(), end: why })
    }

    /// Reads that.
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
    /// The head for a run that is about to begin, with the cores of all workers and parasites.
    pub fn new(config: &RunConfig, problem: &Problem, cores: Vec<u32>, noise: Vec<Source>) -> Self {
        Self {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            config: config.clone(),
            problem: problem.clone(),
            cores,
            noise,
        }
    }

    /// Workers and parasites.
    pub fn tracks(&self) -> usize {
        self.cores.len() + self.noise.len()
    }

    /// As [`Kind::Head`] holds it; the arrays are besides.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&HeadForm::of(self))
    }

    /// The arrays of the problem in the order in which they follow the head: the sides by
    /// [`Side::index`], the initial cells, the source, each where it is one.
    pub fn arrays(&self) -> impl Iterator<Item = &[f64]> {
        let Problem { boundary, initial, source, .. } = &self.problem;
        let sides = Side::ALL.into_iter().filter_map(|side| match boundary.profile(side) {
            Profile::Values(values) => Some(values.as_slice()),
            Profile::Constant(_) | Profile::Gaussian { .. } => None,
        });
        let cells = [initial, source].into_iter().filter_map(|cells| match cells {
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

    /// Reads JSON, and then the arrays with `read`, which is given their lengths; refuses what would
    /// need more than `available` bytes of memory before anything is read.
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
        let needed = bytes_needed(&config, &decomposition, true)
            .saturating_add(config.grid.cells().saturating_mul(2 * size_of::<f64>() as u64));
        if needed > available {
            return Err(RecordingError::Memory { needed, available });
        }
        let noise = form.noise.iter().map(SourceForm::read).collect::<Option<_>>();
        Ok(Self {
            program: form.program,
            problem: form.problem.read(config.grid, read)?,
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
    /// In hexadecimal digits.
    field: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<run::End>,
}
