//! Checks that a row has one writer or any readers, and that each sees what those before it wrote:
//! the core's own code on loom's atomics, which tell when a row could be touched by two.

use loom::sync::Arc;
use loom::thread;
use tresse_core::multigrid::{LentRows, RowStates};

use crate::explore;

/// An array that lives as long as a model needs it.
fn lent(rows: usize) -> Arc<LentRows<'static, u32>> {
    let values = Box::leak(vec![0; rows].into_boxed_slice());
    let states: Vec<_> = (0..RowStates::number(rows)).map(|_| RowStates::default()).collect();
    Arc::new(LentRows::new(values, 1, Box::leak(states.into_boxed_slice())))
}

#[test]
fn two_writers_of_rows_that_overlap_never_have_them_together() {
    explore(3, || {
        let rows = lent(3);
        let threads = [0, 1].map(|first| {
            let rows = Arc::clone(&rows);
            thread::spawn(move || {
                let written = rows.write(first..first + 2);
                written.map(|mut rows| rows.iter_mut().for_each(|row| *row += 1)).is_some()
            })
        });
        let [one, other] = threads.map(|thread| u32::from(thread.join().unwrap()));
        // One of them at least has come first to the row in the middle.
        assert!(one + other > 0);
        let seen = rows.read(0..3).expect("all rows are free again");
        assert_eq!(*seen, [one, one + other, other]);
    });
}

#[test]
fn a_reader_sees_what_a_writer_wrote_or_nothing() {
    explore(3, || {
        let rows = lent(2);
        let reads = |rows: &LentRows<'_, u32>| rows.read(0..2).map(|rows| [rows[0], rows[1]]);
        let writer = {
            let rows = Arc::clone(&rows);
            thread::spawn(move || rows.write(0..2).map(|mut rows| rows.fill(7)).is_some())
        };
        let reader = {
            let rows = Arc::clone(&rows);
            thread::spawn(move || reads(&rows))
        };
        let own = reads(&rows);
        let (has_written, other) = (writer.join().unwrap(), reader.join().unwrap());
        for seen in [own, other].into_iter().flatten() {
            assert!(seen == [0, 0] || seen == [7, 7], "{seen:?}");
        }
        assert!(has_written || own.is_some() || other.is_some());
        assert_eq!(reads(&rows), Some(if has_written { [7, 7] } else { [0, 0] }));
    });
}
