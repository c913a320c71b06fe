//! Checkpoints of multigrid: each process keeps its rows of what the next cycle starts from.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tresse_core::base::id::RankId;
use tresse_core::base::table::At;
use tresse_core::base::time::Instant;
use tresse_core::field::grid::Rectangle;
use tresse_core::multigrid::owned::SolverState;
use tresse_core::run::GridSize;
use tresse_files::stored_cell::StoredCell;

use super::group::Group;
use super::restored::whole_iterations;
use super::saving::{Plan, Saving};
use crate::files::checkpoint::{Checkpoint, CheckpointError, MultigridState};
use crate::multigrid::{Keeper, Stage};
use crate::solvers::MultigridChoices;
use crate::threads::Moment;

/// Restores the state that the first cycle starts from, as far as this process has it.
pub fn restore<K: SolverState<Number: StoredCell>>(
    checkpoint: &Checkpoint,
    state: &mut K,
    grid: GridSize,
) -> Result<(), CheckpointError> {
    let rows = state.needed().clone();
    let parts: Vec<_> = (0..K::FIELDS).map(|field| part(field, &rows, grid)).collect();
    checkpoint.read::<K::Number>(&parts, &mut |stretch| {
        let row = state.row_mut(stretch.wanted, rows.start + stretch.row);
        let place = row.stretch_mut(stretch.column..);
        for (place, number) in place.iter_mut().zip(stretch.cells) {
            *place = *number;
        }
    })?;
    let besides = checkpoint.manifest().state.multigrid;
    state.set_last_product(besides.and_then(|besides| besides.last_product));
    Ok(())
}

/// Returns how far the run of a checkpoint has come; none where its method is another one.
pub fn stage(checkpoint: &Checkpoint) -> Option<Stage> {
    let state = &checkpoint.manifest().state;
    let MultigridState { gains, .. } = state.multigrid?;
    Some(Stage { initial: state.initial_residual, cycles: whole_iterations(checkpoint), gains })
}

/// Returns the place of a field's rows among those of all fields.
fn part(field: usize, rows: &Range<usize>, grid: GridSize) -> Rectangle {
    let size = GridSize { rows: rows.len(), ..grid };
    Rectangle { first_row: field * grid.rows + rows.start, first_column: 0, size }
}

/// Keeps this process's part of each checkpoint of multigrid; `group` is all processes.
pub struct MultigridKeeper<'l, 'p, F, G> {
    saving: Saving<'p, F>,
    group: &'l Mutex<G>,
    choices: MultigridChoices,
    grid: GridSize,
}

impl<'l, 'p, F: StoredCell, G: Group> MultigridKeeper<'l, 'p, F, G> {
    /// Returns the keeper of the process with this rank, which shares the group with other threads.
    pub fn new(
        plan: Plan<'p>,
        own: RankId,
        group: &'l Mutex<G>,
        choices: MultigridChoices,
    ) -> Self {
        let grid = plan.config.grid;
        Self { saving: Saving::new(plan, own), group, choices, grid }
    }

    /// Returns what is left of the run if it is killed, for a message.
    pub fn left(&self) -> String {
        self.saving.left()
    }

    /// Only a panic, which ends all processes, could spoil it.
    fn lock(&self) -> MutexGuard<'_, G> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: SolverState<Number: StoredCell>, G: Group> Keeper<K>
    for MultigridKeeper<'_, '_, K::Number, G>
{
    fn is_wanted(&self, now: Instant) -> bool {
        let own = self.saving.is_wanted(now);
        self.lock().max(u64::from(own)) > 0
    }

    fn keep(&self, solver: &K, stage: Stage, now: Instant) {
        let Stage { initial, cycles, gains } = stage;
        let (choices, last_product) = (self.choices, solver.last_product());
        let besides = MultigridState { choices, gains, last_product };
        let moment = Moment { at: now, initial };
        let mut group = self.lock();
        if !self.saving.begin(&moment, Some(besides), &mut *group) {
            return;
        }
        let own = solver.own();
        for field in (0..K::FIELDS).filter(|_| !own.is_empty()) {
            let rows = own.clone().map(|row| solver.row(field, row));
            self.saving.save_rows(part(field, own, self.grid), cycles, rows);
        }
        self.saving.complete(&mut *group);
    }
}
