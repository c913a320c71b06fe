//! Checkpoints of a run: finds when they are due, and writes them in all processes while these are
//! halted.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tresse_core::base::id::RankId;
use tresse_core::base::time::{Duration, Instant};
use tresse_core::field::grid::Rectangle;
use tresse_core::field::subdomain::Subdomain;
use tresse_core::run::RunConfig;
use tresse_files::stored_cell::StoredCell;

use super::group::Group;
use crate::files::checkpoint::{
    Checkpoint, CheckpointState, Folder, MultigridState, PieceSummary, PieceWriter, ProblemHash,
    complete_path,
};
use crate::files::output::OutputError;
use crate::threads::Moment;
use tresse_console::terminal;

/// The plan of a run's checkpoints.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Folder of the checkpoints, which all processes see.
    pub path: &'a Path,
    /// Time between two checkpoints.
    pub every: Duration,
    /// Folder for beginning and completing checkpoints, on the first rank.
    pub folder: Option<Folder>,
    /// Flag that is set to ask for a checkpoint now.
    pub request: &'a AtomicBool,
    /// Configuration of the whole run.
    pub config: &'a RunConfig,
    /// Hashes of the run's problem.
    pub problem: ProblemHash,
    /// Checkpoint that the run resumes from.
    pub resumed: Option<&'a Checkpoint>,
}

/// The checkpoints that a run writes, and the one that it goes on from; by default neither.
#[derive(Debug, Default)]
pub struct Checkpoints<'a> {
    /// Plan of those that it writes.
    pub plan: Option<Plan<'a>>,
    /// The one that it goes on from.
    pub resumed: Option<&'a Checkpoint>,
}

/// The checkpoints of one process.
pub struct Saving<'a, F> {
    path: &'a Path,
    request: &'a AtomicBool,
    rank: RankId,
    inner: Mutex<Inner<'a, F>>,
    known: Mutex<Known>,
}

/// The facts that a message can use at any time, also while this rank waits, with `inner` locked,
/// for another one that is gone.
#[derive(Debug)]
struct Known {
    /// Newest checkpoint that all ranks know of.
    newest: Option<PathBuf>,
    /// Number of the checkpoint that is being written, which is complete when it has its name.
    current: Option<u64>,
}

struct Inner<'a, F> {
    every: Duration,
    next: Instant,
    folder: Option<Folder>,
    /// Number of the checkpoint that is being written, and the run's state at this moment.
    current: Option<(u64, CheckpointState)>,
    piece: Option<Result<PieceWriter<F>, OutputError>>,
    config: &'a RunConfig,
    problem: ProblemHash,
    elapsed: Duration,
}

impl<'a, F: StoredCell> Saving<'a, F> {
    /// Returns the keeper of checkpoints for the process with this rank.
    pub fn new(plan: Plan<'a>, rank: RankId) -> Self {
        let Plan { path, every, folder, request, config, problem, resumed } = plan;
        let newest = resumed.map(|checkpoint| checkpoint.path().to_owned());
        let elapsed = resumed.map(|checkpoint| checkpoint.manifest().state.elapsed);
        let inner = Inner {
            every,
            next: Instant::ZERO.after(every),
            folder,
            current: None,
            piece: None,
            config,
            problem,
            elapsed: elapsed.unwrap_or_default(),
        };
        let known = Mutex::new(Known { newest, current: None });
        Self { path, request, rank, inner: Mutex::new(inner), known }
    }

    /// Reports whether this rank wants a checkpoint; only the first rank looks at the clock.
    pub fn is_wanted(&self, now: Instant) -> bool {
        self.request.load(Ordering::Relaxed)
            || self.rank == RankId(0) && self.with(|inner| now >= inner.next)
    }

    /// Returns what is left of the run if the job is killed, for a message.
    pub fn left(&self) -> String {
        match self.newest() {
            Some(path) => {
                format!("if the job is killed, resume it with --resume {}", path.display())
            }
            None => "there is no checkpoint yet".to_owned(),
        }
    }

    /// Returns the newest complete checkpoint.
    fn newest(&self) -> Option<PathBuf> {
        let known = self.known();
        let current = known.current.map(|number| complete_path(self.path, number));
        current.filter(|path| path.exists()).or_else(|| known.newest.clone())
    }

