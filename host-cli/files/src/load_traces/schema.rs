//! The rules of vt's own readers for a file, beyond those of balancing: every key and its kind.
//!
//! Written from the description of vt's `LBDatafile` schema, which is closed: a key that it does
//! not know is an error.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::error::Fault;
use super::task::Faulty;

/// The kinds of values that keys can have.
enum Kind {
    Int,
    /// A number with a point or an exponent: vt's readers refuse a whole number here.
    Float,
    Text,
    Bool,
    /// Any values under any keys.
    Any,
    /// Numbers and texts under any keys.
    Scalars,
    List(&'static Kind),
    Object(&'static [Field]),
}

struct Field {
    key: &'static str,
    required: bool,
    kind: Kind,
}

/// Returns a key that an object must have.
const fn needed(key: &'static str, kind: Kind) -> Field {
    Field { key, required: true, kind }
}

/// Returns a key that an object may have.
const fn maybe(key: &'static str, kind: Kind) -> Field {
    Field { key, required: false, kind }
}

const DOCUMENT: &[Field] = &[
    maybe("type", Kind::Text),
    maybe("metadata", Kind::Object(METADATA)),
    needed("phases", Kind::List(&Kind::Object(PHASE))),
];

const METADATA: &[Field] = &[
    maybe("type", Kind::Text),
    maybe("rank", Kind::Int),
    maybe("rank_alpha", Kind::Float),
    maybe("shared_node", Kind::Object(SHARED_NODE)),
    maybe("phases", Kind::Object(PHASES)),
    maybe("attributes", Kind::Any),
];

const SHARED_NODE: &[Field] = &[
    needed("id", Kind::Int),
    needed("size", Kind::Int),
    needed("rank", Kind::Int),
    needed("num_nodes", Kind::Int),
];

const PHASES: &[Field] = &[
    maybe("count", Kind::Int),
    needed("skipped", Kind::Object(NUMBERS)),
    needed("identical_to_previous", Kind::Object(NUMBERS)),
];

const NUMBERS: &[Field] =
    &[needed("list", Kind::List(&Kind::Int)), needed("range", Kind::List(&Kind::List(&Kind::Int)))];

const PHASE: &[Field] = &[
    needed("id", Kind::Int),
    needed("tasks", Kind::List(&Kind::Object(TASK))),
    maybe("communications", Kind::List(&Kind::Object(COMMUNICATION))),
    maybe("user_defined", Kind::Any),
    maybe("lb_iterations", Kind::List(&Kind::Object(ITERATION))),
];

const ITERATION: &[Field] = &[
    needed("id", Kind::Int),
    needed("tasks", Kind::List(&Kind::Object(TASK))),
    maybe("communications", Kind::List(&Kind::Object(COMMUNICATION))),
    maybe("user_defined", Kind::Any),
];

const TASK: &[Field] = &[
    needed("entity", Kind::Object(ENTITY)),
    needed("node", Kind::Int),
    needed("resource", Kind::Text),
    needed("time", Kind::Float),
    maybe("subphases", Kind::List(&Kind::Object(SUBPHASE))),
    maybe("user_defined", Kind::Any),
    maybe("attributes", Kind::Scalars),
];

const ENTITY: &[Field] = &[
    maybe("id", Kind::Int),
    maybe("seq_id", Kind::Int),
    needed("home", Kind::Int),
    needed("type", Kind::Text),
    needed("migratable", Kind::Bool),
    maybe("collection_id", Kind::Int),
    maybe("index", Kind::List(&Kind::Int)),
    maybe("objgroup_id", Kind::Int),
];

const SUBPHASE: &[Field] = &[needed("id", Kind::Int), needed("time", Kind::Float)];

const COMMUNICATION: &[Field] = &[
    needed("type", Kind::Text),
    needed("bytes", Kind::Float),
    needed("messages", Kind::Int),
    needed("from", Kind::Object(END)),
    needed("to", Kind::Object(END)),
];

const END: &[Field] = &[
    needed("type", Kind::Text),
    maybe("id", Kind::Int),
    maybe("seq_id", Kind::Int),
    maybe("home", Kind::Int),
    maybe("migratable", Kind::Bool),
    maybe("collection_id", Kind::Int),
    maybe("index", Kind::List(&Kind::Int)),
    maybe("objgroup_id", Kind::Int),
];

/// Adds the faults that only vt's readers would report; places that have a fault already get no
/// other.
pub(super) fn check(text: &[u8], faults: &mut Vec<Faulty>) {
    let Ok(value) = serde_json::from_slice::<Value>(text) else { return };
    let known: HashSet<String> = faults.iter().map(|(place, _)| place.clone()).collect();
    let mut found = Vec::new();
    fields(DOCUMENT, &value, "", &mut found);
    faults.extend(found.into_iter().filter(|(place, _)| !known.contains(place)));
}

/// Checks the keys of an object: required ones are there, known ones fit, and others are faults.
fn fields(shape: &'static [Field], value: &Value, place: &str, found: &mut Vec<Faulty>) {
    let Some(object) = value.as_object() else {
        found.push((place.to_owned(), Fault::Value("vt's readers want an object".into())));
        return;
    };
    for Field { key, required, kind } in shape {
        match object.get(*key) {
            Some(value) => kind.check(value, &below(place, key), found),
            None if *required => {
                found.push((below(place, key), Fault::Missing("vt's readers want it")));
            }
            None => {}
        }
    }
    let is_known = |key: &String| shape.iter().any(|field| field.key == key);
    for key in object.keys().filter(|key| !is_known(key)) {
        found.push((below(place, &super::error::one_line(key)), Fault::UnknownKey));
    }
    if shape.iter().any(|field| field.key == "seq_id") {
        named(object, place, found);
    }
}

/// Checks what vt wants of an entity's name beyond the kinds of its keys.
fn named(entity: &Map<String, Value>, place: &str, found: &mut Vec<Faulty>) {
    let has = |key| entity.contains_key(key);
    if !has("id") && !has("seq_id") {
        let what = "vt's readers want it, or `seq_id`";
        found.push((below(place, "id"), Fault::Missing(what)));
    }
    let may_move = entity.get("migratable").is_some_and(|value| *value == Value::Bool(true));
    if has("seq_id") && may_move && !has("collection_id") {
        let what = "vt's readers want it with `seq_id` of what may move";
        found.push((below(place, "collection_id"), Fault::Missing(what)));
    }
}

/// Returns the place of a key: phases are named by their numbers, and keys of a phase follow a
/// comma.
fn below(place: &str, key: &str) -> String {
    match place {
        "" => key.to_owned(),
        _ if place.starts_with("phase ") && !place.contains(',') => format!("{place}, {key}"),
        _ => format!("{place}.{key}"),
    }
}

impl Kind {
    /// Checks that a value is of this kind, and whatever is in it; `place` is its path in the file.
    fn check(&'static self, value: &Value, place: &str, found: &mut Vec<Faulty>) {
        let scalar = |value: &Value| value.is_number() || value.is_string();
        let (is_right, wanted) = match self {
            Self::Int => (value.is_i64() || value.is_u64(), "a whole number"),
            Self::Float => (value.is_f64(), "a number with a point, such as 1.0"),
            Self::Text => (value.is_string(), "a text"),
            Self::Bool => (value.is_boolean(), "true or false"),
            Self::Any => (value.is_object(), "an object"),
            Self::Scalars => {
                let right = value.as_object().is_some_and(|all| all.values().all(scalar));
                (right, "an object of numbers and texts")
            }
            Self::Object(shape) => return fields(shape, value, place, found),
            Self::List(kind) => match value.as_array() {
                Some(list) => {
                    for (index, value) in list.iter().enumerate() {
                        kind.check(value, &element(place, index, value), found);
                    }
                    return;
                }
                None => (false, "a list"),
            },
        };
        if !is_right {
            found.push((place.to_owned(), Fault::Value(format!("vt's readers want {wanted}"))));
        }
    }
}

/// Returns the path of a list's element; a phase is named by its number.
fn element(place: &str, index: usize, value: &Value) -> String {
    match value.get("id").and_then(Value::as_u64) {
        Some(id) if place == "phases" => format!("phase {id}"),
        _ => format!("{place}[{index}]"),
    }
}
