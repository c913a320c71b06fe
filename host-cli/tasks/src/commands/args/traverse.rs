//! `tresse traverse`.

use std::path::PathBuf;

use clap::Args;
use tresse_core::base::grammar::{ParseError, count};
use tresse_core::tasks::traversal::RandomGraph;

use super::pool::{PoolArgs, PoolOutputArgs, VirtualPoolArgs};

/// The flags of `traverse`.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct TraverseArgs {
    /// The graph.
    #[command(flatten)]
    pub graph: GraphArgs,

    /// Flags of the traversal.
    #[command(flatten)]
    pub pool: PoolArgs,

    /// Flags for a virtual machine.
    #[command(flatten)]
    pub place: VirtualPoolArgs,

    /// Flags for the output.
    #[command(flatten)]
    pub output: PoolOutputArgs,
}

/// A graph, and the start of its traversal.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct GraphArgs {
    /// random:vertices=N,degree=N,span=N,seed=N, with as few of the last three as wanted: each
    /// vertex has `degree` arcs, which lead up to `span` vertices ahead; the shorter they are, the
    /// fewer vertices can be visited at a time. Or a file: a list of edges, two numbers of vertices
    /// a line, a matrix in Matrix Market's coordinate form, or lists of neighbours in METIS's form
    /// [default: random:vertices=1e6,degree=8]
    #[arg(long, value_name = "random:…|FILE", value_parser = choice, help_heading = "Graph")]
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub graph: Option<GraphChoice>,

    /// Edges of the file lead both ways; those of a symmetric matrix do in any case
    #[arg(long, help_heading = "Graph")]
    pub undirected: bool,

    /// The vertex where it begins, as the file numbers it [default: where the file's first edge
    /// leads from; 0 of a random graph]
    #[arg(long, value_name = "VERTEX", value_parser = count, allow_negative_numbers = true)]
    #[arg(help_heading = "Graph")]
    pub root: Option<u64>,

    /// Do not traverse the graph once more, breadth first and alone, to compare what is reached
    #[arg(long, help_heading = "Graph")]
    pub unchecked: bool,
}

/// A choice of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphChoice {
    /// A random one.
    Random(RandomGraph),
    /// The graph of a file.
    File(PathBuf),
}

impl GraphArgs {
    /// Returns the graph that is asked for.
    pub fn chosen(&self) -> GraphChoice {
        let default = RandomGraph { vertices: 1_000_000, degree: 8, span: 999_999, seed: 0 };
        self.graph.clone().unwrap_or(GraphChoice::Random(default))
    }
}

/// Parses `random:…` as a random graph, and anything else as the path of a file.
fn choice(text: &str) -> Result<GraphChoice, ParseError> {
    match text.strip_prefix("random:") {
        Some(random) => RandomGraph::parse(random).map(GraphChoice::Random),
        None => Ok(GraphChoice::File(text.into())),
    }
}
