//! The keys of the problem file.

use std::path::PathBuf;

use toml::Value;
use tresse_core::field::problem::{CellSize, Profile};
use tresse_core::run::GridSize;

use super::error::ProblemError;
use super::file::{COEFFICIENT, CellSource, GivenSide, MASK, ProblemFile, SIDES, SideSource};
use crate::document::{self, DocumentError, Section};
use crate::field_name::FieldName;

/// The key of a flux in a side.
const FLUX: &str = "flux";

impl ProblemFile {
    /// Reads the text of a problem file; touches no other file.
    pub fn parse(text: &str) -> Result<Self, ProblemError> {
        Ok(problem(text)?)
    }
}

/// Parses a problem file, whose arrays are not opened yet.
fn problem(text: &str) -> Result<ProblemFile, DocumentError> {
    let table = document::table(text)?;
    let known =
        ["grid", "boundary", "initial", "source", COEFFICIENT, MASK, "spacing", "field", "run"];
    let root = Section::root(&table, &known)?;
    Ok(ProblemFile {
        grid: grid(&root)?,
        boundary: boundary(&root)?,
        initial: cells(&root, "initial")?.unwrap_or(CellSource::Constant(1.0)),
        source: cells(&root, "source")?.unwrap_or(CellSource::NO_SOURCE),
        coefficient: coefficient(&root)?,
        mask: mask(&root)?,
        spacing: spacing(&root)?,
        field: field(&root)?,
        run: root.table("run")?.cloned(),
    })
}

/// Reads `grid`, which is `[rows, columns]`; `None` where it is not given.
fn grid(root: &Section) -> Result<Option<GridSize>, DocumentError> {
    let side = |value: &Value| match value {
        Value::Integer(side) => u32::try_from(*side).ok().filter(|&side| side > 0),
        _ => None,
    };
    match root.get("grid") {
        None => Ok(None),
        Some(Value::Array(sides)) => match sides.as_slice() {
            [rows, columns] => side(rows).zip(side(columns)),
            _ => None,
        }
        .map(|(rows, columns)| GridSize { rows: rows as usize, columns: columns as usize })
        .map(Some)
        .ok_or_else(|| root.wrong("grid", "expected two whole numbers above 0, [rows, columns]")),
        Some(_) => Err(root.wrong("grid", "expected [rows, columns]")),
    }
}

/// Reads `spacing`, the size of a cell; cells are squares of side 1 where it is not given.
fn spacing(root: &Section) -> Result<CellSize, DocumentError> {
    const EXPECTED: &str =
        "expected a distance above 0, or two, [from row to row, from column to column]";
    let distance = |value: &Value| match value {
        Value::Float(distance) => Some(*distance),
        Value::Integer(distance) => Some(*distance as f64),
        _ => None,
    };
    let spacing = match root.get("spacing") {
        Some(Value::Array(distances)) => match distances.as_slice() {
            [height, width] => distance(height).zip(distance(width)),
            _ => None,
        }
        .map(|(height, width)| CellSize { height, width }),
        _ => root.number("spacing")?.map_or(Some(CellSize::ONE), |h| Some(CellSize::square(h))),
    };
    spacing.filter(CellSize::is_valid).ok_or_else(|| root.wrong("spacing", EXPECTED))
}

/// Reads the name and the unit of the field.
fn field(root: &Section) -> Result<FieldName, DocumentError> {
    let Some(section) = root.section("field", &["name", "unit"])? else {
        return Ok(FieldName::default());
    };
    let (name, unit) = (section.text("name")?, section.text("unit")?);
    let wrong = || {
        let key = if FieldName::new(name, None).is_none() { "name" } else { "unit" };
        section.wrong(key, FieldName::EXPECTED)
    };
    FieldName::new(name, unit).ok_or_else(wrong)
}

/// Reads values of all cells: one number, or the path of an array.
fn cells(root: &Section, key: &str) -> Result<Option<CellSource>, DocumentError> {
    match root.get(key) {
        Some(Value::Table(_)) => npy_path(root, key).map(|path| path.map(CellSource::Npy)),
        Some(Value::Float(_) | Value::Integer(_)) => {
            root.number(key).map(|number| number.map(CellSource::Constant))
        }
        Some(_) => Err(root.wrong(key, "expected a number or { npy = \"file.npy\" }")),
        None => Ok(None),
    }
}

/// Reads the coefficient, which is positive, and 1 where it is not given.
fn coefficient(root: &Section) -> Result<CellSource, DocumentError> {
    let coefficient = cells(root, COEFFICIENT)?.unwrap_or(CellSource::NO_COEFFICIENT);
    match coefficient {
        CellSource::Constant(value) if value <= 0.0 => {
            Err(root.wrong(COEFFICIENT, "expected a number above 0"))
        }
        coefficient => Ok(coefficient),
    }
}

