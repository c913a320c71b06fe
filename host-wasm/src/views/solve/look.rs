//! Observes the state of a machine at a moment, for cells of any type.

use ndarray::Array2;
use tresse_core::base::id::SubdomainId;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::stencil::{Portable, Real};
use tresse_core::run::progress::Staleness;
use tresse_core::sim::machine::SimulationOutcome;
use tresse_core::sim::owned::OfStencil;
use tresse_files::field::{self, Field};

use super::frame::{Look, Scene};
use super::track::Sample;

/// A machine whose cells have this type.
pub type Machine<'a, 'c, F> = OfStencil<'a, 'c, 'static, F, Portable>;

/// The observed state of a machine.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// End of the run.
    pub outcome: Option<SimulationOutcome>,
    /// Number of all sweeps.
    pub updates: u64,
    /// Published l2 norm of the residual, relative to the initial one.
    pub residual: f64,
    /// Numbers of subdomains that changed hands, and that changed nodes.
    pub moves: (u64, u64),
    /// Staleness of the halos that were read.
    pub staleness: Staleness,
    /// Update count of each subdomain.
    pub counts: Vec<u64>,
    /// Owner of each subdomain; beyond the workers' numbers while the subdomain is between nodes.
    pub owners: Vec<u32>,
    /// Published sum of squares of each subdomain's residual, where that is asked for.
    pub residuals: Vec<f32>,
    /// Picture of the field, where that is asked for.
    pub picture: Picture,
}

impl Seen {
    /// Returns what frames show of a machine's present state; `look` says how much of it.
    pub fn of<F: Real>(machine: &Machine<'_, '_, F>, scene: &Scene, look: Look) -> Self {
        let ids = (0..).map(SubdomainId).take(scene.first_owners.len());
        let residuals = if look.residuals { machine.residuals() } else { &[] };
        #[expect(clippy::cast_possible_truncation, reason = "a colour needs no more digits")]
        let residuals = residuals.iter().map(|&sum| sum as f32).collect();
        Self {
            outcome: machine.outcome(),
            updates: machine.updates(),
            residual: relative(machine),
            moves: (machine.moves(), machine.transfers()),
            staleness: machine.staleness(),
            counts: machine.counts().collect(),
            owners: ids.map(|id| machine.owner(id).map_or(u32::MAX, |owner| owner.0)).collect(),
            residuals,
            picture: if look.field {
                picture(machine, scene, look.pixels)
            } else {
                Picture::default()
            },
        }
    }
}

/// Returns the norm of the residual over the initial one; the residual is the known one, or else
/// that of the published sums.
fn relative<F: Real>(machine: &Machine<'_, '_, F>) -> f64 {
    let known = machine.known_residual().map(|known| known.squares);
    (known.unwrap_or_else(|| machine.published_residual()) / machine.initial_residual()).sqrt()
}

/// Returns a sample, with the counts of the subdomains `lines`.
pub fn sample<F: Real>(machine: &Machine<'_, '_, F>, lines: &[u32]) -> Sample {
    let progress = machine.progress();
    let mean = progress.mean();
    let mut counts = machine.counts().enumerate();
    #[expect(clippy::cast_possible_truncation, reason = "a line in a plot")]
    let mut ahead = |line: u32| {
        let count = counts.find(|(id, _)| *id == line as usize).map_or(0, |(_, count)| count);
        (count as f64 - mean) as f32
    };
    Sample {
        at: machine.now().0,
        residual: relative(machine),
        updates: machine.updates(),
        spread: progress.spread(),
        moves: machine.moves(),
        ahead: lines.iter().map(|&line| ahead(line)).collect(),
    }
}

/// Returns the value of a cell of a subdomain, by its row and column there; `None` outside of it.
pub fn cell<F: Real>(
    machine: &Machine<'_, '_, F>,
    number: usize,
    (row, column): (usize, usize),
) -> Option<f64> {
    let part = machine.parts().get(number)?;
    let row = (row < part.layout().rows()).then(|| part.layout().row(part.cells(), row))?;
    row.get(column).map(|cell| cell.to_f64())
}

/// Returns a text of everything that a run decides, which is the same on every platform.
pub fn hash<F: Real>(machine: &Machine<'_, '_, F>, decomposition: &Decomposition) -> String
where
    Field: From<Array2<F>>,
{
    let cells = field::assembled(decomposition, |id, show| {
        machine.parts().get(id.index()).into_iter().for_each(|part| show(part));
    });
    let field = Field::from(cells).hash();
    let (staleness, at) = (machine.staleness(), machine.now().0);
    let end = machine.outcome().map_or("-".into(), |outcome| outcome.end.to_string());
    format!(
        "field {field}, updates {}, moves {}, rounds {}, transfers {}, staleness {} of {}, spread {}, at {at}, end \
         {end}",
        machine.updates(),
        machine.moves(),
        machine.rounds(),
        machine.transfers(),
        staleness.sum,
        staleness.halos,
        machine.spread_max(),
    )
}

/// The field's picture: its size, its range, and its colours' numbers.
pub type Picture = ((u32, u32), (f64, f64), Vec<u8>);

/// Returns a picture of the field with at most the number of rows and columns asked for; the first
/// cell of each group is shown.
fn picture<F: Real>(machine: &Machine<'_, '_, F>, scene: &Scene, pixels: u32) -> Picture {
    let (rows, columns) = scene.grid;
    let most = pixels.max(1);
    let (height, width) = (rows.min(most), columns.min(most));
    let sources = |pixels: u32, cells: u32| -> Vec<u32> {
        let source = |pixel| u64::from(pixel) * u64::from(cells) / u64::from(pixels.max(1));
        (0..pixels).map(|pixel| u32::try_from(source(pixel)).unwrap_or(0)).collect()
    };
    let columns = sources(width, columns);
    let mut values = vec![f32::NAN; height as usize * width as usize];
    let across = scene.columns.len().saturating_sub(1);
    for (line, row) in values.chunks_exact_mut(width as usize).zip(sources(height, rows)) {
        let down = scene.rows.partition_point(|&first| first <= row).saturating_sub(1);
        let row = row.saturating_sub(scene.rows.get(down).copied().unwrap_or(0)) as usize;
        let mut pixels = line.iter_mut().zip(&columns).peekable();
        for (part, cut) in
            machine.parts().iter().skip(down * across).zip(scene.columns.array_windows())
        {
            let [first, end] = *cut;
            let cells = part.layout().row(part.cells(), row);
            while let Some((pixel, column)) = pixels.next_if(|(_, column)| **column < end) {
                let cell =
                    cells.get((*column - first) as usize).map_or(f64::NAN, |cell| cell.to_f64());
                #[expect(clippy::cast_possible_truncation, reason = "a colour")]
                let shown = cell as f32;
                *pixel = shown;
            }
        }
    }
    let range = values
        .iter()
        .filter(|value| value.is_finite())
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), &value| {
            (least.min(value), most.max(value))
        });
    let scale = 254.0 / (range.1 - range.0).max(f32::MIN_POSITIVE);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 254")]
    let colour = |value: &f32| {
        if value.is_finite() { ((value - range.0) * scale) as u8 } else { u8::MAX }
    };
    let field = values.iter().map(colour).collect();
    ((height, width), (range.0.into(), range.1.into()), field)
}
