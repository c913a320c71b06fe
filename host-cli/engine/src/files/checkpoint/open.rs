//! A checkpoint to go on from: `--resume DIR`.

use std::io::Read;
use std::path::{Path, PathBuf};

use tresse_core::field::grid::Rectangle;
use tresse_core::run::progress::Progress;
use tresse_core::run::{GridSize, RunConfig};
use tresse_files::stored_cell::StoredCell;

use super::coverage;
use super::error::{CheckpointError, Fault};
use super::found::{Found, complete_path};
use super::manifest::{LONGEST, Manifest, NAME};
use super::piece::{RAGGED, file_name};
use super::problem_hash::ProblemHash;
use super::reader::{self, Identity, Piece, Stretch, SubdomainRecord, overlap};
use crate::solvers::Method;

/// A checkpoint that has every cell exactly once.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    manifest: Manifest,
    pieces: Vec<Piece>,
    progress: Progress,
}

/// The checkpoint that was found to resume from.
#[derive(Debug)]
pub struct Opened {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// Warning for a person where this is not the newest checkpoint, in one line.
    pub warning: Option<String>,
}

impl Checkpoint {
    /// Opens the checkpoint `path`, or the newest undamaged one of the folder `path`, and verifies
    /// all of its checksums: reads the whole checkpoint once, and holds little of it.
    ///
    /// For rank 0; the others take [`Checkpoint::path`] from there and [`Checkpoint::index`] it.
    pub fn open(path: &Path) -> Result<Opened, CheckpointError> {
        if path.join(NAME).exists() {
            let checkpoint = Self::verified(path)?;
            return Ok(Opened { checkpoint, warning: None });
        }
        let found = Found::of(path).map_err(|error| Fault::from(error).of(path))?;
        let mut newest: Option<CheckpointError> = None;
        for number in found.complete.iter().rev() {
            match Self::verified(&complete_path(path, *number)) {
                Ok(checkpoint) => {
                    let warning = newest.map(|CheckpointError { path, fault }| {
                        let used = checkpoint.path.display();
                        format!("{} {fault}: resuming from {used} instead", path.display())
                    });
                    return Ok(Opened { checkpoint, warning });
                }
                Err(error) => {
                    newest.get_or_insert(error);
                }
            }
        }
        Err(newest.unwrap_or_else(|| Fault::Nothing.of(path)))
    }

    /// Opens a checkpoint by its heads, without the cells, whose checksums are verified when they
    /// are read.
    pub fn index(path: &Path) -> Result<Self, CheckpointError> {
        let file = path.join(NAME);
        let manifest = read_manifest(&file).map_err(|fault| fault.of(&file))?;
        let (pieces, progress) = index(path, &manifest)?;
        if [progress.updates, progress.subdomains] != [manifest.updates, manifest.subdomains] {
            return Err(Fault::nonsense("counts that do not add up").of(&file));
        }
        Ok(Self { path: path.to_owned(), manifest, pieces, progress })
    }

    /// Opens a checkpoint and checks every byte of its pieces.
    fn verified(path: &Path) -> Result<Self, CheckpointError> {
        let checkpoint = Self::index(path)?;
        checkpoint.pieces.iter().try_for_each(Piece::verify)?;
        Ok(checkpoint)
    }

    /// Returns the checkpoint's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the manifest.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the update counts of the subdomains.
    pub const fn progress(&self) -> Progress {
        self.progress
    }

    /// Returns the subdomains.
    pub fn records(&self) -> impl Iterator<Item = &SubdomainRecord> {
        self.pieces.iter().flat_map(Piece::records)
    }

    /// Returns the files that the checkpoint is read from.
    pub fn files(&self) -> Vec<PathBuf> {
        let pieces = self.manifest.pieces.iter().map(|piece| self.path.join(file_name(piece.rank)));
        std::iter::once(self.path.join(NAME)).chain(pieces).collect()
    }

