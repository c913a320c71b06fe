//! The recording of a run of parts of one's own, in one file for all ranks.

use std::path::Path;

use tresse::engine::threads::EngineError;
use tresse::files::recording::{JoinedHead, Part as Tracks, PartsHead, graph_hash, parts_hash};
use tresse::report::history::HistorySample;
use tresse::report::output::{Inputs, OutputError, Outputs};
use tresse::terminal;
use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::base::unit::Unit;
use tresse_core::parts::{Graph, Part};
use tresse_core::run::RunConfig;

use super::gather::gather_parts;
use super::job::{Job, Left};
use super::{RunError, together};
use crate::mpi::agreement::agree;
use crate::mpi::{Entry, Word};
use crate::rank::recording::{RecordingFiles, TogetherError};

impl TogetherError for RunError {
    fn together<T>(entry: &mut Entry, own: Result<T, OutputError>) -> Result<T, Self> {
        together(entry, own.map_err(Self::from))
    }
}

/// Checks that the files of a recording can be written, if one is asked for. Collective.
pub(super) fn prepare(
    entry: &mut Entry,
    path: Option<&Path>,
    is_resumed: bool,
) -> Result<Option<RecordingFiles>, RunError> {
    agree(entry, "the file of the recording", &path)?;
    let Some(path) = path else { return Ok(None) };
    if is_resumed {
        return Err(EngineError::RecordOfResumed.into());
    }
    RecordingFiles::prepare(entry, &Outputs::new(Inputs::default()), path).map(Some)
}

/// Iterates `parts` as [`Job::iterate`] does, and records the workers of all ranks; `whole` is the
/// configuration of all. Also returns why there is no recording, if it could not be written: what
/// the run has left is worth more. Collective.
pub(super) fn iterate<T, G, M, const N: usize>(
    entry: &mut Entry,
    job: &Job<'_, G, M>,
    (whole, parts): (&RunConfig, Vec<T>),
    files: RecordingFiles,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(Left<T>, Option<String>), RunError>
where
    T: Part<Unit: Unit<Shared: Word>>,
    G: Graph<N> + Sync,
    M: Fn(SubdomainId) -> T,
{
    let (graph, cores) = (job.iteration.graph, job.iteration.placement.cores());
    let cores = cores.iter().flat_map(|core| core.to_le_bytes()).collect();
    let cores = entry.gather_bytes(cores).map(|all| {
        let all = all.concat();
        all.as_chunks().0.iter().map(|core| u32::from_le_bytes(*core)).collect()
    });
    let first = entry.rank().0 * whole.workers_per_node();
    let none = whole.workers..whole.workers;
    let tracks = Tracks { workers: first..first + whole.workers_per_node(), noise: none };
    let (observers, unfinished) = files.start::<RunError>(entry, tracks)?;

    let left = match job.iterate(entry, parts, observers, watch) {
        Ok(left) => left,
        Err(error) => {
            unfinished.part.abandon();
            return Err(error.into());
        }
    };
    let all = gather_parts(entry, &left.parts, graph.parts(), job.make);
    let hash = all.map(|mut all| parts_hash(graph, &mut all));
    let head = cores.map(|cores| PartsHead {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        config: whole.clone(),
        links: N,
        graph: Some(graph_hash(graph)),
        cores,
    });
    let joined = head.as_ref().zip(hash).map(|(head, hash)| JoinedHead::Parts(head, hash));
    let end = (joined, left.record.end);
    let finished =
        unfinished.finish::<RunError>(entry, |part| part.finish_part::<f64>(&[], 0), end);
    let unrecorded = finished.err().map(|error| error.to_string());
    if let Some(error) = unrecorded.as_ref().filter(|_| entry.rank() == RankId(0)) {
        terminal::tell(&format!("warning: {error}"));
    }
    Ok((left, unrecorded))
}
