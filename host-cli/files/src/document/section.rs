//! Typed reading of a TOML table, with errors that name the key and where it stands.

use toml::{Table, Value};

use super::error::DocumentError;

/// A table of a file and the keys that lead to it.
pub struct Section<'a> {
    name: String,
    table: &'a Table,
}

impl<'a> Section<'a> {
    /// Returns the whole file as a section; an error names a key that is not among the `known`
    /// ones.
    pub fn root(table: &'a Table, known: &[&str]) -> Result<Self, DocumentError> {
        Self { name: String::new(), table }.only(known)
    }

    /// Returns a section for a table that stands under a key of the whole file; an error names a
    /// key that is not among the `known` ones.
    pub fn under(key: &str, table: &'a Table, known: &[&str]) -> Result<Self, DocumentError> {
        Self { name: key.into(), table }.only(known)
    }

    /// Returns the table under a key, or `None` where the key is absent.
    pub fn table(&self, key: &str) -> Result<Option<&'a Table>, DocumentError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Table(table)) => Ok(Some(table)),
            Some(_) => Err(self.wrong(key, "expected a table")),
        }
    }

    /// Returns the table under a key, or `None` where the key is absent; an error names a key that
    /// is not among the `known` ones.
    pub fn section(&self, key: &str, known: &[&str]) -> Result<Option<Self>, DocumentError> {
        let table = self.table(key)?;
        table.map(|table| Self { name: self.path(key), table }.only(known)).transpose()
    }

    /// Returns the tables of the list under a key, and no tables where the key is absent; an error
    /// names a key that is not among the `known` ones.
    pub fn sections(&self, key: &str, known: &[&str]) -> Result<Vec<Self>, DocumentError> {
        let expected = || self.wrong(key, format!("expected tables, each under [[{key}]]"));
        let values = match self.get(key) {
            None => return Ok(Vec::new()),
            Some(Value::Array(values)) => values,
            Some(_) => return Err(expected()),
        };
        let section = |(index, value): (usize, &'a Value)| {
            let table = value.as_table().ok_or_else(expected)?;
            Self { name: format!("{}[{index}]", self.path(key)), table }.only(known)
        };
        values.iter().enumerate().map(section).collect()
    }

    /// Returns the value under a key.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.table.get(key)
    }

    /// Returns the finite number under a key, or `None` where the key is absent.
    pub fn number(&self, key: &str) -> Result<Option<f64>, DocumentError> {
        let number = match self.get(key) {
            None => return Ok(None),
            Some(Value::Float(number)) => *number,
            Some(Value::Integer(number)) => *number as f64,
            Some(_) => return Err(self.wrong(key, "expected a number")),
        };
        if number.is_finite() {
            Ok(Some(number))
        } else {
            Err(self.wrong(key, "expected a finite number"))
        }
    }

    /// Returns the text under a key, or `None` where the key is absent.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>, DocumentError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(key, "expected a text in quotes")),
        }
    }

    /// Parses the value of a required key as the flag of that name would.
    pub fn required<T, E: std::fmt::Display>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<T, DocumentError> {
        match self.get(key) {
            Some(value) => self.read(key, value, parse),
            // What would be right is what the reader says of nothing.
            None => Err(match parse("") {
                Ok(_) => self.wrong(key, "give it"),
                Err(error) => self.wrong(key, error.to_string()),
            }),
        }
    }

    /// Parses the values under a key as a repeatable flag would; returns no values where the key is
    /// absent.
    pub fn flags<T, E: std::fmt::Display>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Vec<T>, DocumentError> {
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => {
                values.iter().map(|value| self.read(key, value, &parse)).collect()
            }
            Some(_) => Err(self.wrong(key, "expected a list of texts, such as [\"…\"]")),
        }
    }

    /// Returns a value under a key as it would be written on the command line.
    pub fn text_of(&self, key: &str, value: &Value) -> Result<String, DocumentError> {
        match value {
            Value::String(text) => Ok(text.clone()),
            Value::Integer(number) => Ok(number.to_string()),
            Value::Float(number) => Ok(number.to_string()),
            _ => Err(self.wrong(key, "expected a number or a text")),
        }
    }

    /// Returns the error about the value of a key.
    pub fn wrong(&self, key: &str, expected: impl Into<String>) -> DocumentError {
        let found = self.get(key).map_or_else(|| "missing".into(), shown);
        DocumentError::Value { key: self.path(key), found, expected: expected.into() }
    }

    /// Returns the error about a value that stands under a key, or in a list under a key.
    pub fn wrong_value(
        &self,
        key: &str,
        value: &Value,
        expected: impl Into<String>,
    ) -> DocumentError {
        DocumentError::Value { key: self.path(key), found: shown(value), expected: expected.into() }
    }

    /// Returns a key after the names of its enclosing tables, joined by dots: `boundary.left`.
    pub fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.into() } else { format!("{}.{key}", self.name) }
    }

    /// Parses the text of a key's value; the error names the key and the value.
    fn read<T, E: std::fmt::Display>(
        &self,
        key: &str,
        value: &Value,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<T, DocumentError> {
        parse(&self.text_of(key, value)?)
            .map_err(|error| self.wrong_value(key, value, error.to_string()))
    }

    /// Returns the section if it has no other keys than these, and otherwise an error with the
    /// nearest one.
    fn only(self, known: &[&str]) -> Result<Self, DocumentError> {
        let Some(key) = self.table.keys().find(|key| !known.contains(&key.as_str())) else {
            return Ok(self);
        };
        let nearest = known
            .iter()
            .min_by_key(|name| strsim::damerau_levenshtein(name, key))
            .map_or_else(String::new, |name| self.path(name));
        Err(DocumentError::UnknownKey { key: self.path(&shortened(key)), nearest })
    }
}

/// Returns a value as it was written, on one line and shortened.
fn shown(value: &Value) -> String {
    match value {
        Value::Table(_) => "a table".into(),
        Value::Array(values) => format!("a list of {}", values.len()),
        other => shortened(&other.to_string()),
    }
}

/// Returns at most 60 characters of a text, without control characters.
fn shortened(text: &str) -> String {
    let mut characters = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let start: String = characters.by_ref().take(60).collect();
    if characters.next().is_some() { format!("{start}…") } else { start }
}
