//! `--checkpoint DIR` and `--resume DIR` on this machine.

use std::path::Path;

use super::resume;
use crate::checkpoints::Plan;
use crate::commands::args::{CheckpointArgs, Resolved, SolveArgs};
use crate::commands::{CommandError, RunError, printed, warn};
use crate::files::checkpoint::{self, Checkpoint, Folder, ProblemHash};
use crate::report::output::Inputs;
use crate::solvers::{Method, Solver};
use tresse_console::interrupt;
use tresse_console::terminal;

/// What is asked for, with the checkpoint that the run goes on from.
pub(super) struct Asked<'a> {
    args: &'a CheckpointArgs,
    pub(super) resumed: Option<Checkpoint>,
}

impl<'a> Asked<'a> {
    /// Opens the checkpoint to go on from, and fills in what a person has left open.
    pub(super) fn open(
        args: &'a CheckpointArgs,
        solve: &mut SolveArgs,
    ) -> Result<Self, CommandError> {
        let opened = args.resume.as_deref().map(Checkpoint::open).transpose()?;
        let resumed = opened.map(|opened| {
            opened.warning.iter().for_each(|warning| warn(warning));
            resume::complete(solve, &opened.checkpoint);
            opened.checkpoint
        });
        Ok(Self { args, resumed })
    }

    /// Refuses what cannot be saved or gone on with; returns the hashes of the problem, where they
    /// are needed.
    pub(super) fn check(&self, resolved: &Resolved) -> Result<Option<ProblemHash>, CommandError> {
        let is_rayon = (resolved.method, resolved.solver) == (Method::Jacobi, Solver::Rayon);
        let saved = self.args.checkpoint.is_some().then_some(("--checkpoint", "saves nothing"));
        let from = "goes on from nothing that was saved";
        let asked = saved.or(self.resumed.as_ref().map(|_| ("--resume", from)));
        if let Some((flag, why)) = asked.filter(|_| is_rayon) {
            let (method, instead) = ("--mode rayon", "--mode sync, ssync:N or async");
            return Err(RunError::OfBulkSynchronous { method, flag, why, instead }.into());
        }
        if self.resumed.is_some() && resolved.record.is_some() {
            return Err(RunError::RecordOfResumed.into());
        }
        let problem = asked.map(|_| ProblemHash::of(&resolved.problem));
        if let (Some(checkpoint), Some(problem)) = (&self.resumed, &problem) {
            resume::check(checkpoint, resolved.method, &resolved.config, problem)?;
        }
        Ok(problem)
    }

    /// Returns the files that the run reads.
    pub(super) fn inputs(&self, resolved: &Resolved) -> Inputs {
        let files = self.resumed.iter().flat_map(Checkpoint::files);
        resolved.inputs.clone().with_all("--resume", files)
    }

    /// Returns the plan of the checkpoints, if these are asked for.
    pub(super) fn plan<'p>(
        &'p self,
        resolved: &'p Resolved,
        problem: Option<ProblemHash>,
    ) -> Result<Option<Plan<'p>>, CommandError> {
        let (Some(path), Some(problem)) = (self.args.checkpoint.as_deref(), problem) else {
            return Ok(None);
        };
        // From here on a signal asks for an orderly end, which leaves no empty folder.
        interrupt::flag();
        let folder = Folder::prepare(path, self.resumed.as_ref())?;
        Ok(Some(Plan {
            path,
            every: self.args.every(),
            folder: Some(folder),
            request: interrupt::save_request().map_err(RunError::Signal)?,
            config: &resolved.config,
            problem,
            resumed: self.resumed.as_ref(),
        }))
    }

    /// Says where the run goes on from: what a person looks for when it is gone before it leaves a
    /// checkpoint of its own.
    pub(super) fn announce(&self) {
        if let Some(checkpoint) = &self.resumed {
            terminal::tell(&format!("resumed     {}", checkpoint.path().display()));
        }
    }

    /// Returns the folder of the checkpoints, where there is one.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.args.checkpoint.as_deref()
    }
}

/// Says which checkpoint of a folder to go on from, and in any case where there is none.
pub fn tell_newest(folder: &Path, hidden: bool) -> Result<(), CommandError> {
    match checkpoint::newest(folder) {
        Some(path) if !hidden => {
            printed(|to| writeln!(to, "checkpoint  {}", path.display())).map(drop)
        }
        Some(_) => Ok(()),
        None => {
            let folder = folder.display();
            warn(&format!(
                "--checkpoint {folder}: none was left, as the run ended before its first: a lower --every makes \
                 more, and --iterations leave one where they end the run before its --tolerance"
            ));
            Ok(())
        }
    }
}
