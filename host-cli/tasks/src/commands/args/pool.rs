//! The flags about the sharing of tasks, for every command with a pool.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use tresse_console::args::NoiseChoices;
use tresse_console::args::values::positive;
use tresse_console::files::machine_files::{self, VirtualMachine};
use tresse_core::base::grammar::{count, count32};
use tresse_core::run::RunConfig;
use tresse_core::run::noise::{MAX_NOISE, Noise};
use tresse_core::tasks::sharing::{Arbitration, Method, Release, SharingConfig};

use crate::commands::SetUpError;
use crate::pool::Managing;
use tresse_files::choices::place_noise;

/// Flags about the sharing of tasks.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolArgs {
    /// Method by which workers get tasks [default: adaptive, which has nothing to tune]
    #[arg(long, value_name = "METHOD", help_heading = "Sharing")]
    #[arg(value_parser = PossibleValuesParser::new(Method::NAMES).try_map(|name| Method::parse(&name)))]
    pub method: Option<Method>,

    /// Tasks that are handed on at a time [default: 12; with adaptive at most 64]
    #[arg(long, value_name = "N", help_heading = "Sharing", value_parser = count32)]
    #[arg(allow_negative_numbers = true)]
    pub chunk: Option<u32>,

    /// Tasks that a worker executes from one release to the next [default: 128]
    #[arg(long, value_name = "N", help_heading = "Sharing", value_parser = count32)]
    #[arg(allow_negative_numbers = true)]
    pub interval: Option<u32>,

    /// Copies of other chunks that come with tasks, with methods that speculate [default: 2; 1 with
    /// speculative-stealing]
    #[arg(long, value_name = "N", help_heading = "Sharing", value_parser = count32)]
    #[arg(allow_negative_numbers = true)]
    pub copies: Option<u32>,

    /// The most tasks of a worker that are executed and not yet arbitrated [default: 64]
    #[arg(long, value_name = "N", help_heading = "Sharing", value_parser = count32)]
    #[arg(allow_negative_numbers = true)]
    pub window: Option<u32>,

    /// Unit of arbitration: each task, as published, or a chunk at a time [default: chunk]
    #[arg(long, value_name = "WHAT", help_heading = "Sharing")]
    #[arg(value_parser = PossibleValuesParser::new(Arbitration::NAMES).try_map(|name| Arbitration::parse(&name)))]
    pub arbitration: Option<Arbitration>,

    /// Time at which tasks are released: every interval, as published, or only while the manager
    /// wants some [default: wanted with speculative and adaptive, otherwise interval]
    #[arg(long, value_name = "WHEN", help_heading = "Sharing")]
    #[arg(value_parser = PossibleValuesParser::new(Release::NAMES).try_map(|name| Release::parse(&name)))]
    pub release: Option<Release>,

    /// Seed of the choice of victims
    #[arg(long, value_name = "N", help_heading = "Sharing", default_value_t = 0)]
    pub sharing_seed: u64,

    /// Threads to pin [default: one for each physical core, as far as affinity mask and CPU quota
    /// allow]
    #[arg(long, value_name = "N", value_parser = count32, allow_negative_numbers = true)]
    pub workers: Option<u32>,

    /// Threads that do the manager's work: whichever worker has sent something, or a thread of its
    /// own, as published
    #[arg(long, value_name = "WHO", help_heading = "Sharing", value_enum, default_value_t)]
    pub manager: Managing,
}

/// Flags for the output and the files of a pool.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolOutputArgs {
    /// A folder for summary.json, workers.csv and the timeline of what everybody was at, as table
    /// and pictures; made where it is missing [default: none]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Record what everybody was at, and when, for `tresse export-trace`; its folder is made where
    /// it is missing [default: none]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub record: Option<PathBuf>,

    /// Print one JSON object in place of the report
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// No progress and no report
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

