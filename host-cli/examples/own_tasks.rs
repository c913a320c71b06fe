//! Tasks of one's own in a pool: the ways to place queens so that none attacks another.
//! `cargo run --release -p tresse --example own_tasks -- 12`
#![allow(clippy::print_stdout, reason = "a program that says what it found")]

use std::sync::atomic::AtomicBool;

use tresse::engine::pool::{self, Managing, PoolJob};
use tresse::platform::{Placement, Platform};
use tresse_core::tasks::sharing::{Full, Method, SharingConfig, Stack, Work};

/// Queens in the first rows: the columns and diagonals that they attack in the next one.
#[derive(Clone, Copy, Default)]
struct Board {
    columns: u32,
    left: u32,
    right: u32,
}

struct Queens {
    size: u32,
    solutions: u64,
}

impl Work for Queens {
    type Task = Board;
    type Outcome = bool;

    fn execute(&mut self, board: &Board, next: &mut Stack<'_, Board>) -> Result<bool, Full> {
        let Board { columns, left, right } = *board;
        let all = (1 << self.size) - 1;
        next.reserve(self.size as usize)?;
        for column in (0..self.size).map(|column| 1 << column) {
            if (columns | left | right) & column == 0 {
                let (left, right) = ((left | column) << 1, (right | column) >> 1);
                next.push(Board { columns: columns | column, left, right })?;
            }
        }
        Ok(columns == all)
    }

    fn commit(&mut self, _: &Board, is_solution: bool) {
        self.solutions += u64::from(is_solution);
    }
}

/// Counts the solutions for a board of the size that is given, 10 if there is none.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let size = std::env::args().nth(1).map_or(Ok(10), |size| size.parse())?;
    let job = PoolJob {
        config: SharingConfig::new(Method::Adaptive),
        placement: &Placement::plan(&Platform::detect()?, None, None)?,
        managing: Managing::Turn,
        most_tasks: 1 << 16,
        interrupt: &AtomicBool::new(false),
    };
    let empty = [Board::default()];
    let pooled = pool::run(job, &empty, |_| Queens { size, solutions: 0 }, &mut |_| {})?;
    let solutions: u64 = pooled.works.iter().map(|queens| queens.solutions).sum();
    println!("{solutions} ways to place {size} queens, in {:.3} s", pooled.report.seconds);
    Ok(())
}
