//! Checks of JSON by schemas: that of vt's load data, and that of what the programs print.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::{Keyword, ValidationError, Validator};
use serde_json::{Value, json};

/// The schema of what the commands print with `--json`.
pub static OUTPUT: LazyLock<Value> =
    LazyLock::new(|| read(include_str!("../../host-cli/json.schema.json")));

static VT: LazyLock<Value> = LazyLock::new(|| read(include_str!("../schemas/vt-lb-data.json")));

/// Validators by the schema and the place in it; making one takes longer than using it.
static MADE: LazyLock<Mutex<Validators>> = LazyLock::new(Mutex::default);

type Validators = HashMap<(&'static str, String), Arc<Validator>>;

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("a schema in the repository: {error}"))
}

/// Returns what is wrong with a rank's file by vt's schema, one line a fault, each with its place.
pub fn faults_of_vt(file: &Value) -> Vec<String> {
    faults(&validator("vt", &VT, ""), file)
}

/// Returns what is wrong with the object that a command prints; the words of its name are joined by
/// `-`.
pub fn faults_of_output(command: &str, object: &Value) -> Vec<String> {
    let place = format!("#/$defs/{command}");
    if OUTPUT.pointer(&format!("/$defs/{command}")).is_none() {
        return vec![format!("the schema has nothing about `{command}`")];
    }
    faults(&validator("output", &OUTPUT, &place), object)
}

fn faults(validator: &Validator, value: &Value) -> Vec<String> {
    let of = |error: ValidationError<'_>| format!("{}: {error}", error.instance_path());
    validator.iter_errors(value).map(of).collect()
}

fn validator(name: &'static str, schema: &Value, place: &str) -> Arc<Validator> {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let compile = || {
        let mut schema = schema.clone();
        if let (false, Some(root)) = (place.is_empty(), schema.as_object_mut()) {
            root.remove("anyOf");
            root.insert("$ref".into(), json!(place));
        }
        let options = jsonschema::options().with_keyword("python", |_, value, _| {
            let is_float = value == "float";
            Ok(Box::new(Number { is_float }))
        });
        let built = options.build(&schema);
        Arc::new(built.unwrap_or_else(|error| panic!("{}: {error}", error.instance_path())))
    };
    Arc::clone(made.entry((name, place.to_owned())).or_insert_with(compile))
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
