//! Reads the graph that the flags name.

use std::path::PathBuf;

use bytesize::ByteSize;
use tresse_core::tasks::traversal::Digraph as _;

use crate::commands::args::{GraphArgs, GraphChoice};
use crate::graph_files::{self, GraphFile, GraphFileError, Numbers};
use crate::hashes::Hash;
use crate::traversal::Graph;

/// A graph, and the start of its traversal.
#[derive(Clone, Debug)]
pub struct ReadGraph {
    /// Name of the graph for a person.
    pub name: String,
    /// Kind of the graph.
    pub form: &'static str,
    /// The graph.
    pub graph: Graph,
    /// Vertex where the traversal begins, counted from 0.
    pub root: u32,
    /// Numbers that a person knows the vertices by.
    pub numbers: Numbers,
    /// Name of the hash of the arcs, where they are hashed.
    pub hash: Option<&'static str>,
    /// File that the graph was read from.
    pub file: Option<PathBuf>,
}

/// A graph that cannot be traversed.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// The file cannot be used.
    #[error("--graph {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the file.
        error: GraphFileError,
    },
    /// There is not enough memory for the vertices.
    #[error(
        "--graph: the marks of {vertices} vertices take {}, more than half of the {} that are free: give \
         fewer vertices", ByteSize(*.bytes), ByteSize(*.available)
    )]
    Memory {
        /// Number of vertices.
        vertices: u32,
        /// Bytes of their marks.
        bytes: u64,
        /// Bytes that are free.
        available: u64,
    },
    /// The traversal would begin at a vertex that does not exist.
    #[error("--root {root}: the graph has no such vertex; its vertices are from {first} to {last}")]
    Root {
        /// Vertex that was asked for.
        root: u64,
        /// First vertex.
        first: u64,
        /// Last vertex.
        last: u64,
    },
    /// The arcs of a random graph cannot be followed backwards, as their origins are not known.
    #[error(
        "--undirected is for graphs of files: arcs of a random graph lead one way, and nobody knows which \
         lead to a vertex"
    )]
    Undirected,
}

/// Divisor of the memory for the share that marks may take, and for that of the graph.
const SHARE_OF_MEMORY: u64 = 2;

impl ReadGraph {
    /// Reads the graph, or prepares to make it; `available` is the free memory in bytes.
    pub fn read(args: &GraphArgs, available: u64) -> Result<Self, GraphError> {
        let chosen = args.chosen();
        if matches!(chosen, GraphChoice::Random(_)) && args.undirected {
            return Err(GraphError::Undirected);
        }
        let most = available / SHARE_OF_MEMORY;
        let mut read = match chosen {
            GraphChoice::Random(random) => {
                let hash = Hash::best();
                Self {
                    name: random.to_string(),
                    form: "random",
                    graph: Graph::Random(random.arcs(hash)),
                    root: 0,
                    numbers: Numbers::From(0),
                    hash: Some(hash.name()),
                    file: None,
                }
            }
            GraphChoice::File(path) => {
                let read = graph_files::read(&path, args.undirected, most);
                let read = read.map_err(|error| GraphError::File { path: path.clone(), error });
                let GraphFile { form, graph, first, numbers } = read?;
                let both_ways = if args.undirected { ", both ways" } else { "" };
                Self {
                    name: format!("{}{both_ways}", path.display()),
                    form: form.name(),
                    graph: Graph::Listed(graph),
                    root: first,
                    numbers,
                    hash: None,
                    file: Some(path),
                }
            }
        };
        let vertices = read.graph.vertices();
        let bytes = u64::from(vertices) * size_of::<u32>() as u64;
        if bytes > most {
            return Err(GraphError::Memory { vertices, bytes, available });
        }
        if let Some(root) = args.root {
            read.root = read.vertex(root)?;
        }
        Ok(read)
    }

    /// Returns the vertex that a person names by a number.
    fn vertex(&self, root: u64) -> Result<u32, GraphError> {
        let vertices = self.graph.vertices();
        self.numbers.vertex(root, vertices).ok_or_else(|| {
            let [first, last] = [0, vertices.saturating_sub(1)].map(|end| self.numbers.of(end));
            GraphError::Root { root, first, last }
        })
    }

    /// Returns the number that a person knows the root by.
    pub fn root_number(&self) -> u64 {
        self.numbers.of(self.root)
    }
}
