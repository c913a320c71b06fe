//! `tresse traverse`: visits all reachable vertices of a graph by a pool of tasks.

mod graph;
mod report;

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use tresse_console::command::{CommandError, warn};
use tresse_console::exit::Exit;
use tresse_console::files::output::Inputs;
use tresse_console::interrupt;
use tresse_core::tasks::owned::breadth_first;
use tresse_core::tasks::traversal::{Claims as _, Digraph as _, Marks, Reached, Visit};
use tresse_platform::Platform;

pub use self::graph::{GraphError, ReadGraph};
use self::report::{Check, TraverseReport};
use super::SetUpError;
use super::pool::{Done, Place, Pool, Results, Subject};
use crate::commands::args::{GraphArgs, PoolArgs, PoolOutputArgs, TraverseArgs};
use crate::pool::PoolReport;
use crate::traversal;

/// A traversal that is about to begin.
#[derive(Debug)]
pub struct Traversal {
    /// The graph.
    pub read: ReadGraph,
    /// Pool that shares the work.
    pub pool: Pool,
    is_checked: bool,
}

/// Traverses the graph and prints the result.
pub fn run(args: &TraverseArgs) -> Result<Exit, CommandError> {
    let here = Platform::detect()?;
    let traversal = Traversal::prepare(&args.graph, &args.pool, &here, &args.output)?;
    let ReadGraph { graph, root, .. } = &traversal.read;
    let marks = traversal::marks(graph.vertices());
    Marks(&marks).claim(*root, *root);
    let visit = |_| Visit::new(graph, Marks(&marks));
    let inputs = traversal.inputs();
    let Done { pooled, place, results } =
        traversal.pool.run(&args.pool, &args.place, &here, inputs, &[*root], visit)?;
    let reached = pooled.works.iter().map(Visit::reached);
    let reached = reached.fold(Reached::default(), Reached::and);
    traversal.conclude(reached, &pooled.report, &place, &results)
}

impl Traversal {
    /// Prepares the traversal that the flags describe.
    pub fn prepare(
        args: &GraphArgs,
        pool: &PoolArgs,
        here: &Platform,
        output: &PoolOutputArgs,
    ) -> Result<Self, CommandError> {
        // What is refused at once is refused before a file is read.
        pool.config().validate().map_err(SetUpError::from)?;
        let read = ReadGraph::read(args, here.available_memory)?;
        let name = read.name.clone();
        let subject = Subject { kind: "graph", name, doing: "traversing", tasks: "vertices" };
        let pool = Pool::prepare(subject, pool, here, output)?;
        Ok(Self { read, pool, is_checked: !args.unchecked })
    }

    /// Returns the files that are read.
    pub fn inputs(&self) -> Inputs {
        Inputs::default().with_all("--graph", self.read.file.iter().map(PathBuf::as_path))
    }

    /// Prints and stores the result.
    pub fn conclude(
        &self,
        reached: Reached,
        pool: &PoolReport,
        place: &Place,
        results: &Results,
    ) -> Result<Exit, CommandError> {
        let goes_on = || !interrupt::flag().load(Ordering::Relaxed);
        let ReadGraph { graph, root, .. } = &self.read;
        let survey = self.is_checked.then(|| breadth_first(graph, *root, goes_on)).flatten();
        let check = survey.map(|survey| Check::new(survey, reached));
        let summary = self.pool.summary(pool, place);
        let report = TraverseReport::new(&self.read, reached, check, summary);
        self.pool.conclude(pool, place, results, &report, |out| report.write(out))?;
        if self.is_checked && check.is_none() {
            warn("interrupted: what was reached was not compared");
            return Ok(Exit::Interrupted);
        }
        if report.as_serial == Some(false) {
            warn(
                "what was reached is not what is reached alone: no rate is given; please report this",
            );
            return Ok(Exit::NotReached);
        }
        Ok(Exit::Done)
    }
}
