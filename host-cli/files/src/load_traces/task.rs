//! Objects and communications of one rank in one phase: the text, and the figures in it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use super::entity::{Entity, EntityId};
use super::error::{Fault, one_line, place};
use super::text::{Object, compact, replaced, written};

/// An object on a rank during a phase; vt's *task*.
#[derive(Clone, Debug)]
pub struct Task {
    pub(super) text: Box<RawValue>,
    /// Name of the object.
    pub id: EntityId,
    /// Rank that it was made on.
    pub home: u32,
    /// Whether it may move.
    pub migratable: bool,
    /// Time that the object took, in seconds.
    pub seconds: f64,
    /// Memory that the object needs, where the trace says so.
    pub memory: Option<Box<ObjectMemory>>,
}

/// Memory that an object needs on its rank, in bytes; 0 where the trace does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ObjectMemory {
    /// Block that the object shares with others; a rank keeps one copy of the block.
    pub shared_id: Option<u64>,
    /// Bytes of that block.
    pub shared_bytes: f64,
    /// Rank where that block is at home.
    pub home_rank: Option<u32>,
    /// Bytes while the object runs, beside its footprint; objects of a rank run one after another.
    pub working_bytes: f64,
    /// Bytes while the object does not run.
    pub footprint_bytes: f64,
    /// Bytes that are sent when the object moves.
    pub serialized_bytes: f64,
    /// Bytes of the object's rank in this trace that belong to no object.
    pub rank_working_bytes: f64,
}

/// Messages between two objects during a phase, or between an object and a rank.
#[derive(Clone, Debug)]
pub struct Communication {
    pub(super) text: Box<RawValue>,
    /// The sending object, if it is one.
    pub from: Option<EntityId>,
    /// The receiving object, if it is one.
    pub to: Option<EntityId>,
    /// Whether one message goes to many, which receivers note, not the sender.
    pub is_noted_by_receiver: bool,
    /// Bytes sent.
    pub bytes: f64,
    /// The homes of its ends, where they are objects.
    homes: [Option<u32>; 2],
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.text.get() == other.text.get()
    }
}

impl PartialEq for Communication {
    fn eq(&self, other: &Self) -> bool {
        self.text.get() == other.text.get()
    }
}

impl Serialize for Task {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(to)
    }
}

impl Serialize for Communication {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(to)
    }
}

/// The words of an error about an end of a communication.
const PART: &str = "who took part";

/// A fault, and the key that has it.
pub(super) type Faulty = (String, Fault);

#[derive(Deserialize)]
struct TaskText<'a> {
    #[serde(borrow)]
    entity: Option<Object<Entity<'a>>>,
    node: Option<u32>,
    time: Option<Number>,
    user_defined: Option<Object<MemoryText>>,
}

/// The memory figures in an object's text; values of other kinds are ignored.
#[derive(Deserialize)]
struct MemoryText {
    shared_id: Option<Value>,
    shared_bytes: Option<Value>,
    home_rank: Option<Value>,
    task_working_bytes: Option<Value>,
    task_footprint_bytes: Option<Value>,
    task_serialized_bytes: Option<Value>,
    rank_working_bytes: Option<Value>,
}

#[derive(Deserialize)]
struct CommunicationText<'a> {
    #[serde(borrow)]
    from: Option<Object<Entity<'a>>>,
    #[serde(borrow)]
    to: Option<Object<Entity<'a>>>,
    bytes: Option<Number>,
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
}

impl Task {
    /// Parses a task in the file of `rank`.
    pub(super) fn parse(text: &RawValue, rank: u32) -> Result<Self, Faulty> {
        let task: TaskText<'_> = parsed(text)?;
        let entity = required(task.entity, "entity", "which object this is")?.0;
        let node = required(task.node, "node", "the rank that the object is on")?;
        if node != rank {
            return Err(("node".into(), Fault::OtherRank { node, rank }));
        }
        let home = required(entity.home, "entity.home", "the rank that the object was made on")?;
        let migratable =
            required(entity.migratable, "entity.migratable", "whether the object may move")?;
        let id = required(entity.name(), "entity.id", "an object needs `id` or `seq_id`")?;
        let time = required(task.time, "time", "the seconds that the object took")?;
        let seconds = amount(&time, "time")?;
        let memory = task.user_defined.map(|memory| memory.0.read()).transpose()?.flatten();
        let text = with_float(text, "time", &time, seconds);
        Ok(Self { text, id, home, migratable, seconds, memory })
    }

    /// Returns a new task on its home `rank`, with a load in seconds.
    pub(super) fn new(id: u64, rank: u32, seconds: f64) -> Self {
        #[derive(Serialize)]
        struct Text {
            entity: EntityText,
            node: u32,
            resource: &'static str,
            time: f64,
        }
        let entity = EntityText::new(id, rank);
        let text = written(&Text { entity, node: rank, resource: "cpu", time: seconds });
        let id = EntityId::Packed(id);
        Self { text, id, home: rank, migratable: true, seconds, memory: None }
    }

    /// Returns the same task on another rank.
    pub(super) fn on(&self, rank: u32) -> Self {
        let text = replaced(&self.text, &[("node", written(&rank))]);
        Self { text, ..self.clone() }
    }
}

/// An object as vt writes it; its keys are in the order of the alphabet.
#[derive(Serialize)]
struct EntityText {
    home: u32,
    id: u64,
    migratable: bool,
    r#type: &'static str,
}