/// Flags for a virtual machine in place of this one.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct VirtualPoolArgs {
    /// Search in virtual time on a shipped machine, or that of a file: every task is real, and each
    /// worker and manager has a core of its own.
    #[arg(long, value_name = "NAME|FILE.toml", help_heading = "Machine")]
    pub machine: Option<PathBuf>,

    /// Nodes that are used; where N exceeds the machine's nodes, they are repeated [default: all of
    /// the machine]
    #[arg(long, value_name = "N", help_heading = "Machine", value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    pub nodes: Option<u32>,

    /// Managers with workers, and with more than one another above them [default: one for up to 64
    /// workers, then one for each 32; one with methods that steal]
    #[arg(long, value_name = "N", help_heading = "Machine", value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    pub managers: Option<u32>,

    /// Noise that slows the machine's cores, besides what it has at rest.
    #[command(flatten)]
    pub noise: NoiseChoices,

    /// Seed of the machine's paces and of its noise [default: 1]
    #[arg(long, value_name = "SEED", help_heading = "Noise", value_parser = count)]
    #[arg(allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

impl VirtualPoolArgs {
    /// Returns the machine with all of its nodes in use, if one is asked for.
    pub fn load(&self) -> Result<Option<VirtualPool>, SetUpError> {
        let Self { machine, nodes, managers, noise, seed } = self;
        let Some(path) = machine else {
            let is_here =
                nodes.is_none() && managers.is_none() && noise.sources.is_empty() && seed.is_none();
            return if is_here { Ok(None) } else { Err(SetUpError::NoMachine) };
        };
        let machine = machine_files::load(path)?;
        let nodes = nodes.unwrap_or(machine.hardware.nodes);
        let mut machine =
            machine.on_nodes(nodes).map_err(|error| SetUpError::Nodes { nodes, error })?;
        machine.hardware.nodes = nodes;
        let seed = seed.unwrap_or(RunConfig::default().seed);
        let noise = place_noise(&noise.sources, seed, &machine.hardware, nodes)?;
        Ok(Some(VirtualPool { machine, noise, seed }))
    }
}

/// A virtual machine for a pool, with its noise.
#[derive(Clone, Debug)]
pub struct VirtualPool {
    /// Machine, with the nodes in use.
    pub machine: VirtualMachine,
    /// Noise at its places.
    pub noise: heapless::Vec<Noise, MAX_NOISE>,
    /// Seed of paces and noise.
    pub seed: u64,
}

impl PoolArgs {
    /// Returns the configuration of the sharing, which is not yet validated.
    pub fn config(&self) -> SharingConfig {
        let default = SharingConfig::new(self.method.unwrap_or(Method::Adaptive));
        let is_adaptive = default.method == Method::Adaptive;
        SharingConfig {
            chunk: self.chunk.unwrap_or(default.chunk),
            interval: self.interval.unwrap_or(default.interval),
            copies: self.copies.unwrap_or(default.copies),
            window: self.window.unwrap_or(default.window),
            arbitration: self.arbitration.unwrap_or(default.arbitration),
            // Only while the manager wants some do adaptive workers release any.
            release: self.release.filter(|_| !is_adaptive).unwrap_or(default.release),
            seed: self.sharing_seed,
            ..default
        }
    }

    /// Returns the warnings about what has no effect.
    pub fn warnings(&self, is_virtual: bool) -> impl Iterator<Item = String> {
        let method = self.method.unwrap_or(Method::Adaptive);
        let releases = !method.steals() && method != Method::Adaptive;
        let flags = [
            ("--interval", self.interval.is_some() && !releases),
            ("--release", self.release.is_some() && !releases),
            ("--copies", self.copies.is_some() && !method.speculates()),
            ("--window", self.window.is_some() && !method.speculates()),
            ("--arbitration", self.arbitration.is_some() && !method.speculates()),
            ("--sharing-seed", self.sharing_seed != 0 && !method.steals()),
        ];
        let idle = flags.into_iter().filter_map(|(flag, is_idle)| is_idle.then_some(flag));
        let of_method =
            idle.map(move |flag| format!("{flag} has no effect with --method {method}"));
        let manager = (is_virtual && self.manager == Managing::Dedicated).then(|| {
            "--manager has no effect with --machine: there each manager has a core of its own"
                .into()
        });
        of_method.chain(manager)
    }
}
