//! The manifest of a checkpoint: two lines of JSON, the second of which is a checksum of the first.

use serde::{Deserialize, Serialize};
use tresse_core::base::time::Duration;
use tresse_core::run::progress::Progress;
use tresse_core::run::{GridSize, Precision, RunConfig};
use tresse_files::config_form::ConfigForm;
use twox_hash::XxHash3_64;

use super::error::Fault;
use super::hex;
use super::multigrid_state::{MultigridForm, MultigridState};
use super::piece::{PieceSummary, RAGGED, VERSION};
use super::problem_hash::ProblemHash;
use crate::solvers::Method;

/// Name of the manifest's file in the folder of a checkpoint.
pub(super) const NAME: &str = "manifest.jsonl";
/// Length of the longest manifest that is read, in bytes; that of a million ranks is shorter.
pub(super) const LONGEST: u64 = 128 << 20;

/// The configuration and the state of a run, without its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckpointState {
    /// The effective configuration.
    pub config: RunConfig,
    /// The problem.
    pub problem: ProblemHash,
    /// Sum of squares of the initial field's residual, to which all later residuals are relative.
    pub initial_residual: f64,
    /// Time for which the run has computed, resumed runs included.
    pub elapsed: Duration,
    /// What multigrid goes on from besides; none where the method is Jacobi iteration.
    pub multigrid: Option<MultigridState>,
}

impl CheckpointState {
    /// Returns the method of the run.
    pub fn method(&self) -> Method {
        self.multigrid.map_or(Method::Jacobi, |state| Method::Multigrid(state.choices))
    }

    /// Returns the size of what the pieces hold together, and the type of its numbers: that of the
    /// grid and its cells, with two exceptions.
    ///
    /// Multigrid by conjugate gradients goes on from two fields in double precision, solution and
    /// direction, and the rows of the latter follow those of the former. Parts of one's own are a
    /// row each, of any length.
    pub fn stored(&self) -> (GridSize, Precision) {
        let RunConfig { grid, precision, .. } = self.config;
        if self.problem.is_of_graph() {
            let rows = usize::try_from(self.config.subdomains()).unwrap_or(usize::MAX);
            (GridSize { rows, columns: RAGGED }, Precision::F64)
        } else if self.multigrid.is_some() && self.problem.has_weights() {
            (GridSize { rows: grid.rows.saturating_mul(2), ..grid }, Precision::F64)
        } else {
            (grid, precision)
        }
    }
}

/// The contents of a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Number in the checkpoint's name.
    pub number: u64,
    /// Version of the program that wrote the checkpoint.
    pub program: String,
    /// Configuration and state of the run.
    pub state: CheckpointState,
    /// Number of updates of all subdomains.
    pub updates: u64,
    /// Number of subdomains in all pieces.
    pub subdomains: u64,
    /// The pieces, by rank from 0.
    pub pieces: Vec<PieceSummary>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestForm {
    format: u32,
    program: String,
    checkpoint: u64,
    config: ConfigForm,
    problem: ProblemHash,
    /// The bits of a double.
    #[serde(with = "hex")]
    initial_residual: u64,
    elapsed_nanoseconds: u64,
    /// None where the method is Jacobi iteration, as in checkpoints of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    multigrid: Option<MultigridForm>,
    updates: u64,
    subdomains: u64,
    pieces: Vec<PieceForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PieceForm {
    length: u64,
    #[serde(with = "hex")]
    xxh3: u64,
}

/// The fields that manifests of every format have.
#[derive(Deserialize)]
struct FormatForm {
    format: u32,
}

impl Manifest {
    /// Returns the number of iterations so far: the mean update count.
    pub fn iterations(&self) -> f64 {
        let (updates, subdomains) = (self.updates, self.subdomains);
        Progress { least: 0, most: 0, updates, subdomains }.mean()
    }

    /// Writes the manifest as a line of JSON, and the line with its checksum.
    pub(super) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let Self { number, program, state, updates, subdomains, pieces } = self;
        let piece = |piece: &PieceSummary| PieceForm { length: piece.length, xxh3: piece.checksum };
        let mut bytes = serde_json::to_vec(&ManifestForm {
            format: VERSION,
            program: program.clone(),
            checkpoint: *number,
            config: ConfigForm::of(&state.config),
            problem: state.problem,
            initial_residual: state.initial_residual.to_bits(),
            elapsed_nanoseconds: state.elapsed.0,
            multigrid: state.multigrid.as_ref().map(MultigridForm::of),
            updates: *updates,
            subdomains: *subdomains,
            pieces: pieces.iter().map(piece).collect(),
        })?;
        bytes.push(b'\n');
        let last = last_line(&bytes);
        bytes.extend(last.into_bytes());
        Ok(bytes)
    }

    /// Reads and checks a manifest. A fault says whether it is foreign, cut off, damaged or of
    /// another format.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, Fault> {
        let length = bytes.len() as u64;
        if bytes.first().is_some_and(|&first| first != b'{') {
            return Err(Fault::Foreign);
        }
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or(Fault::CutOff(length))?;
        let (line, last) = bytes.split_at_checked(end + 1).unwrap_or((bytes, &[]));
        let expected = last_line(line);
        if last != expected.as_bytes() {
            let is_cut_off = expected.as_bytes().starts_with(last);
            return Err(if is_cut_off {
                Fault::CutOff(length)
            } else {
                Fault::Damaged(end as u64)
            });
        }
        let nonsense = |error: serde_json::Error| Fault::nonsense(&error.to_string());
        match serde_json::from_slice(line).map_err(nonsense)? {
            FormatForm { format: VERSION } => {}
            FormatForm { format: found } => return Err(Fault::Format { found }),
        }
        let form: ManifestForm = serde_json::from_slice(line).map_err(nonsense)?;
        let config = form.config.read().ok_or_else(|| Fault::nonsense("its method"))?;
        config.validate().map_err(|error| Fault::nonsense(&error.to_string()))?;
        let multigrid = form
            .multigrid
            .map(|form| form.read().ok_or_else(|| Fault::nonsense("its choices about multigrid")));
        let piece = |(rank, piece): (u32, PieceForm)| PieceSummary {
            rank,
            length: piece.length,
            checksum: piece.xxh3,
        };
        Ok(Self {
            number: form.checkpoint,
            program: form.program,
            state: CheckpointState {
                config,
                problem: form.problem,
                initial_residual: f64::from_bits(form.initial_residual),
                elapsed: Duration(form.elapsed_nanoseconds),
                multigrid: multigrid.transpose()?,
            },
            updates: form.updates,
            subdomains: form.subdomains,
            pieces: (0..).zip(form.pieces).map(piece).collect(),
        })
    }
}

/// Returns the last line of a manifest, the checksum of the line before.
fn last_line(line: &[u8]) -> String {
    format!("{{\"xxh3\":\"{:016x}\"}}\n", XxHash3_64::oneshot(line))
}
