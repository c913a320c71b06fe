//! A range of pages, and a step of the power iteration for their `PageRank`.

use tresse::Part;
use tresse_core::base::id::SubdomainId;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};

use super::web::Web;

/// The probability that a surfer follows a link, and goes not just anywhere.
const FOLLOWS: f64 = 0.85;

/// A range of pages.
pub struct Range<'w> {
    web: &'w Web,
    id: usize,
    /// The ranks of all pages, of which it knows its own, and those that link to them.
    ranks: Vec<f64>,
}

impl<'w> Range<'w> {
    /// Returns a range all of whose pages have the same rank.
    pub fn new(id: SubdomainId, web: &'w Web) -> Self {
        Self { web, id: id.index(), ranks: vec![1.0; web.degrees.len()] }
    }

    /// Returns the ranks of its own pages, to be divided by the sum of all. A page without links
    /// then counts as one that links to all.
    pub fn own(&self) -> &[f64] {
        &self.ranks[self.web.pages(self.id)]
    }

    fn next(&self) -> Vec<f64> {
        let given = |page: &usize| self.ranks[*page] / f64::from(self.web.degrees[*page]);
        let taken = |from: &Vec<_>| from.iter().map(given).sum::<f64>();
        let own = self.web.sources[self.web.pages(self.id)].iter();
        own.map(|from| 1.0 - FOLLOWS + FOLLOWS * taken(from)).collect()
    }

    /// Returns the range that a link leads to; the links are in ascending order.
    fn to(&self, link: usize) -> usize {
        link + usize::from(link >= self.id)
    }
}

impl Part for Range<'_> {
    type Unit = f64;

    fn publish(&self, link: usize, edge: EdgeWriter<'_, f64>) {
        edge.write(self.web.between[self.id][self.to(link)].iter().map(|page| self.ranks[*page]));
    }

    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        let pages = &self.web.between[self.to(link)][self.id];
        pages.iter().zip(edge.cells()).for_each(|(page, rank)| self.ranks[*page] = rank);
    }

    fn update(&mut self, with_residual: bool) -> Option<f64> {
        let residual = with_residual.then(|| self.residual());
        let next = self.next();
        self.ranks[self.web.pages(self.id)].copy_from_slice(&next);
        residual
    }

    fn residual(&mut self) -> f64 {
        self.next().iter().zip(self.own()).map(|(next, rank)| (next - rank).powi(2)).sum()
    }

    fn pack(&self) -> impl Iterator<Item = f64> {
        self.ranks.iter().copied()
    }

    fn unpack(&mut self, id: SubdomainId, units: impl Iterator<Item = f64>) -> bool {
        self.id = id.index();
        let ranks = self.ranks.iter_mut().zip(units);
        ranks.map(|(rank, unit)| *rank = unit).count() == self.web.degrees.len()
    }
}
