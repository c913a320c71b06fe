//! Checkpoints of multigrid: each rank keeps its rows of what the next visit starts from.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration as Sleep;

use tresse::engine::multigrid::{Keeper, Stage};
use tresse::engine::solvers::MultigridChoices;
use tresse::engine::threads::Moment;
use tresse::files::checkpoint::{Checkpoint, CheckpointError, MultigridState};
use tresse::files::stored_cell::StoredCell;
use tresse_core::bug::OrBug;
use tresse_core::grid::Rectangle;
use tresse_core::owned::multigrid::Kept;
use tresse_core::run::GridSize;
use tresse_core::time::Instant;

use super::lock;
use crate::mpi::Entry;
use crate::rank::restored::whole_iterations;
use crate::rank::saving::{Plan, Saving};
use crate::rank::termination_notice::TerminationNotice;

/// Time between two looks whether the run is asked to end.
const LOOK: Sleep = Sleep::from_millis(2);

/// Sets what the first visit starts from, as far as this rank has it, to that of a checkpoint.
pub(super) fn restore<K: Kept<Number: StoredCell>>(
    checkpoint: &Checkpoint,
    kept: &mut K,
    grid: GridSize,
) -> Result<(), CheckpointError> {
    let rows = kept.needed().clone();
    let parts: Vec<_> = (0..K::FIELDS).map(|field| part(field, &rows, grid)).collect();
    checkpoint.read::<K::Number>(&parts, &mut |stretch| {
        let row = kept.row_mut(stretch.wanted, rows.start + stretch.row);
        let place = row.get_mut(stretch.column..).or_bug("a checkpoint has rows of another rank");
        for (place, number) in place.unwrap_or_default().iter_mut().zip(stretch.cells) {
            *place = *number;
        }
    })?;
    let besides = checkpoint.manifest().state.multigrid;
    kept.set_last_product(besides.and_then(|besides| besides.last_product));
    Ok(())
}

/// Returns how far the run of a checkpoint has come; none where its method is another one.
pub(super) fn stage(checkpoint: &Checkpoint) -> Option<Stage> {
    let state = &checkpoint.manifest().state;
    let MultigridState { gains, .. } = state.multigrid?;
    Some(Stage { initial: state.initial_residual, visits: whole_iterations(checkpoint), gains })
}

/// Returns the place of a field's rows among those of all fields.
fn part(field: usize, rows: &Range<usize>, grid: GridSize) -> Rectangle {
    let size = GridSize { rows: rows.len(), ..grid };
    Rectangle { first_row: field * grid.rows + rows.start, first_column: 0, size }
}

/// Keeps this rank's part of each checkpoint.
pub(super) struct RanksKeeper<'l, 'm, 'p, F> {
    saving: Saving<'p, F>,
    entry: &'l Mutex<&'m mut Entry>,
    choices: MultigridChoices,
    grid: GridSize,
}

impl<'l, 'm, 'p, F: StoredCell> RanksKeeper<'l, 'm, 'p, F> {
    pub(super) fn new(
        plan: Plan<'p>,
        entry: &'l Mutex<&'m mut Entry>,
        choices: MultigridChoices,
    ) -> Self {
        let (grid, own) = (plan.config.grid, lock(entry).rank());
        Self { saving: Saving::new(plan, own), entry, choices, grid }
    }

    /// Makes a run, beside which a thread says, once it is asked to end, what is left if it cannot.
    pub(super) fn attended<R>(&self, interrupt: &AtomicBool, run: impl FnOnce(&Self) -> R) -> R {
        let notice = TerminationNotice::new(&mut lock(self.entry));
        thread::scope(|scope| {
            // Dropped when the run is over, also by a panic.
            let (_goes_on, is_over) = mpsc::channel::<()>();
            scope.spawn(move || {
                while is_over.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                    if interrupt.load(Ordering::Relaxed) {
                        notice.send(|| self.saving.left());
                    }
                }
            });
            run(self)
        })
    }
}

impl<K: Kept<Number: StoredCell>> Keeper<K> for RanksKeeper<'_, '_, '_, K::Number> {
    fn is_wanted(&self, now: Instant) -> bool {
        let own = self.saving.is_wanted(now);
        lock(self.entry).max_u64(u64::from(own)) > 0
    }

    fn keep(&self, kept: &K, stage: Stage, now: Instant) {
        let Stage { initial, visits, gains } = stage;
        let (choices, last_product) = (self.choices, kept.last_product());
        let besides = MultigridState { choices, gains, last_product };
        let moment = Moment { at: now, initial };
        let mut entry = lock(self.entry);
        if !self.saving.begin(&moment, Some(besides), &mut entry) {
            return;
        }
        let own = kept.own();
        for field in (0..K::FIELDS).filter(|_| !own.is_empty()) {
            let rows = own.clone().map(|row| kept.row(field, row));
            self.saving.save_rows(part(field, own, self.grid), visits, rows);
        }
        self.saving.complete(&mut entry);
    }
}
