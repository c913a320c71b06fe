//! The field's files, which all ranks write together.

use tresse::commands::solve::files;
use tresse::engine::solvers::Method;
use tresse::files::stored_cell::StoredCell;
use tresse::report::field::{About, FieldBand, heat_map, shared_npy, vti};
use tresse::report::output::{OutputDir, OutputError};
use tresse_core::base::id::RankId;
use tresse_core::run::RunConfig;

use super::error::SolveError;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, together};
use crate::rank::bands::FieldRows;

/// Returns the names of the files that this rank writes; on the first rank, which needs all names,
/// those of all ranks.
pub fn names(entry: &Entry) -> Vec<String> {
    let is_first = entry.rank() == RankId(0);
    let own = if is_first { 0..entry.ranks() } else { entry.rank().0..entry.rank().0 + 1 };
    let pieces = own.map(|rank| piece(RankId(rank)));
    let others = files::NAMES.into_iter().filter(|name| *name != "field.vti").chain(["field.pvti"]);
    let others = others.filter(|name| is_first || *name == NPY).map(str::to_owned);
    pieces.chain(others).collect()
}

/// Returns the names of the files of a method as they are shown to a person.
pub const fn shown(method: Method) -> &'static str {
    match method {
        Method::Jacobi => {
            "summary.json, history.csv, braid.{csv,svg,png}, field.{npy,pvti,png}, field_RANK.vti"
        }
        Method::Multigrid(_) => "summary.json, history.csv, field.{npy,pvti,png}, field_RANK.vti",
    }
}

const NPY: &str = "field.npy";

/// The destination of a field.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    /// Folder, which all ranks see.
    pub out: &'a OutputDir,
    /// The run.
    pub config: &'a RunConfig,
    /// What was solved for.
    pub about: &'a About,
}

impl Fields<'_> {
    /// Stores a field. Collective.
    pub fn store<F: StoredCell>(
        self,
        entry: &mut Entry,
        band: &FieldRows<F>,
    ) -> Result<(), Refused> {
        let Self { out, config, about } = self;
        let is_first = entry.rank() == RankId(0);
        let created =
            is_first.then(|| shared_npy::SharedNpy::create(out, NPY, config.grid, F::PRECISION));
        let shared = together(entry, created.transpose().map_err(failed))?;
        let bands = self.bands(entry, band);
        let written =
            FieldBand::new(config.grid, band.first_row, F::view(&band.cells)).map(|view| {
                shared_npy::write_band(out, NPY, view)?;
                out.write(piece(entry.rank()), |w| vti::write_band(view, about, w))
            });
        // A rank without a row has nothing to write.
        together(entry, written.unwrap_or(Ok(())).map_err(failed))?;
        let finished = shared.map_or(Ok(()), |shared| {
            shared.finish()?;
            self.index::<F>(&bands)?;
            self.picture::<F>()
        });
        together(entry, finished.map_err(failed))
    }

    /// Returns the first row and the number of rows of each rank's band, on the first rank.
    fn bands<F>(self, entry: &mut Entry, band: &FieldRows<F>) -> Vec<(usize, usize)> {
        let rows = band.cells.len() / self.config.grid.columns.max(1);
        let first = entry.all_gather_u64(band.first_row as u64);
        let rows = entry.all_gather_u64(rows as u64);
        let number = |word: u64| usize::try_from(word).unwrap_or(0);
        first.into_iter().map(number).zip(rows.into_iter().map(number)).collect()
    }

    /// Writes the index of the pieces. A band is its first row and its number of rows, by rank; a
    /// rank without rows has no piece.
    fn index<F: StoredCell>(self, bands: &[(usize, usize)]) -> Result<(), OutputError> {
        let names: Vec<_> = (0..).map(RankId).take(bands.len()).map(piece).collect();
        let pieces = bands.iter().zip(&names).filter(|((_, rows), _)| *rows > 0);
        let pieces = pieces.map(|((first, rows), name)| (*first..first + rows, name.as_str()));
        self.out.write("field.pvti", |w| {
            vti::write_index(self.config.grid, F::PRECISION, self.about, pieces, w)
        })
    }

    /// Draws the field as a heat map, from the array file that all ranks have written.
    fn picture<F: StoredCell>(self) -> Result<(), OutputError> {
        let title = format!("{}, {} cells", self.about.name, self.config.grid);
        let (path, grid) = (self.out.path().join(NPY), self.config.grid);
        self.out.write("field.png", |w| heat_map::write_npy(&path, grid, F::PRECISION, &title, w))
    }
}

/// Returns the name of a rank's part of the field.
fn piece(rank: RankId) -> String {
    format!("field_{rank}.vti")
}

fn failed(error: OutputError) -> SolveError {
    SolveError::Command(error.into())
}