/// Reads the path of the mask.
fn mask(root: &Section) -> Result<Option<PathBuf>, DocumentError> {
    match root.get(MASK) {
        None | Some(Value::Table(_)) => npy_path(root, MASK),
        Some(_) => Err(root.wrong(MASK, "expected { npy = \"file.npy\" }")),
    }
}

/// Reads the path in `{ npy = "…" }`, the value of a key.
fn npy_path(section: &Section, key: &str) -> Result<Option<PathBuf>, DocumentError> {
    let Some(table) = section.section(key, &["npy"])? else { return Ok(None) };
    let path = table.text("npy")?.ok_or_else(|| table.wrong("npy", "name the .npy file"))?;
    Ok(Some(PathBuf::from(path)))
}

/// Reads the four sides, in the order of `SIDES`. One of them at least has values: with a flux
/// through all of them, a solution may be shifted by any constant.
fn boundary(root: &Section) -> Result<[GivenSide; 4], DocumentError> {
    let mut sides = <[GivenSide; 4]>::default();
    if let Some(section) = root.section("boundary", &SIDES.map(|(_, name)| name))? {
        for (side, (_, name)) in sides.iter_mut().zip(SIDES) {
            if let Some(given) = given_side(&section, name)? {
                *side = given;
            }
        }
        if sides.iter().all(|side| side.is_flux) {
            return Err(root.wrong(
                "boundary",
                "all four sides have a flux, and the solution is known up to a constant only: give one of them \
                 values",
            ));
        }
    }
    Ok(sides)
}

/// Reads one side: its values, or in `{ flux = … }` the flux through it.
fn given_side(boundary: &Section, name: &str) -> Result<Option<GivenSide>, DocumentError> {
    match boundary.get(name) {
        Some(Value::Table(table)) if table.contains_key(FLUX) => {
            let Some(section) = boundary.section(name, &[FLUX])? else { return Ok(None) };
            let source = side(&section, FLUX)?;
            Ok(source.map(|source| GivenSide { source, is_flux: true }))
        }
        _ => {
            let source = side(boundary, name)?;
            Ok(source.map(|source| GivenSide { source, is_flux: false }))
        }
    }
}

/// Reads numbers along a side: one number, a bell curve, or the path of an array.
fn side(boundary: &Section, name: &str) -> Result<Option<SideSource>, DocumentError> {
    // In a flux there is no other.
    let (known, expected): (&[_], _) = if name == FLUX {
        (&["gaussian", "npy"], "expected a number, { gaussian = … } or { npy = … }")
    } else {
        (
            &["gaussian", "npy", FLUX],
            "expected a number, { gaussian = … }, { npy = … } or { flux = … }",
        )
    };
    match boundary.get(name) {
        None => Ok(None),
        Some(Value::Table(table)) if table.contains_key("gaussian") => {
            boundary.section(name, &["gaussian"])?.map(|side| gaussian(&side)).transpose()
        }
        Some(Value::Table(table)) if table.contains_key("npy") => {
            npy_path(boundary, name).map(|path| path.map(SideSource::Npy))
        }
        Some(Value::Table(table)) => {
            // Only for the nearest key: none of them is there. To a Neumann condition that is far.
            if !table.contains_key("neumann") {
                boundary.section(name, known)?;
            }
            Err(boundary.wrong(name, expected))
        }
        Some(Value::Float(_) | Value::Integer(_)) => boundary
            .number(name)
            .map(|number| number.map(|value| SideSource::Given(Profile::Constant(value)))),
        Some(_) => Err(boundary.wrong(name, expected)),
    }
}

/// Reads a bell curve, whose centre and width are shares of the side's length.
fn gaussian(side: &Section) -> Result<SideSource, DocumentError> {
    let known = ["amplitude", "centre", "width"];
    let Some(bell) = side.section("gaussian", &known)? else { return Ok(SideSource::default()) };
    let width = bell.number("width")?.unwrap_or(0.1);
    if width <= 0.0 {
        return Err(bell.wrong("width", "expected a share of the side above 0, such as 0.1"));
    }
    Ok(SideSource::Given(Profile::Gaussian {
        amplitude: bell.number("amplitude")?.unwrap_or(1.0),
        centre: bell.number("centre")?.unwrap_or(0.5),
        width,
    }))
}

#[cfg(test)]
mod tests {
    use tresse_core::field::grid::Side;

    use super::*;

    #[test]
    fn sides_are_numbers_bells_or_arrays() {
        let file = problem(
            "[boundary]\ntop = 2\nleft = { gaussian = { width = 0.2 } }\nright = { npy = \"r.npy\" }",
        )
        .unwrap();
        let side = |side: Side| file.boundary.get(side.index()).unwrap().source.clone();
        assert_eq!(side(Side::Top), SideSource::Given(Profile::Constant(2.0)));
        assert_eq!(side(Side::Bottom), SideSource::default());
        let bell = Profile::Gaussian { amplitude: 1.0, centre: 0.5, width: 0.2 };
        assert_eq!(side(Side::Left), SideSource::Given(bell));
        assert_eq!(side(Side::Right), SideSource::Npy(PathBuf::from("r.npy")));
    }

