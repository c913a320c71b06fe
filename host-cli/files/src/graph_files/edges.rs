//! The edges of a graph that is being read.

use std::collections::HashMap;

use tresse_core::tasks::owned::OwnedGraph;

use super::error::GraphFault;
use super::metis::Event;
use super::{GraphForm, Numbers, Reading};

/// Bytes of a vertex's name: its place in a table that has just grown, and in the sorted list.
const NAME: u64 = 48;

/// The edges read so far.
pub(super) struct Edges {
    vertices: u32,
    arcs: Vec<(u32, u32)>,
    /// The numbers of a list, in the order in which they came.
    names: HashMap<u64, u32>,
    /// Whether each edge also leads back.
    pub both_ways: bool,
    /// Bytes of memory that the graph may take.
    most: u64,
}

impl Edges {
    pub fn new(Reading { undirected, most, .. }: Reading) -> Self {
        Self { vertices: 0, arcs: vec![], names: HashMap::new(), both_ways: undirected, most }
    }

    /// Adds an edge between vertices that are counted from 0.
    pub fn add(&mut self, from: u32, to: u32) -> Result<(), GraphFault> {
        let arcs = if self.both_ways { 2 } else { 1 };
        if self.arcs.len() + arcs > self.arcs.capacity() {
            self.grow()?;
        }
        self.arcs.push((from, to));
        if self.both_ways {
            self.arcs.push((to, from));
        }
        Ok(())
    }

    /// Adds an edge between vertices of any numbers.
    pub fn add_named(&mut self, from: u64, to: u64) -> Result<(), GraphFault> {
        let (from, to) = (self.named(from)?, self.named(to)?);
        self.add(from, to)
    }

    /// Adds what a line of METIS's form says: the number of vertices, or a neighbour.
    pub fn take(&mut self, event: Event) -> Result<(), GraphFault> {
        match event {
            Event::Vertices(vertices) => self.ensure_vertices(vertices),
            Event::Neighbour(from, to) => self.add(from, to),
        }
    }

    /// Returns the vertex of a name; a new name gets the next free number.
    fn named(&mut self, name: u64) -> Result<u32, GraphFault> {
        if let Some(vertex) = self.names.get(&name) {
            return Ok(*vertex);
        }
        let vertex = self.vertices;
        self.ensure_vertices(vertex.saturating_add(1))?;
        self.names.insert(name, vertex);
        Ok(vertex)
    }

    /// Makes room for as many arcs again, or for an eighth of that where the memory allows no more.
    fn grow(&mut self) -> Result<(), GraphFault> {
        let more = self.arcs.len().max(1 << 10);
        let fits = |more: usize| self.bytes(self.vertices, self.arcs.len() + more) <= self.most;
        let more = [more, more / 8].into_iter().find(|more| fits(*more));
        let arcs = self.arcs.len() as u64;
        let more = more.ok_or(GraphFault::Edges { arcs, most: self.most })?;
        let grown = self.arcs.try_reserve_exact(more.max(2));
        grown.map_err(|_| GraphFault::Edges { arcs, most: self.most })
    }

    /// Raises the number of vertices to at least `vertices`.
    pub fn ensure_vertices(&mut self, vertices: u32) -> Result<(), GraphFault> {
        if vertices > self.vertices {
            // The last number is that of no vertex.
            let is_number = vertices < u32::MAX;
            if !is_number || self.bytes(vertices, self.arcs.len()) > self.most {
                return Err(GraphFault::Vertices { vertices, most: self.most });
            }
            self.vertices = vertices;
        }
        Ok(())
    }

    /// Returns the bytes that the graph takes with this number of vertices and arcs.
    fn bytes(&self, vertices: u32, arcs: usize) -> u64 {
        let names = (self.names.len() as u64).saturating_mul(NAME);
        OwnedGraph::bytes(vertices.into(), arcs as u64).saturating_add(names)
    }

    /// Returns the arcs, the number of vertices, and the vertices' numbers in the file; vertices
    /// are counted in the order of these numbers.
    pub fn finish(self, form: GraphForm) -> (Vec<(u32, u32)>, u32, Numbers) {
        let Self { mut arcs, vertices, names, .. } = self;
        if form != GraphForm::EdgeList {
            return (arcs, vertices, Numbers::From(1));
        }
        let mut named: Vec<(u64, u32)> = names.into_iter().collect();
        named.sort_unstable();
        let mut places = vec![0; named.len()];
        for (place, (_, vertex)) in (0..).zip(&named) {
            if let Some(known) = places.get_mut(*vertex as usize) {
                *known = place;
            }
        }
        let place = |vertex: &mut u32| {
            *vertex = places.get(*vertex as usize).copied().unwrap_or(*vertex);
        };
        for (from, to) in &mut arcs {
            place(from);
            place(to);
        }
        let numbers = named.into_iter().map(|(name, _)| name).collect();
        (arcs, vertices, Numbers::Listed(numbers))
    }
}
