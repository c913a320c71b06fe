//! Runs an experiment, and returns all figures that are pinned.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;
use tresse_core::base::id::SubdomainId;
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::field::owned::CellMemory;
use tresse_core::field::stencil::{Portable, Real, Terms};
use tresse_core::field::subdomain::{StencilPart, Subdomain};
use tresse_core::run::{End, Precision};
use tresse_core::sim::machine::{CoreTrace, LentParts, Simulation, SimulationNeeds};
use tresse_core::sim::owned::OwnedSimulationMemory;

use crate::configuration::Experiment;

/// The numbers of a run; floats are bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Reason for which the run ended.
    pub end: End,
    /// Time of the end, in nanoseconds.
    pub at: u64,
    /// Sweeps in all, the least and the most of a subdomain, and the largest spread that was seen.
    pub updates: [u64; 4],
    /// Moves, transfers, rounds.
    pub moves: [u64; 3],
    /// Halos read, the sum of their gaps, the largest gap.
    pub staleness: [u64; 3],
    /// Sum of squares before the first sweep and at the end.
    pub residual: [u64; 2],
    /// The cells.
    pub field: u64,
}

impl Row {
    /// The numbers' names.
    pub const HEADER: &str = "end time updates least most spread moves transfers rounds halos gaps \
                              stalest initial verified field hash";

    /// Returns the numbers as text, in the order of [`Row::HEADER`].
    pub fn numbers(&self) -> Vec<String> {
        let decimal = self.updates.iter().chain(&self.moves).chain(&self.staleness);
        let bits = self.residual.into_iter().chain([self.field, self.hash()]);
        let start = [format!("{:?}", self.end).to_lowercase(), self.at.to_string()];
        start
            .into_iter()
            .chain(decimal.map(u64::to_string))
            .chain(bits.map(|bits| format!("{bits:016x}")))
            .collect()
    }

    /// Returns the hash of all figures.
    pub fn hash(&self) -> u64 {
        let mut hasher = SipHasher13::new();
        hasher.write_u8(self.end as u8);
        let numbers = [self.at, self.field].into_iter().chain(self.updates).chain(self.moves);
        for number in numbers.chain(self.staleness).chain(self.residual) {
            hasher.write(&number.to_le_bytes());
        }
        hasher.finish()
    }
}

/// Runs an experiment; none where its configuration makes no sense.
pub fn row(experiment: &Experiment) -> Option<Row> {
    match experiment.config.precision {
        Precision::F32 => row_of::<f32>(experiment),
        Precision::F64 => row_of::<f64>(experiment),
    }
}

fn row_of<F: Real>(experiment: &Experiment) -> Option<Row> {
    let Experiment { config, hardware, trace, .. } = experiment;
    let decomposition = Decomposition::new(config).ok()?;
    let mut cells =
        CellMemory::<F>::allocate(&decomposition, Terms { source: Some(()), ..Terms::NONE });
    let mut parts: Vec<_> = cells.parts(Portable).collect();
    for (id, part) in decomposition.ids().zip(&mut parts) {
        fill(&decomposition, id, part);
    }
    let traces = [CoreTrace { core: 1, pieces: trace }];
    let traces = if trace.is_empty() { &[][..] } else { &traces };
    let mut memory = OwnedSimulationMemory::new(&SimulationNeeds::of(config, hardware, traces));
    let parts = LentParts::new(&decomposition, &mut parts);
    let mut machine = Simulation::new(config, hardware, traces, parts, memory.lend()).ok()?;
    while machine.step(&mut ()) {}
    let (outcome, progress, staleness) =
        (machine.outcome()?, machine.progress(), machine.staleness());
    Some(Row {
        end: outcome.end,
        at: outcome.at.0,
        updates: [machine.updates(), progress.least, progress.most, machine.spread_max()],
        moves: [machine.moves(), machine.transfers(), machine.rounds()],
        staleness: [staleness.halos, staleness.sum, staleness.max],
        residual: [outcome.initial.to_bits(), outcome.verified.to_bits()],
        field: field_hash(machine.parts()),
    })
}

/// A bump along the top, a ramp along the left, an uneven start and a small source: fractions only.
fn fill<F: Real>(decomposition: &Decomposition, id: SubdomainId, subdomain: &mut Subdomain<'_, F>) {
    let part = decomposition.rectangle(id);
    let (rows, columns) = (decomposition.grid().rows as f64, decomposition.grid().columns as f64);
    let row_of = |row: usize| (part.first_row + row) as f64 / rows;
    let column_of = |column: usize| (part.first_column + column) as f64 / columns;
    let bump = |position: f64| 4.0 * position * (1.0 - position);
    subdomain.fill(
        |row, column| F::from_f64(1.0 - 0.3 * row_of(row) * bump(column_of(column))),
        |row, column| F::from_f64(0.001 * column_of(column) - 0.002 * row_of(row)),
        |side, index| {
            F::from_f64(match side {
                Side::Top => bump(column_of(index)),
                Side::Left => 0.7 * row_of(index),
                Side::Bottom | Side::Right => 0.1,
            })
        },
    );
}

fn field_hash<F: Real>(parts: &[StencilPart<'_, F, Portable>]) -> u64 {
    let mut hasher = SipHasher13::new();
    for subdomain in parts {
        let layout = subdomain.layout();
        for row in 0..layout.rows() {
            for cell in layout.row(subdomain.cells(), row) {
                hasher.write(&cell.to_f64().to_bits().to_le_bytes());
            }
        }
    }
    hasher.finish()
}
