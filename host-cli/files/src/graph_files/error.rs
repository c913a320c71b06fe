//! Errors in the file of a graph.

use bytesize::ByteSize;

/// A file that is no graph, or too large a one; prints as one line, which does not name the file.
#[derive(Debug, thiserror::Error)]
pub enum GraphFileError {
    /// The file cannot be read.
    #[error("cannot be read ({0}): check the path; a random graph is random:vertices=N")]
    Unreadable(#[from] std::io::Error),
    /// The file is a folder, a pipe or the like.
    #[error("is not a regular file: name a list of edges or a matrix")]
    Irregular,
    /// A line is wrong.
    #[error("line {line}: {fault}")]
    Line {
        /// The line, from 1.
        line: u64,
        /// The fault in the line.
        fault: GraphFault,
    },
    /// The file has fewer entries than its matrix.
    #[error("ends after {found} of {expected} entries: the file is cut off")]
    CutOff {
        /// Number of entries in the file.
        found: u64,
        /// Number of entries that the matrix should have, or of vertices in METIS's form.
        expected: u64,
    },
    /// A file in METIS's form has not each edge from both sides.
    #[error(
        "has {neighbours} neighbours, but its first line says {edges} edges: each edge is to be there from \
         both sides; a list of edges is to have another name than .graph"
    )]
    MetisCount {
        /// Number of neighbours of all vertices.
        neighbours: u64,
        /// Number of edges in the first line.
        edges: u64,
    },
    /// The file has no edges.
    #[error(
        "has no edge: give a list of edges (two numbers a line), or a matrix in Matrix Market's coordinate \
         form"
    )]
    Empty,
}

/// A fault in a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphFault {
    /// The bytes are not text.
    #[error(
        "is not text: give a list of edges, or a matrix in Matrix Market's form, not compressed"
    )]
    NotText,
    /// The line is too long for a line of a graph.
    #[error("is too long for an edge")]
    TooLong,
    /// The line of a list has something other than numbers.
    #[error(
        "\"{0}\" is no edge: expected two numbers of vertices, and a weight or nothing; a list of neighbours in \
         METIS's form is to be named .graph"
    )]
    Edge(String),
    /// The list is one of KONECT's networks of two kinds of vertices.
    #[error(
        "is of a network of two kinds of vertices (bip), whose numbers mean two vertices each: add the \
         number of the first kind to those of the second"
    )]
    Bipartite,
    /// The first line is not that of METIS's form.
    #[error(
        "\"{0}\" does not begin METIS's form (the numbers of vertices and of edges, then a format): a list of \
         edges is to have another name than .graph"
    )]
    MetisHeader(String),
    /// The line of a vertex in METIS's form has something else than neighbours.
    #[error(
        "\"{line}\" is no list of neighbours: expected vertices from 1 to {vertices}, and what the format in \
         the first line says"
    )]
    MetisLine {
        /// The line.
        line: String,
        /// Number of vertices.
        vertices: u32,
    },
    /// A vertex in METIS's form is its own neighbour.
    #[error("vertex {0} is a neighbour of itself, which METIS's form does not allow")]
    MetisLoop(u32),
    /// There is a line after that of the last vertex in METIS's form.
    #[error("\"{line}\" follows the lines of all {vertices} vertices")]
    MetisMore {
        /// The line.
        line: String,
        /// Number of vertices.
        vertices: u32,
    },
    /// The number is too large.
    #[error("vertex \"{0}\": numbers of vertices end at 18446744073709551615")]
    TooLarge(String),
    /// The first line is not that of a matrix that is a graph.
    #[error(
        "\"{0}\" is no matrix that is a graph: expected %%MatrixMarket matrix coordinate, then pattern, \
         integer, real or complex, then general, symmetric, skew-symmetric or hermitian"
    )]
    Header(String),
    /// The line with the matrix's sizes is wrong.
    #[error("\"{0}\" are no sizes: expected numbers of rows, columns and entries")]
    Sizes(String),
    /// The matrix has different numbers of rows and columns.
    #[error("{rows} rows and {columns} columns: a graph is a square matrix")]
    NotSquare {
        /// Number of rows.
        rows: u32,
        /// Number of columns.
        columns: u32,
    },
    /// The line of a matrix has something other than a place and values.
    #[error("\"{entry}\" is no entry: expected a row, a column and {values}")]
    Entry {
        /// The line.
        entry: String,
        /// The values that should follow the place.
        values: &'static str,
    },
    /// The place lies outside the matrix.
    #[error("vertex {vertex}: the matrix has {vertices}, numbered from 1 on")]
    NoSuchVertex {
        /// Number of the row or the column.
        vertex: u32,
        /// Number of vertices in the matrix.
        vertices: u32,
    },
    /// The file has more entries than the matrix.
    #[error("is one more entry than the {0} that the matrix is to have")]
    TooMany(u64),
    /// The memory does not hold this number of vertices.
    #[error(
        "{vertices} vertices take more than the {} of memory that there is for the graph: use a machine with \
         more", ByteSize(*.most)
    )]
    Vertices {
        /// Least number of vertices.
        vertices: u32,
        /// Bytes that the graph may take.
        most: u64,
    },
    /// The memory does not hold this number of edges.
    #[error(
        "more than {arcs} edges, each way counted, take more than the {} of memory that there is for the \
         graph: use a machine with more", ByteSize(*.most)
    )]
    Edges {
        /// Number of arcs up to this line.
        arcs: u64,
        /// Bytes that the graph may take.
        most: u64,
    },
}
