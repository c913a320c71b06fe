//! The graph that the flags name.

use std::path::PathBuf;

use bytesize::ByteSize;
use tresse_core::traversal::Digraph as _;

use crate::commands::args::{GraphArgs, GraphChoice};
use crate::engine::hashes::Hash;
use crate::engine::traversal::Graph;
use crate::files::graph_files::{self, GraphFile, GraphFileError};

/// A graph, and where its traversal begins.
#[derive(Clone, Debug)]
pub struct ReadGraph {
    /// As a person names it.
    pub name: String,
    /// What kind it is.
    pub form: &'static str,
    /// The graph.
    pub graph: Graph,
    /// The vertex where it begins, counted from 0.
    pub root: u32,
    /// What is to be added to its numbers of vertices for a person.
    pub numbered_from: u32,
    /// How its arcs are hashed, where they are.
    pub hash: Option<&'static str>,
    /// The file that it is from.
    pub file: Option<PathBuf>,
}

/// A graph that cannot be traversed.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// What is in the file.
    #[error("--graph {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: GraphFileError,
    },
    /// More vertices than there is memory for.
    #[error(
        "--graph: the marks of {vertices} vertices take {}, more than half of the {} that are free: give \
         fewer vertices", ByteSize(*.bytes), ByteSize(*.available)
    )]
    Memory {
        /// How many there are.
        vertices: u32,
        /// What their marks take.
        bytes: u64,
        /// What is free.
        available: u64,
    },
    /// It begins nowhere.
    #[error("--root {root}: the graph has no such vertex; give one from {first} to {last}")]
    Root {
        /// Where it was to begin.
        root: u32,
        /// The first vertex.
        first: u32,
        /// The last one.
        last: u64,
    },
    /// A random graph's arcs cannot be turned around: nobody knows where they come from.
    #[error(
        "--undirected is for graphs of files: arcs of a random graph lead one way, and nobody knows which \
         lead to a vertex"
    )]
    Undirected,
}

/// Marks may take one part in this many of the memory, and so may the graph itself.
const SHARE_OF_MEMORY: u64 = 2;

impl ReadGraph {
    /// Reads it, or knows how to make it; `available` is the memory that is free.
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
                    numbered_from: 0,
                    hash: Some(hash.name()),
                    file: None,
                }
            }
            GraphChoice::File(path) => {
                let read = graph_files::read(&path, args.undirected, most);
                let read = read.map_err(|error| GraphError::File { path: path.clone(), error });
                let GraphFile { form, graph, first } = read?;
                let both_ways = if args.undirected { ", both ways" } else { "" };
                Self {
                    name: format!("{}{both_ways}", path.display()),
                    form: form.name(),
                    graph: Graph::Listed(graph),
                    root: first,
                    numbered_from: form.first(),
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
    fn vertex(&self, root: u32) -> Result<u32, GraphError> {
        let (first, vertices) = (self.numbered_from, self.graph.vertices());
        let inside = root.checked_sub(first).filter(|vertex| *vertex < vertices);
        let last = u64::from(first) + u64::from(vertices.saturating_sub(1));
        inside.ok_or(GraphError::Root { root, first, last })
    }

    /// Returns the number that a person knows the root by.
    pub const fn root_number(&self) -> u64 {
        self.root as u64 + self.numbered_from as u64
    }
}