impl EntityText {
    const fn new(id: u64, home: u32) -> Self {
        Self { home, id, migratable: true, r#type: "object" }
    }
}

impl Communication {
    /// Parses a communication in a file.
    pub(super) fn parse(text: &RawValue) -> Result<Self, Faulty> {
        let communication: CommunicationText<'_> = parsed(text)?;
        let CommunicationText { from, to, bytes, kind } = communication;
        let bytes = required(bytes, "bytes", "how much was sent")?;
        let kind = required(kind, "type", "the kind of communication, such as SendRecv")?;
        let (from, to) = (required(from, "from", PART)?.0, required(to, "to", PART)?.0);
        let home = |end: &Entity<'_>| end.home.filter(|_| end.is_object());
        let homes = [home(&from), home(&to)];
        let amount = amount(&bytes, "bytes")?;
        let text = with_float(text, "bytes", &bytes, amount);
        let is_noted_by_receiver = kind != "SendRecv";
        let (from, to) = (from.name(), to.name());
        Ok(Self { text, from, to, is_noted_by_receiver, bytes: amount, homes })
    }

    /// Returns a new message between two objects, each given by its id and its home rank.
    pub(super) fn new(from: (u64, u32), to: (u64, u32), bytes: f64) -> Self {
        #[derive(Serialize)]
        struct Text {
            bytes: f64,
            from: EntityText,
            messages: u32,
            to: EntityText,
            r#type: &'static str,
        }
        let text = written(&Text {
            bytes,
            from: EntityText::new(from.0, from.1),
            messages: 1,
            to: EntityText::new(to.0, to.1),
            r#type: "SendRecv",
        });
        let homes = [Some(from.1), Some(to.1)];
        let (from, to) = (Some(EntityId::Packed(from.0)), Some(EntityId::Packed(to.0)));
        Self { text, from, to, is_noted_by_receiver: false, bytes, homes }
    }

    /// Returns the homes that the communication's ends name, with the key of each.
    pub(super) fn homes(&self) -> impl Iterator<Item = (&'static str, u32)> + use<> {
        let [from, to] = self.homes;
        [("from.home", from), ("to.home", to)]
            .into_iter()
            .filter_map(|(key, home)| Some((key, home?)))
    }
}

impl MemoryText {
    /// Reads an object's memory, all in bytes. Returns `None` where nothing is said about it.
    fn read(&self) -> Result<Option<Box<ObjectMemory>>, Faulty> {
        let bytes = |value: &Option<Value>, key: &str| match value.as_ref().and_then(Value::as_f64)
        {
            Some(bytes) if bytes < 0.0 => {
                Err((format!("user_defined.{key}"), Fault::Negative(bytes)))
            }
            bytes => Ok(bytes),
        };
        // Whole numbers may be written as floats; what is none, such as vt's -1, names nothing.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number"
        )]
        let name = |value: &Option<Value>| {
            let value = value.as_ref().and_then(Value::as_f64)?;
            (value >= 0.0 && value.fract() == 0.0).then_some(value as u64)
        };
        let shared = bytes(&self.shared_bytes, "shared_bytes")?;
        let working = bytes(&self.task_working_bytes, "task_working_bytes")?;
        let footprint = bytes(&self.task_footprint_bytes, "task_footprint_bytes")?;
        let serialized = bytes(&self.task_serialized_bytes, "task_serialized_bytes")?;
        let rank = bytes(&self.rank_working_bytes, "rank_working_bytes")?;
        let memory = ObjectMemory {
            shared_id: name(&self.shared_id),
            shared_bytes: shared.unwrap_or(0.0),
            home_rank: name(&self.home_rank).and_then(|rank| u32::try_from(rank).ok()),
            working_bytes: working.unwrap_or(0.0),
            footprint_bytes: footprint.unwrap_or(0.0),
            serialized_bytes: serialized.unwrap_or(0.0),
            rank_working_bytes: rank.unwrap_or(0.0),
        };
        Ok((memory != ObjectMemory::default()).then(|| Box::new(memory)))
    }
}

/// Parses the figures of an object's text; an error names the first key that is wrong.
fn parsed<'a, T: Deserialize<'a>>(text: &'a RawValue) -> Result<T, Faulty> {
    if let Ok(Object(value)) = serde_json::from_str(text.get()) {
        return Ok(value);
    }
    // Slower, and it knows the way.
    let mut reader = serde_json::Deserializer::from_str(text.get());
    match serde_path_to_error::deserialize::<_, Object<T>>(&mut reader) {
        Ok(Object(value)) => Ok(value),
        Err(error) => {
            let place = place(error.path());
            let message = error.into_inner().to_string();
            Err((place, value_fault(&message)))
        }
    }
}

/// Returns the fault for a parser's message about a value.
pub(super) fn value_fault(message: &str) -> Fault {
    // Its line and column are those within the value: the place is named otherwise.
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    if message == "number out of range" {
        return Fault::NotFinite;
    }
    Fault::Value(one_line(message))
}

/// Returns the value of a key; the fault says that `what` is missing.
fn required<T>(value: Option<T>, key: &str, what: &'static str) -> Result<T, Faulty> {
    value.ok_or_else(|| (key.to_owned(), Fault::Missing(what)))
}

/// Returns the number of a key, which is finite and not negative.
fn amount(number: &Number, key: &str) -> Result<f64, Faulty> {
    match number.as_f64() {
        Some(amount) if amount < 0.0 => Err((key.to_owned(), Fault::Negative(amount))),
        Some(amount) if amount.is_finite() => Ok(amount),
        _ => Err((key.to_owned(), Fault::NotFinite)),
    }
}

/// Returns the text with a whole number written as the float that vt's readers require.
fn with_float(text: &RawValue, key: &str, number: &Number, value: f64) -> Box<RawValue> {
    if number.is_f64() {
        compact(text)
    } else {
        compact(&replaced(text, &[(key, written(&value))]))
    }
}
