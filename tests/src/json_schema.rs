//! Checks of JSON against the schemas in `tests/schemas` and in the guide.

use jsonschema::{Keyword, ValidationError, Validator};
use serde_json::Value;

/// Returns what is wrong with a value by a schema, one line a fault, each with its place.
///
/// # Panics
/// Where the schema is none.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let of = |error: ValidationError<'_>| format!("{}: {error}", error.instance_path());
    validator(schema).iter_errors(value).map(of).collect()
}

fn validator(schema: &Value) -> Validator {
    let made = jsonschema::options()
        .with_keyword("python", |_, value, _| {
            let is_float = value == "float";
            Ok(Box::new(Number { is_float }))
        })
        .build(schema);
    made.unwrap_or_else(|error| panic!("{}: {error}", error.instance_path()))
}

/// The type that a number has in Python, which tells 1 from 1.0; JSON Schema does not.
struct Number {
    is_float: bool,
}

impl<'i> Keyword<'i> for Number {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(value) {
            return Ok(());
        }
        let wanted = if self.is_float { "a float" } else { "an int" };
        Err(ValidationError::custom(format!("{value} is not {wanted} in Python")))
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        value.is_f64() == self.is_float
    }
}
