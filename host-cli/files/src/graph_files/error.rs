//! What can be wrong with the file of a graph.

use bytesize::ByteSize;

/// A file that is no graph, or too large a one; prints as one line, which does not name the file.
#[derive(Debug, thiserror::Error)]
pub enum GraphFileError {
    /// The file cannot be read.
    #[error("cannot be read ({0}): check the path; a random graph is random:vertices=N")]
    Unreadable(#[from] std::io::Error),
    /// A folder, a pipe or the like.
    #[error("is not a regular file: name a list of edges or a matrix")]
    Irregular,
    /// Something is wrong in a line.
    #[error("line {line}: {fault}")]
    Line {
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        fault: GraphFault,
    },
    /// There is less than there should be.
    #[error("ends after {found} of {expected} entries: the file is cut off")]
    CutOff {
        /// Entries that are there.
        found: u64,
        /// Entries that the matrix is to have.
        expected: u64,
    },
    /// Nothing in it.
    #[error(
        "has no edge: give a list of edges (two numbers a line), or a matrix in Matrix Market's coordinate \
         form"
    )]
    Empty,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphFault {
    /// Bytes that are no text.
    #[error(
        "is not text: give a list of edges, or a matrix in Matrix Market's form, not compressed"
    )]
    NotText,
    /// No line of a graph.
    #[error("is too long for an edge")]
    TooLong,
    /// A line of a list with something else than numbers.
    #[error("{0:?} is no edge: expected two numbers of vertices, and a weight or nothing")]
    Edge(String),
    /// A number that is too large.
    #[error("vertex {0:?}: numbers of vertices end at 4294967294")]
    TooLarge(String),
    /// The first line of a matrix.
    #[error(
        "{0:?} is no matrix that is a graph: expected %%MatrixMarket matrix coordinate, then pattern, \
         integer, real or complex, then general, symmetric, skew-symmetric or hermitian"
    )]
    Header(String),
    /// The sizes of a matrix.
    #[error("{0:?} are no sizes: expected numbers of rows, columns and entries")]
    Sizes(String),
    /// A matrix with other columns than rows.
    #[error("{rows} rows and {columns} columns: a graph is a square matrix")]
    NotSquare {
        /// Its rows.
        rows: u32,
        /// Its columns.
        columns: u32,
    },
    /// A line of a matrix with something else than a place and values.
    #[error("{entry:?} is no entry: expected a row, a column and {values}")]
    Entry {
        /// The line.
        entry: String,
        /// What comes after the place.
        values: &'static str,
    },
    /// A place beside the matrix.
    #[error("vertex {vertex}: the matrix has {vertices}, numbered from 1 on")]
    NoSuchVertex {
        /// The row or the column.
        vertex: u32,
        /// How many there are.
        vertices: u32,
    },
    /// More entries than the matrix has.
    #[error("is one more entry than the {0} that the matrix is to have")]
    TooMany(u64),
    /// More vertices than there is memory for.
    #[error(
        "{vertices} vertices take more than the {} of memory that there is for the graph: number the \
         vertices without gaps, or use a machine with more", ByteSize(*.most)
    )]
    Vertices {
        /// How many there are at least.
        vertices: u32,
        /// Bytes that the graph may take.
        most: u64,
    },
    /// More edges than there is memory for.
    #[error(
        "more than {arcs} edges, each way counted, take more than the {} of memory that there is for the \
         graph: use a machine with more", ByteSize(*.most)
    )]
    Edges {
        /// How many there are up to here.
        arcs: u64,
        /// Bytes that the graph may take.
        most: u64,
    },
}