    /// Refuses a run of another grid, precision, method or problem. Workers, ranks, modes and ends
    /// may differ.
    pub fn check(
        &self,
        method: Method,
        config: &RunConfig,
        problem: &ProblemHash,
    ) -> Result<(), CheckpointError> {
        let saved = &self.manifest.state;
        let by = saved.method().name();
        let fault = if by != method.name() {
            Some(Fault::Method { saved: by, asked: method.name() })
        } else if saved.config.grid != config.grid {
            Some(Fault::Grid { saved: saved.config.grid, asked: config.grid })
        } else if saved.config.precision != config.precision {
            let (saved, asked) = (saved.config.precision, config.precision);
            Some(Fault::Precision { saved, asked })
        } else {
            saved.problem.difference(problem).map(Fault::Problem)
        };
        fault.map_or(Ok(()), |fault| Err(fault.of(&self.path)))
    }

    /// Refuses a run of parts on another graph.
    pub fn check_graph(&self, graph: &ProblemHash) -> Result<(), CheckpointError> {
        let difference = self.manifest.state.problem.difference(graph);
        difference.map_or(Ok(()), |what| Err(Fault::Problem(what).of(&self.path)))
    }

    /// Returns the update count that a part resumes with: the mean over its cells, rounded down. A
    /// part that was saved unchanged has its own count, and a part beyond the grid 0.
    pub fn updates_of(&self, part: &Rectangle) -> u64 {
        let (mut sum, mut cells) = (0_u128, 0_u128);
        for record in self.records() {
            let Some((rows, columns)) = overlap(part, &record.part) else { continue };
            let common = rows.len() as u128 * columns.len() as u128;
            sum = sum.saturating_add(common.saturating_mul(record.updates.into()));
            cells += common;
        }
        sum.checked_div(cells).and_then(|mean| u64::try_from(mean).ok()).unwrap_or(0)
    }

    /// Shows `sink` every cell of the wanted parts once, row by row in no particular order; reads
    /// only subdomains that these parts overlap, and holds no more than a row or a block of one
    /// subdomain.
    ///
    /// On an error what was shown is not to be used. Parts and `F` are those of
    /// [`CheckpointState::stored`](super::CheckpointState::stored).
    pub fn read<F: StoredCell>(
        &self,
        wanted: &[Rectangle],
        sink: &mut dyn FnMut(Stretch<'_, F>),
    ) -> Result<(), CheckpointError> {
        let (_, saved) = self.manifest.state.stored();
        if saved != F::PRECISION {
            return Err(Fault::Precision { saved, asked: F::PRECISION }.of(&self.path));
        }
        self.pieces.iter().try_for_each(|piece| piece.read(wanted, sink))
    }
}

/// Returns the pieces in the folder of a checkpoint, which have every cell exactly once, and their
/// counts.
pub(super) fn index(
    path: &Path,
    manifest: &Manifest,
) -> Result<(Vec<Piece>, Progress), CheckpointError> {
    let (grid, precision) = manifest.state.stored();
    let mut pieces = Vec::new();
    for (rank, summary) in (0..).zip(&manifest.pieces) {
        if summary.rank != rank {
            return Err(Fault::nonsense(&format!("no piece of rank {rank}")).of(path));
        }
        let identity = Identity { number: manifest.number, rank, grid };
        pieces.push(Piece::open(path, identity, precision, summary)?);
    }
    let records = || pieces.iter().flat_map(Piece::records);
    let parts = records().map(|record| record.part);
    let covered = if grid.columns == RAGGED {
        // Each row is there once, however long it is.
        let one = |size| GridSize { columns: 1, ..size };
        let parts = parts.map(|part| Rectangle { size: one(part.size), ..part });
        coverage::check(one(grid), parts.collect())
    } else {
        coverage::check(grid, parts.collect())
    };
    covered.map_err(|fault| fault.of(path))?;
    let progress = Progress::of(records().map(|record| record.updates));
    Ok((pieces, progress))
}

/// Reads a manifest of at most `LONGEST` bytes.
fn read_manifest(file: &Path) -> Result<Manifest, Fault> {
    let mut bytes = Vec::new();
    reader::open(file)?.take(LONGEST).read_to_end(&mut bytes)?;
    Manifest::from_bytes(&bytes)
}
