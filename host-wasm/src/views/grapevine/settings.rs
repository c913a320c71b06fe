//! Reads parameters, and perhaps a load trace, and returns objects on processors and the settings
//! of balancing. The keys are flags of `tresse traces generate` and of `tresse balance`, and mean
//! the same.

use tresse_core::balance::grapevine::{Config, Criterion, Threshold};
use tresse_core::balance::objects::Millionths;
use tresse_core::base::grammar::{count, count32};
use tresse_core::base::id::ProcessorId;
use tresse_files::load_traces::generate::{self, Interval, Loads, Setup};
use tresse_files::load_traces::unit::Unit;
use tresse_files::load_traces::{Limits, Source, read_sources};

use crate::files::GivenFile;
use crate::parameters::Parameters;
use crate::views::solve::sentence;

/// Greatest number of objects times iterations, and greatest number of processors, whose states are
/// kept.
const MOST_STEPS: u64 = 40_000_000;
const MOST_PROCESSORS: u32 = 8_192;
/// Greatest number of bytes of files.
const MOST_BYTES: u64 = 512 << 20;

/// Both criteria, in the order of their lanes.
pub const CRITERIA: [Criterion; 2] = [Criterion::Original, Criterion::Relaxed];

/// Objects on processors.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Origin of the objects.
    pub title: String,
    /// Number of processors.
    pub processors: u32,
    /// Load of each object, in units.
    pub loads: Vec<u64>,
    /// Unit of the loads.
    pub unit: Unit,
    /// Processor of each object.
    pub owners: Vec<ProcessorId>,
    /// Whether each object must stay.
    pub fixed: Vec<bool>,
    /// Command lines that make the same runs, one for each lane.
    pub commands: [String; 2],
}

/// Reads the instance and the settings that the parameters ask for. An error is a sentence.
pub fn read(
    parameters: &Parameters,
    files: Vec<GivenFile>,
) -> Result<(Instance, [Config; 2]), String> {
    let config = config(parameters)?;
    let instance = if files.is_empty() { drawn(parameters)? } else { given(parameters, files)? };
    let steps = instance.loads.len() as u64 * u64::from(config.iterations);
    if steps > MOST_STEPS {
        return Err(format!(
            "{} objects in {} iterations are more than a page keeps: choose fewer iterations, or `tresse balance`.",
            instance.loads.len(),
            config.iterations
        ));
    }
    if instance.processors > MOST_PROCESSORS {
        return Err(format!(
            "A page shows at most {MOST_PROCESSORS} processors; `tresse balance` takes more."
        ));
    }
    Ok((instance, CRITERIA.map(|criterion| Config { criterion, ..config })))
}

/// Reads the settings of balancing; what is not given is that of the preset.
fn config(parameters: &Parameters) -> Result<Config, String> {
    let base = match parameters.get("preset").unwrap_or("slides") {
        "slides" => Config::SLIDES,
        "distributed" => Config::DISTRIBUTED,
        other => {
            return Err(format!("There is no preset “{other}”; there are slides and distributed."));
        }
    };
    let read = |key| parameters.read(key, count32);
    let config = Config {
        fanout: read("fanout")?.unwrap_or(base.fanout),
        rounds: read("rounds")?.unwrap_or(base.rounds),
        iterations: read("iterations")?.unwrap_or(base.iterations),
        threshold: parameters.read("threshold", threshold)?.unwrap_or(base.threshold),
        seed: parameters.read("seed", count)?.unwrap_or(1),
        // Each iteration is seen, and not only the best one.
        keep_best: false,
        ..base
    };
    config.check().map_err(|error| sentence(&error))?;
    Ok(config)
}

/// Parses a threshold: a multiple of the average load, or `falling:` with a part.
fn threshold(text: &str) -> Result<Threshold, &'static str> {
    const EXPECTED: &str = "expected a number from 1 such as 1.1, or falling:8";
    if let Some(part) = text.strip_prefix("falling:") {
        return part.parse().map(Threshold::Falling).map_err(|_| EXPECTED);
    }
    let times: f64 = text.parse().map_err(|_| EXPECTED)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in its range")]
    let millionths = (times * 1e6).round() as u64;
    (1.0..=1e6).contains(&times).then_some(Threshold::Times(Millionths(millionths))).ok_or(EXPECTED)
}

