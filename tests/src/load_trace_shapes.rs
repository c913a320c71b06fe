//! Load traces of our own in the shapes that applications record: several phases, objects that stay
//! where they are, blocks of memory that objects share, communications. They stand for others'
//! recordings, which few have.

use serde_json::{Value, json};
use tresse_core::base::rng::Rng;

use crate::load_trace_files::{message, task};

/// What traces are drawn with.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How tests call it.
    pub name: &'static str,
    /// Number of ranks.
    pub ranks: u32,
    /// The first ranks, which have all objects.
    pub on: u32,
    /// Number of objects, the same in all phases.
    pub objects: u64,
    /// Number of phases.
    pub phases: u64,
    /// One of so many objects may not move; none where this is 0.
    pub fixed: u64,
    /// So many objects share a block of memory; none does where this is 0.
    pub block: u64,
    /// Messages that each object sends in a phase.
    pub messages: u64,
}

/// All shapes.
pub const SHAPES: [Shape; 5] = [PHASES, FIXED, BLOCKS, MESSAGES, ALL];

const NONE: Shape =
    Shape { name: "", ranks: 4, on: 2, objects: 40, phases: 1, fixed: 0, block: 0, messages: 0 };
/// Loads that drift from phase to phase.
pub const PHASES: Shape =
    Shape { name: "phases", ranks: 8, objects: 60, phases: 5, messages: 1, ..NONE };
/// A third of the objects may not move.
pub const FIXED: Shape = Shape { name: "fixed", on: 4, phases: 2, fixed: 3, ..NONE };
/// Nine blocks on two ranks, which have room for [five each](MEMORY).
pub const BLOCKS: Shape = Shape { name: "blocks", objects: 36, block: 4, ..NONE };
/// Three messages of each object.
pub const MESSAGES: Shape = Shape { name: "messages", on: 4, messages: 3, ..NONE };
/// All of it at once, on more ranks.
pub const ALL: Shape = Shape {
    name: "all",
    ranks: 32,
    on: 8,
    objects: 400,
    phases: 3,
    fixed: 10,
    block: 5,
    messages: 2,
};

/// Bytes of a block, of what a rank needs in any case, and of an object while it runs.
const BLOCK_BYTES: f64 = 1.5e9;
const RANK_BYTES: f64 = 0.5e9;
const TASK_BYTES: f64 = 0.1e9;
/// Room for five blocks on a rank.
pub const MEMORY: f64 = 8.2e9;

impl Shape {
    /// Returns the files of its ranks.
    pub fn files(&self, seed: u64) -> Vec<Value> {
        let mut rng = Rng::new(seed, 0);
        let mut files: Vec<_> = (0..self.ranks)
            .map(|rank| json!({"type": "LBDatafile", "metadata": {"type": "LBDatafile", "rank": rank}, "phases": []}))
            .collect();
        let loads: Vec<f64> = (0..self.objects).map(|_| unit(&mut rng).powi(2)).collect();
        for phase in 0..self.phases {
            let mut parts =
                vec![json!({"id": phase, "tasks": [], "communications": []}); files.len()];
            for (object, load) in (0..).zip(&loads) {
                let part = &mut parts[self.home(object) as usize];
                // Each drifts by a quarter at most.
                push(&mut part["tasks"], self.task(object, load * (0.75 + unit(&mut rng) / 2.0)));
                for _ in 0..self.messages {
                    push(&mut part["communications"], self.message(object, &mut rng));
                }
            }
            for (file, part) in files.iter_mut().zip(parts) {
                push(&mut file["phases"], part);
            }
        }
        files
    }

    /// Returns the rank that an object starts on: those of a block are on one.
    fn home(&self, object: u64) -> u32 {
        let rank = object / self.block.max(1) % u64::from(self.on);
        u32::try_from(rank).unwrap_or(0)
    }

    /// Reports whether an object may not move.
    const fn is_fixed(&self, object: u64) -> bool {
        self.fixed > 0 && object.is_multiple_of(self.fixed)
    }

    fn task(&self, object: u64, seconds: f64) -> Value {
        let home = self.home(object);
        let mut task = task(object, home, home, seconds);
        task["entity"]["migratable"] = json!(!self.is_fixed(object));
        if let Some(block) = object.checked_div(self.block) {
            task["user_defined"] = json!({"shared_id": block, "shared_bytes": BLOCK_BYTES,
                "rank_working_bytes": RANK_BYTES, "task_working_bytes": TASK_BYTES,
                "task_footprint_bytes": 1024.0, "task_serialized_bytes": 1024.0});
        }
        task
    }

    /// Returns a message to another object.
    fn message(&self, from: u64, rng: &mut Rng) -> Value {
        let to = (from + 1 + rng.up_to(self.objects - 2)) % self.objects;
        let end = |object| (object, self.home(object));
        let mut message = message(end(from), end(to), 1e6 * unit(rng));
        message["from"]["migratable"] = json!(!self.is_fixed(from));
        message["to"]["migratable"] = json!(!self.is_fixed(to));
        message
    }
}

/// Draws a number above 0 and up to 1.
fn unit(rng: &mut Rng) -> f64 {
    f64::from(1 + rng.below(1_000)) / 1_000.0
}

/// Appends to a list, which is made where there is none.
fn push(list: &mut Value, value: Value) {
    if list.is_null() {
        *list = json!([]);
    }
    if let Some(list) = list.as_array_mut() {
        list.push(value);
    }
}

/// Returns the seconds of each rank in the phase at a place, as the files' text has them.
pub fn seconds(files: &[Value], phase: usize) -> Vec<f64> {
    let tasks = |file: &Value| file["phases"][phase]["tasks"].as_array().cloned();
    let seconds = |task: &Value| task["time"].as_f64().unwrap_or(f64::NAN);
    files.iter().map(|file| tasks(file).iter().flatten().map(seconds).sum()).collect()
}
