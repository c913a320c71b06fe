//! The name and the unit of a field, and the size of its cells.

use std::fmt;

use tresse_core::field::problem::CellSize;

/// What a field is of, for programs that show it.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Name of the quantity.
    pub name: FieldName,
    /// Distances of neighbouring cells, in the unit of the problem.
    pub cell: CellSize,
}

/// The name of a field, and its unit if it has one; shown as `Elevation (m)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldName {
    name: String,
    unit: Option<String>,
}

/// Greatest number of characters of a name; more would not fit above a picture.
const LONGEST: usize = 40;

impl FieldName {
    /// Description of the names and units that are accepted.
    pub const EXPECTED: &'static str = "expected a text of 1 to 40 characters in one line";

    /// Returns a field's name and unit, or `None` where a text is not as [`FieldName::EXPECTED`].
    pub fn new(name: Option<&str>, unit: Option<&str>) -> Option<Self> {
        let default = Self::default().name;
        let [name, unit] = [name, unit].map(|text| text.map(str::trim));
        let fits = |text: &str| {
            (1..=LONGEST).contains(&text.chars().count()) && !text.contains(char::is_control)
        };
        let all_fit = [name, unit].into_iter().flatten().all(fits);
        all_fit.then(|| Self {
            name: name.map_or(default, str::to_owned),
            unit: unit.map(str::to_owned),
        })
    }

    /// Returns the name without the unit.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the unit, if the field has one.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }
}

/// The name of the field of a problem that does not name it.
impl Default for FieldName {
    fn default() -> Self {
        Self { name: "Solution".to_owned(), unit: None }
    }
}

impl fmt::Display for FieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.unit {
            Some(unit) => write!(f, "{} ({unit})", self.name),
            None => f.write_str(&self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_in_one_line() {
        let shown = |name: Option<&str>, unit: Option<&str>| {
            FieldName::new(name, unit).map(|name| name.to_string())
        };
        assert_eq!(shown(None, None).unwrap(), "Solution");
        assert_eq!(shown(Some(" Elevation "), Some("m")).unwrap(), "Elevation (m)");
        assert_eq!(shown(None, Some("°C")).unwrap(), "Solution (°C)");
        let long = "ü".repeat(41);
        for bad in ["", "  ", "a\nb", "\u{1b}[31mred", &long] {
            assert_eq!(shown(Some(bad), None), None, "{bad:?}");
            assert_eq!(shown(None, Some(bad)), None, "{bad:?}");
        }
        assert!(shown(long.get(2..), None).is_some());
    }
}
