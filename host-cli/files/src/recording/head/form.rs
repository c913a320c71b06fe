//! The written form of the head: choices are kept in their grammar, so that everything that a
//! person may ask for is read back unchanged.

use crate::config_form::ConfigForm;
use serde::{Deserialize, Serialize};
use tresse_core::field::grid::Side;
use tresse_core::field::problem::{
    Boundary, CellSize, CellValues, Problem, Profile, ValueRange, side_length,
};
use tresse_core::field::stencil::Terms;
use tresse_core::run::GridSize;
use tresse_core::run::noise::Noise;

use super::{Head, Source};
use crate::field_name::{About, FieldName};
use crate::recording::error::RecordingError;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeadForm {
    pub(super) program: String,
    pub(super) config: ConfigForm,
    pub(super) problem: ProblemForm,
    /// Left out where the problem does not name it, as in recordings of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    field: Option<FieldForm>,
    /// Height and width of a cell; left out where both are 1, and in recordings of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cell: Option<[f64; 2]>,
    pub(super) cores: Vec<u32>,
    pub(super) noise: Vec<SourceForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldForm {
    name: String,
    unit: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceForm {
    noise: String,
    core: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProblemForm {
    /// Values along the sides, by [`Side::index`].
    boundary: [ProfileForm; 4],
    /// Whether a side has a flux in place of values; left out where none has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    flux: Option<[bool; 4]>,
    initial: CellsForm,
    source: CellsForm,
    /// Left out where it is 1, as in recordings of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    coefficient: Option<CellsForm>,
    /// Height of a cell over its width; left out where it is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cell_ratio: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum ProfileForm {
    Constant(f64),
    Gaussian { amplitude: f64, centre: f64, width: f64 },
    Array,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum CellsForm {
    Constant(f64),
    Array,
}

/// The coefficient of a problem that has none.
const ONE: CellValues = CellValues::Constant(1.0);

impl HeadForm {
    /// Writes the head in its form; what is as by default is left out.
    pub(super) fn of(head: &Head) -> Self {
        let form =
            |source: &Source| SourceForm { noise: source.noise.to_string(), core: source.core };
        let About { name, cell } = &head.about;
        let unit = name.unit().map(str::to_owned);
        let field = FieldForm { name: name.name().to_owned(), unit };
        Self {
            program: head.program.clone(),
            config: ConfigForm::of(&head.config),
            problem: ProblemForm::of(&head.problem),
            field: (*name != FieldName::default()).then_some(field),
            cell: (*cell != CellSize::ONE).then_some([cell.height, cell.width]),
            cores: head.cores.clone(),
            noise: head.noise.iter().map(form).collect(),
        }
    }
}

impl HeadForm {
    /// Returns what the field is of; an older program noted the shape of the cells only.
    pub(super) fn about(&self) -> Result<About, RecordingError> {
        let field = self.field.as_ref();
        let name = field.map_or(Some(FieldName::default()), |FieldForm { name, unit }| {
            FieldName::new(Some(name), unit.as_deref())
        });
        let name = name.ok_or_else(|| RecordingError::nonsense("the name of its field"))?;
        let shape = [self.problem.cell_ratio.unwrap_or(1.0), 1.0];
        let [height, width] = self.cell.unwrap_or(shape);
        let cell = CellSize { height, width };
        if cell.is_valid() {
            Ok(About { name, cell })
        } else {
            Err(RecordingError::nonsense("the size of its cells"))
        }
    }
}

impl SourceForm {
    pub(super) fn read(&self) -> Option<Source> {
        Some(Source { noise: Noise::parse(&self.noise).ok()?, core: self.core })
    }
}

impl ProblemForm {
    /// Writes the problem in its form; arrays are only marked, and follow in frames of their own.
    fn of(problem: &Problem) -> Self {
        let cells = |cells: &CellValues| match cells {
            CellValues::Constant(value) => CellsForm::Constant(*value),
            CellValues::Values { .. } => CellsForm::Array,
        };
        Self {
            boundary: Side::ALL.map(|side| match problem.boundary.profile(side) {
                Profile::Constant(value) => ProfileForm::Constant(*value),
                &Profile::Gaussian { amplitude, centre, width } => {
                    ProfileForm::Gaussian { amplitude, centre, width }
                }
                Profile::Values(_) => ProfileForm::Array,
            }),
            flux: problem.boundary.fluxes(),
            initial: cells(&problem.initial),
            source: cells(&problem.source),
            coefficient: (problem.coefficient != ONE).then(|| cells(&problem.coefficient)),
            cell_ratio: (!problem.has_square_cells()).then_some(problem.cell_ratio),
        }
    }

    /// Returns the terms of the equation that there may be.
    pub(super) fn terms(&self) -> Terms<()> {
        Terms::of(
            true,
            self.coefficient.is_some() || self.flux.is_some(),
            self.cell_ratio.unwrap_or(1.0),
        )
    }

    /// Rebuilds the problem and checks it; `read` returns the next array, of this length.
    pub(super) fn read(
        self,
        grid: GridSize,
        read: &mut dyn FnMut(usize) -> Result<Vec<f64>, RecordingError>,
    ) -> Result<Problem, RecordingError> {
        let mut boundary = Boundary::default();
        for (side, form) in Side::ALL.into_iter().zip(self.boundary) {
            let profile = match form {
                ProfileForm::Constant(value) => Profile::Constant(value),
                ProfileForm::Gaussian { amplitude, centre, width } => {
                    Profile::Gaussian { amplitude, centre, width }
                }
                ProfileForm::Array => Profile::Values(read(side_length(side, grid))?),
            };
            boundary = boundary.with(side, profile);
        }
        for (side, has_flux) in Side::ALL.into_iter().zip(self.flux.unwrap_or_default()) {
            if has_flux {
                boundary = boundary.with_flux(side);
            }
        }
        if !Side::ALL.into_iter().any(|side| boundary.is_fixed(side)) {
            return Err(RecordingError::nonsense("its boundary"));
        }
        let mut cells = |form| -> Result<_, RecordingError> {
            Ok(match form {
                CellsForm::Constant(value) => CellValues::Constant(value),
                CellsForm::Array => {
                    let values = read(usize::try_from(grid.cells()).unwrap_or(usize::MAX))?;
                    CellValues::Values { columns: grid.columns, values }
                }
            })
        };
        let (initial, source) = (cells(self.initial)?, cells(self.source)?);
        let coefficient = self.coefficient.map_or(Ok(ONE), cells)?;
        let ValueRange { least, most } = coefficient.range();
        if !(least >= 0.0 && most > 0.0 && most.is_finite()) {
            return Err(RecordingError::nonsense("its coefficient"));
        }
        let cell_ratio = self.cell_ratio.unwrap_or(1.0);
        if !(CellSize { height: cell_ratio, width: 1.0 }).is_valid() {
            return Err(RecordingError::nonsense("the size of its cells"));
        }
        Ok(Problem { grid, boundary, initial, source, coefficient, cell_ratio })
    }
}
