//! `tresse uts`: counts an unbalanced tree by a pool of tasks.

mod report;

use tresse_console::command::{CommandError, warn};
use tresse_console::exit::Exit;
use tresse_console::files::output::Inputs;
use tresse_core::tasks::owned::OwnedTree;
use tresse_core::tasks::uts::{Count, Node, Totals};
use tresse_platform::Platform;

use self::report::UtsReport;
use super::SetUpError;
use super::pool::{Done, Place, Pool, Results, Subject};
use crate::commands::args::{Chosen, PoolArgs, PoolOutputArgs, TreeArgs, UtsArgs};
use crate::hashes::Hash;
use crate::pool::{PoolReport, Pooled};

/// A count that is about to begin.
#[derive(Debug)]
pub struct Search {
    chosen: Chosen,
    /// The tree.
    pub tree: OwnedTree,
    /// Hash of the nodes.
    pub hash: Hash,
    /// Pool that shares the work.
    pub pool: Pool,
}

/// Counts the tree and prints the result.
pub fn run(args: &UtsArgs) -> Result<Exit, CommandError> {
    let here = Platform::detect()?;
    let search = Search::prepare(&args.tree, &args.pool, &here, &args.output)?;
    args.tree.warnings().for_each(|warning| warn(&warning));
    let count = |_| search.tree.count(search.hash);
    let inputs = Inputs::default();
    let Done { pooled, place, results } =
        search.pool.run(&args.pool, &args.place, &here, inputs, &search.root(), count)?;
    search.conclude(totals(&pooled), &pooled.report, &place, &results)
}

impl Search {
    /// Prepares the count that the flags describe.
    pub fn prepare(
        tree: &TreeArgs,
        pool: &PoolArgs,
        here: &Platform,
        output: &PoolOutputArgs,
    ) -> Result<Self, CommandError> {
        let chosen = tree.chosen();
        let tree = OwnedTree::new(&chosen.tree).map_err(SetUpError::from)?;
        let name = chosen.name.clone();
        let subject = Subject { kind: "tree", name, doing: "searching", tasks: "nodes" };
        let pool = Pool::prepare(subject, pool, here, output)?;
        Ok(Self { chosen, tree, hash: Hash::best(), pool })
    }

    /// Returns the first task of the search.
    pub fn root(&self) -> [Node; 1] {
        [Node::root(self.chosen.tree.seed)]
    }

    /// Prints and stores the result.
    pub fn conclude(
        &self,
        totals: Totals,
        pool: &PoolReport,
        place: &Place,
        results: &Results,
    ) -> Result<Exit, CommandError> {
        let summary = self.pool.summary(pool, place);
        let report = UtsReport::new(&self.chosen, self.hash.name(), totals, summary);
        self.pool.conclude(pool, place, results, &report, |out| report.write(out))?;
        if report.as_published == Some(false) {
            warn("the count is not the published one: no rate is given; please report this");
            return Ok(Exit::NotReached);
        }
        Ok(Exit::Done)
    }
}

/// Returns the totals of all workers.
fn totals(pooled: &Pooled<Count<'_, Hash>>) -> Totals {
    pooled.works.iter().map(Count::totals).fold(Totals::default(), Totals::and)
}