    /// Begins a checkpoint, of multigrid with its state; returns whether every rank can write its
    /// piece. Collective, while all are halted.
    pub fn begin(
        &self,
        moment: &Moment,
        multigrid: Option<MultigridState>,
        group: &mut impl Group,
    ) -> bool {
        self.request.store(false, Ordering::Relaxed);
        self.with(|inner| {
            inner.next = moment.at.after(inner.every);
            let begun = inner.folder.as_mut().map(Folder::begin).transpose();
            // Numbers begin at 1.
            let own = begun.as_ref().map_or(0, |number| number.unwrap_or(0));
            let number = group.max(own);
            if let Err(error) = begun {
                lost(&error);
            }
            if number == 0 {
                return false;
            }
            let state = CheckpointState {
                config: inner.config.clone(),
                problem: inner.problem,
                initial_residual: moment.initial,
                elapsed: Duration(inner.elapsed.0.saturating_add(moment.at.0)),
                multigrid,
            };
            let (size, _) = state.stored();
            inner.piece = Some(PieceWriter::create(self.path, number, self.rank.0, size));
            inner.current = Some((number, state));
            self.known().current = Some(number);
            true
        })
    }

    /// Writes a subdomain into this rank's piece; called by any worker.
    pub fn save(&self, part: Rectangle, updates: u64, subdomain: &Subdomain<'_, F>) {
        self.write(|piece| piece.write(part, updates, subdomain));
    }

    /// Writes rows into this rank's piece.
    pub fn save_rows<'c>(&self, part: Rectangle, updates: u64, rows: impl Iterator<Item = &'c [F]>)
    where
        F: 'c,
    {
        self.write(|piece| piece.write_rows(part, updates, rows));
    }

    /// Writes something into this rank's piece, unless that has failed before.
    fn write(&self, write: impl FnOnce(&mut PieceWriter<F>) -> Result<(), OutputError>) {
        self.with(|inner| {
            if let Some(Ok(piece)) = &mut inner.piece
                && let Err(error) = write(piece)
            {
                inner.piece = Some(Err(error));
            }
        });
    }

    /// Completes the checkpoint, if every rank has written its piece; the run goes on in any case.
    /// Collective.
    pub fn complete(&self, group: &mut impl Group) {
        self.with(|inner| {
            let Some((number, state)) = inner.current.take() else { return };
            let written = match inner.piece.take() {
                Some(Ok(piece)) => piece.finish().map(Some),
                Some(Err(error)) => Err(error),
                None => Ok(None),
            };
            let said = match &written {
                Ok(Some(piece)) => {
                    piece.to_words().into_iter().flat_map(u64::to_le_bytes).collect()
                }
                Ok(None) => Vec::new(),
                Err(error) => [b"!".as_slice(), error.to_string().as_bytes()].concat(),
            };
            let all = group.gather(said);
            let completed = all.zip(inner.folder.as_mut()).map(|(all, folder)| {
                let pieces: Option<Vec<_>> = all.iter().map(|said| piece(said)).collect();
                if let Some(pieces) = pieces {
                    return folder.complete(number, state, pieces).map(drop);
                }
                for said in all {
                    report(&said);
                }
                folder.abandon(number)
            });
            if let Some(Err(error)) = completed {
                lost(&error);
            }
            let own = inner.folder.as_ref().and_then(Folder::newest);
            if let Some(path) = &own {
                // What a person looks for when the run is gone.
                terminal::tell(&format!("checkpoint  {}", path.display()));
            }
            let mut newest =
                own.map_or_else(Vec::new, |path| path.display().to_string().into_bytes());
            group.broadcast(&mut newest);
            let newest = String::from_utf8_lossy(&newest).into_owned();
            let newest = Some(newest).filter(|path| !path.is_empty()).map(PathBuf::from);
            *self.known() = Known { newest, current: None };
        });
    }

    /// Does something with the state that only one thread may use at a time.
    fn with<T>(&self, work: impl FnOnce(&mut Inner<'a, F>) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a rank's message about its piece; returns `None` where it has none.
fn piece(said: &[u8]) -> Option<PieceSummary> {
    let (words, rest) = said.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word)).collect::<Vec<_>>();
    let words = words.try_into().ok().filter(|_| rest.is_empty());
    words.and_then(PieceSummary::from_words)
}

/// Prints the reason for which a rank could not write its piece.
fn report(said: &[u8]) {
    if let Some(error) = said.strip_prefix(b"!") {
        lost(&String::from_utf8_lossy(error));
    }
}

/// Warns that a checkpoint could not be written.
fn lost(error: &impl std::fmt::Display) {
    terminal::tell(&format!("warning: no checkpoint now, and the run goes on: {error}"));
}