    #[test]
    fn a_flux_is_given_as_values_are() {
        let file = problem(
            "[boundary]\ntop = { flux = 0 }\nleft = { flux = { npy = \"q.npy\" } }\nright = 3",
        )
        .unwrap();
        let given = |side: Side| file.boundary.get(side.index()).unwrap().clone();
        let flux = |source| GivenSide { source, is_flux: true };
        assert_eq!(given(Side::Top), flux(SideSource::Given(Profile::Constant(0.0))));
        assert_eq!(given(Side::Left), flux(SideSource::Npy(PathBuf::from("q.npy"))));
        assert!(!given(Side::Right).is_flux && !given(Side::Bottom).is_flux);
    }

    #[test]
    fn bad_files_get_one_line_that_names_the_key() {
        let deep = "initial = ".to_owned() + &"[".repeat(100_000);
        for (text, parts) in [
            ("gird = [1, 2]", &["`gird`", "`grid`"][..]),
            ("[boundary]\nletf = 1", &["`boundary.letf`", "`boundary.left`"]),
            (
                "[boundary]\ntop = { flux = 1 }\nbottom = { flux = 0 }\nleft = { flux = 0 }\nright = { flux = 0 }",
                &["`boundary`", "up to a constant"],
            ),
            (
                "[boundary]\nleft = { flux = [1] }",
                &["`boundary.left.flux`", "expected a number, { gaussian = … } or { npy = … }"],
            ),
            ("[boundary]\nleft = { flux = 1, npy = \"a.npy\" }", &["`boundary.left.npy`"]),
            ("[boundary]\nleft = { gausian = {} }", &["`boundary.left.gausian`", ".gaussian`"]),
            ("[boundary]\nleft = { gaussian = {}, npy = \"a\" }", &["`boundary.left.npy`"]),
            ("[boundary]\nleft = { neumann = 0 }", &["`boundary.left`", "flux = …"]),
            ("[boundary]\nleft = {}", &["`boundary.left`", "gaussian"]),
            ("[boundary.left.gaussian]\nwith = 1", &["`boundary.left.gaussian.with`", "width"]),
            ("[boundary.left.gaussian]\nwidth = 0", &["`boundary.left.gaussian.width`"]),
            ("[boundary.left.gaussian]\ncentre = nan", &["gaussian.centre`", "finite"]),
            ("[boundary]\ntop = inf", &["`boundary.top`", "inf", "finite"]),
            ("[boundary]\ntop = true", &["`boundary.top`", "number"]),
            ("boundary = 3", &["`boundary`", "table"]),
            ("initial = nan", &["`initial`", "nan", "finite"]),
            ("initial = { npy = 3 }", &["`initial.npy`", "quotes"]),
            ("initial = {}", &["`initial.npy`", "missing"]),
            ("source = \"a.npy\"", &["`source`", "npy ="]),
            ("coefficient = 0", &["`coefficient`", "0", "above 0"]),
            ("coefficient = -2.5", &["`coefficient`", "-2.5", "above 0"]),
            ("coefficient = inf", &["`coefficient`", "inf", "finite"]),
            ("coefficient = true", &["`coefficient`", "number", "npy ="]),
            ("[coefficient]\nnyp = \"k.npy\"", &["`coefficient.nyp`", "`coefficient.npy`"]),
            ("spacing = 0", &["`spacing`", "above 0"]),
            ("spacing = -1.5", &["`spacing`", "-1.5"]),
            ("spacing = [1, 2, 3]", &["`spacing`", "from row to row"]),
            ("spacing = [1, \"a\"]", &["`spacing`", "from row to row"]),
            ("spacing = [1.0, -2]", &["`spacing`", "above 0"]),
            ("spacing = [1, inf]", &["`spacing`", "above 0"]),
            ("grid = [0, 5]", &["`grid`", "above 0"]),
            ("grid = [5]", &["`grid`", "[rows, columns]"]),
            ("grid = [5, 99999999999]", &["`grid`"]),
            ("grid = \"5x5\"", &["`grid`", "[rows, columns]"]),
            ("[field]\nnam = \"a\"", &["`field.nam`", "`field.name`"]),
            ("[field]\nname = \"\"", &["`field.name`", "1 to 40"]),
            ("[field]\nunit = 3", &["`field.unit`", "quotes"]),
            ("[field]\nname = \"a\"\nunit = \"m\\nm\"", &["`field.unit`", "one line"]),
            ("grid = [1, 2]\ninitial == 3", &["line 2, column 10"]),
            (&deep, &["TOML"]),
        ] {
            let error = problem(text).expect_err(text).to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
            assert!(!error.contains('\n') && error.len() < 300, "{text}: {error}");
        }
    }
}
