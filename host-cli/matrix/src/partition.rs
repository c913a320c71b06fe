//! Cuts the rows of a matrix into parts of about equal work.
//!
//! Recursive bisection by levels (H. D. Simon, *Partitioning of unstructured problems for parallel
//! processing*, Computing Systems in Engineering 2, 1991): the rows are put into the order of
//! Cuthill–McKee, which begins at one end of the graph and goes from level to level, and are
//! cut where half of the work is done; then each half the same way. So a part is about as wide as
//! it is long, where one order cut into many pieces would give long strips. It needs nothing but a
//! breadth-first search; METIS would be C to build, and the crates in Rust alone partition points
//! with coordinates.

use crate::rows::SparseRows;

/// Searches for an end of the graph, each from the last row of the one before.
const SEARCHES: usize = 4;

/// Returns the rows of each part, in ascending order. `graph` is that of the matrix and its
/// transposed ([`SparseRows::graph`]), and the work of a row is its number of entries. None of the
/// parts is empty unless there are more parts than rows.
pub fn partition(graph: &SparseRows, parts: u32) -> Vec<Vec<u32>> {
    let rows = graph.len() as usize;
    let mut cutter = Cutter { graph, is_open: vec![false; rows], seen: vec![0; rows], searches: 0 };
    let mut cut = Vec::new();
    cutter.cut((0..graph.len()).collect(), parts.max(1), &mut cut);
    cut
}

struct Cutter<'g> {
    graph: &'g SparseRows,
    /// Whether a row is among those that are being ordered, and has no place yet.
    is_open: Vec<bool>,
    /// The last search that has come to a row.
    seen: Vec<u64>,
    searches: u64,
}

impl Cutter<'_> {
    /// Cuts rows into parts, whose rows are added to `cut`.
    fn cut(&mut self, mut rows: Vec<u32>, parts: u32, cut: &mut Vec<Vec<u32>>) {
        if parts == 1 {
            rows.sort_unstable();
            cut.push(rows);
            return;
        }
        let first_parts = parts / 2;
        let mut ordered = self.ordered(&rows);
        let at = self.cut_at(&ordered, (first_parts, parts));
        let second = ordered.split_off(at.min(ordered.len()));
        self.cut(ordered, first_parts, cut);
        self.cut(second, parts - first_parts, cut);
    }

    /// Returns how many of the ordered rows have the first parts' share of the work, such that
    /// there is a row for each part.
    fn cut_at(&self, rows: &[u32], (first_parts, parts): (u32, u32)) -> usize {
        let work = |row: &u32| self.graph.columns(*row).len() as u64;
        let all: u64 = rows.iter().map(work).sum();
        let share = all * u64::from(first_parts) / u64::from(parts);
        let mut sum = 0;
        let at = rows.iter().position(|row| {
            sum += work(row);
            sum > share
        });
        let rest = (parts - first_parts) as usize;
        let least = (first_parts as usize).min(rows.len());
        at.unwrap_or(rows.len()).clamp(least, rows.len().saturating_sub(rest).max(least))
    }

    /// Returns the rows in the order of Cuthill–McKee, one connected component after the other.
    fn ordered(&mut self, rows: &[u32]) -> Vec<u32> {
        for &row in rows {
            self.open(row, true);
        }
        let mut ordered = Vec::with_capacity(rows.len());
        for &row in rows {
            if !self.is_open(row) {
                continue;
            }
            let (mut found, mut levels) = self.search(row);
            for _ in 0..SEARCHES {
                let (again, more) = self.search(found.last().copied().unwrap_or(row));
                let is_longer = more > levels;
                (found, levels) = (again, more);
                if !is_longer {
                    break;
                }
            }
            for &row in &found {
                self.open(row, false);
            }
            ordered.append(&mut found);
        }
        ordered
    }

    /// Returns the open rows that are connected with one, level after level and those with few
    /// neighbours first, and the number of levels.
    fn search(&mut self, from: u32) -> (Vec<u32>, usize) {
        self.searches += 1;
        self.see(from);
        let graph = self.graph;
        let (mut found, mut levels) = (vec![from], 0);
        let mut level = 0..1;
        while !level.is_empty() {
            for place in level.clone() {
                let row = found.get(place).copied().unwrap_or(from);
                let first = found.len();
                found.extend(graph.columns(row).iter().filter(|&&row| self.see(row)));
                if let Some(new) = found.get_mut(first..) {
                    new.sort_by_key(|&row| graph.columns(row).len());
                }
            }
            level = level.end..found.len();
            levels += 1;
        }
        (found, levels)
    }

    /// Whether the present search comes to an open row for the first time.
    fn see(&mut self, row: u32) -> bool {
        let is_open = self.is_open(row);
        let Some(seen) = self.seen.get_mut(row as usize) else { return false };
        is_open && std::mem::replace(seen, self.searches) != self.searches
    }

    fn is_open(&self, row: u32) -> bool {
        self.is_open.get(row as usize).copied().unwrap_or(false)
    }

    fn open(&mut self, row: u32, is_open: bool) {
        self.is_open.get_mut(row as usize).into_iter().for_each(|it| *it = is_open);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The graph of a grid of `side` × `side` rows, each connected with those beside it.
    fn grid(side: u32) -> SparseRows {
        let at = |x: u32, y: u32| x + side * y;
        let places = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
        let entries = places.flat_map(|(x, y)| {
            let right = (x + 1 < side).then(|| at(x + 1, y));
            let above = (y + 1 < side).then(|| at(x, y + 1));
            [Some(at(x, y)), right, above].into_iter().flatten().map(move |to| (at(x, y), to, 1.0))
        });
        SparseRows::new(side * side, entries.collect()).graph()
    }

    #[test]
    fn every_row_is_in_one_part_of_about_equal_work() {
        let graph = grid(20);
        for parts in [1, 2, 3, 4, 7, 16, 64, 399, 400] {
            let cut = partition(&graph, parts);
            assert_eq!(cut.len(), parts as usize);
            let mut all = cut.concat();
            all.sort_unstable();
            assert_eq!(all, (0..400).collect::<Vec<_>>(), "{parts}");
            let sizes = cut.iter().map(Vec::len);
            let most = 400_usize.div_ceil(parts as usize);
            assert!(sizes.clone().max() <= Some(most + most / 4 + 1), "{parts}: {:?}", sizes.max());
            assert!(sizes.min() >= Some(1));
        }
        assert_eq!(partition(&graph, 7), partition(&graph, 7));
    }

    #[test]
    fn parts_are_not_strips() {
        let graph = grid(40);
        let cut = partition(&graph, 16);
        let mut owner = vec![0; 1600];
        for (part, rows) in cut.iter().enumerate() {
            for &row in rows {
                owner[row as usize] = part;
            }
        }
        let crossing =
            graph.iter().filter(|&(row, column, _)| owner[row as usize] != owner[column as usize]);
        // Squares of 10 × 10 would have 480, sixteen strips 1200.
        let crossing = crossing.count();
        assert!(crossing < 900, "{crossing}");
    }

    #[test]
    fn rows_that_nothing_connects_are_cut_as_well() {
        let diagonal = SparseRows::new(50_000, (0..50_000).map(|row| (row, row, 1.0)).collect());
        let sizes: Vec<_> = partition(&diagonal, 4).iter().map(Vec::len).collect();
        assert_eq!(sizes, [12_500; 4]);
    }
}