/// Returns the flags of a lane's balancing.
fn flags(parameters: &Parameters, criterion: Criterion) -> String {
    let criterion = if criterion == Criterion::Original { "original" } else { "relaxed" };
    let preset = parameters.get("preset").unwrap_or("slides");
    let mut flags = format!("--preset {preset} --tune criterion={criterion},keep=last");
    for key in ["fanout", "rounds", "threshold"] {
        if let Some(value) = parameters.get(key) {
            flags.extend([",", key, "=", value]);
        }
    }
    if let Some(iterations) = parameters.get("iterations") {
        flags.extend([" --iterations ", iterations]);
    }
    flags.extend([" --seed ", parameters.get("seed").unwrap_or("1")]);
    flags
}

/// Draws objects from a distribution, unless there are more of them than a page shows.
fn drawn(parameters: &Parameters) -> Result<Instance, String> {
    let read = |key| parameters.read(key, count32);
    let processors = read("processors")?.unwrap_or(64);
    let setup = Setup {
        processors,
        objects: read("objects")?.unwrap_or(1_000),
        on: read("on")?.unwrap_or(processors),
        loads: parameters.read("loads", Loads::parse)?.unwrap_or_else(default_loads),
    };
    setup.check().map_err(|error| sentence(&error))?;
    if u64::from(setup.objects) > MOST_STEPS || processors > MOST_PROCESSORS {
        return Err(format!(
            "{} objects on {processors} processors are more than a page shows; `tresse balance` takes more.",
            setup.objects
        ));
    }
    let seed = parameters.read("seed", count)?.unwrap_or(1);
    let drawn = generate::phase(&setup, seed);
    let (unit, loads) = Unit::of(&drawn.seconds).map_err(|error| sentence(&error))?;
    let Setup { objects, on, loads: distribution, .. } = &setup;
    let commands = CRITERIA.map(|criterion| {
        let flags = flags(parameters, criterion);
        format!(
            "tresse traces generate --processors {processors} --objects {objects} --on {on} --loads {distribution} \
             --seed {seed} --out trace && tresse balance trace {flags}"
        )
    });
    Ok(Instance {
        title: format!("{objects} objects, drawn on {on} of {processors} processors"),
        processors,
        unit,
        loads,
        fixed: Vec::new(),
        owners: drawn.owners,
        commands,
    })
}

/// Returns the loads of the slides.
const fn default_loads() -> Loads {
    Loads::Uniform(Interval { low: 1e-5, high: 1e-1 })
}

/// Takes the objects of one phase of a load trace, by default of the first.
fn given(parameters: &Parameters, files: Vec<GivenFile>) -> Result<Instance, String> {
    let source = |file: GivenFile| Source { path: file.name.into(), bytes: file.bytes };
    let limits = Limits { file: MOST_BYTES, memory: MOST_BYTES };
    let trace = read_sources(files.into_iter().map(source).collect(), limits);
    let trace = trace.map_err(|error| sentence(&error))?;
    let phases = trace.phases();
    let first = phases.first().map_or(0, |phase| phase.id);
    let id = parameters.read("phase", count)?.unwrap_or(first);
    let phase = trace.position(id).and_then(|place| phases.get(place));
    let phase = phase.ok_or_else(|| {
        format!("The trace has no phase {id}; its first is {first}, and it has {}.", phases.len())
    })?;
    let objects = phase.objects();
    let (unit, loads) = Unit::of(&objects.seconds).map_err(|error| sentence(&error))?;
    let processors = u32::try_from(trace.ranks()).unwrap_or(u32::MAX);
    let commands = CRITERIA.map(|criterion| {
        format!(
            "tresse balance {}.*.json* --phase {id} {}",
            trace.stem(),
            flags(parameters, criterion)
        )
    });
    Ok(Instance {
        title: format!(
            "{}, phase {id}: {} objects on {processors} ranks",
            trace.stem(),
            loads.len()
        ),
        processors,
        unit,
        loads,
        fixed: objects.fixed,
        owners: objects.owners,
        commands,
    })
}
