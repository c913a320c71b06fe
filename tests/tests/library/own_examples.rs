//! The examples of iterations of one's own, on threads and in virtual time, beside what they are to
//! come to; and whether balancing such iterations pays.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use ndarray::Array1;
use tresse::files::machine_files::VirtualMachine;
use tresse::{Graph, Iterated, Part, Run};
use tresse_core::base::id::SubdomainId;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};
use tresse_core::run::noise::Noise;
use tresse_core::run::{Balance, End, Mode, RunConfig, Stop};
use tresse_tests::problems::{Failure, iterations, within_ten_minutes};
use tresse_tests::program::example;

#[path = "own_answers.rs"]
mod answers;
#[path = "../../../host-cli/examples/regression/data.rs"]
mod data;
#[path = "../../../host-cli/examples/pagerank/range.rs"]
mod range;
#[path = "../../../host-cli/examples/regression/shards.rs"]
mod shards;
#[path = "../../../host-cli/examples/pagerank/web.rs"]
mod web;
#[path = "../../../host-cli/examples/value_iteration/world.rs"]
mod world;

use range::Range;
use shards::{Shard, Shards};
use web::Web;
use world::{Block, World};

const GUIDE: &str = include_str!("../../../host-cli/guide/your-own-iteration.md");

/// A run to a tolerance, in the modes without staleness, those with it, and where workers help.
fn configs(parts: u32, tolerance: f64) -> Vec<RunConfig> {
    let stop = Stop { tolerance: Some(tolerance), ..Stop::NEVER };
    let paper = RunConfig { split: parts / 2, stop, ..RunConfig::paper(2) };
    let auto = paper.balance;
    let of =
        |(mode, balance, always_help)| RunConfig { mode, balance, always_help, ..paper.clone() };
    let methods = [
        (Mode::Sync, Balance::None, false),
        (Mode::Exact, Balance::Pull(0), true),
        (Mode::Async, Balance::None, false),
        (Mode::Async, auto, false),
        (Mode::Async, Balance::Pull(2), true),
        (Mode::SemiSync(1), auto, false),
    ];
    methods.map(of).into()
}

/// Makes all runs of parts on threads and in virtual time; `check` sees what each has come to.
fn everywhere<T: Part, G: Graph<N> + Sync, const N: usize>(
    (graph, tolerance): (&G, f64),
    make: impl Fn(SubdomainId) -> T + Sync,
    check: impl Fn(Vec<T>, &str),
) -> Result<(), Failure> {
    let laptop = VirtualMachine::shipped("laptop")?;
    for config in configs(graph.parts(), tolerance) {
        let what = format!("{} {} {}", config.mode, config.balance, config.always_help);
        let run = Run::new(config, graph, &make);
        for (place, run) in
            [("time", run.in_virtual_time(&laptop)?), ("threads", run.on_threads()?)]
        {
            assert_eq!(run.record.end, End::Converged, "{what} {place}");
            check(run.parts, &format!("{what} {place}"));
        }
    }
    Ok(())
}

/// Returns the largest difference.
fn far(found: &[f64], exact: &[f64]) -> f64 {
    assert_eq!(found.len(), exact.len());
    found.iter().zip(exact).fold(0.0, |most, (found, exact)| most.max((found - exact).abs()))
}

#[test]
fn value_iteration_comes_to_the_closed_form() -> Result<(), Failure> {
    let exact = answers::values();
    within_ten_minutes("value iteration", move || {
        everywhere((&World, 1e-9), Block::new, |blocks, what| {
            let values: Vec<_> = blocks.iter().flat_map(Block::values).collect();
            assert!(far(&values, &exact) < 1e-5, "{what}: {}", far(&values, &exact));
        })
    })?
}

#[test]
fn pagerank_is_that_of_a_power_iteration() -> Result<(), Failure> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host-cli/examples/pagerank/web.txt");
    let exact = answers::ranks(&std::fs::read_to_string(&path)?);
    assert!((exact.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    within_ten_minutes("PageRank", move || {
        let web = Web::open(&path).unwrap();
        let memory = web.graph()?;
        let graph = memory.lend::<7>()?;
        everywhere(
            (&graph, 1e-10),
            |id| Range::new(id, &web),
            |ranges, what| {
                let ranks: Array1<_> = ranges.iter().flat_map(Range::own).copied().collect();
                let ranks = &ranks / ranks.sum();
                assert!(far(&ranks.to_vec(), &exact) < 1e-8, "{what}");
            },
        )
    })?
}

/// Returns the loss of the mean of all models above that of the best one.
fn excess(shards: &[Shard]) -> f64 {
    let models = shards.iter().map(|shard| &shard.model);
    let sum = models.fold(Array1::zeros(data::FEATURES), |sum, model| sum + model);
    data::loss(&(sum / shards.len() as f64)) - least_loss(0..data::SHARDS)
}

/// Returns the loss over all shards of the model that is the best for some.
fn least_loss(of: std::ops::Range<u32>) -> f64 {
    data::loss(&answers::best_model(of))
}

/// However long a thread is stopped, its shards have learned: the model of all is better than one
/// that knows half of them.
#[test]
fn regression_comes_close_to_the_best_model() -> Result<(), Failure> {
    let halves = least_loss(0..8).max(least_loss(8..16)) - least_loss(0..data::SHARDS);
    assert!(halves > 0.01, "{halves}");
    within_ten_minutes("regression", move || {
        everywhere(
            (&Shards, 0.05),
            |id| Shard::new(id, data::FALLS),
            |shards, what| {
                let excess = excess(&shards);
                assert!(excess < halves, "{what}: {excess}");
            },
        )
    })?
}

/// The tables in the guide: the time of 4,000 updates of each shard on average, and the loss above
/// the least one.
#[test]
fn what_balancing_does_for_gradient_descent_is_in_the_guide() -> Result<(), Failure> {
    let laptop = VirtualMachine::shipped("laptop")?;
    let mut table = String::new();
    for (name, balance, rates) in [
        ("falls, no balancer", "none", data::FALLS),
        ("falls, split(0.0001)", "split:0.0001", data::FALLS),
        ("falls, auto", "auto", data::FALLS),
        ("falls, pull(8)", "pull:8", data::FALLS),
        ("stays, no balancer", "none", data::STAYS),
        ("stays, split(0.0001)", "split:0.0001", data::STAYS),
        ("stays, auto", "auto", data::STAYS),
        ("stays, pull(8)", "pull:8", data::STAYS),
    ] {
        write!(table, "| {name}")?;
        for noise in ["", "core=0,duty=0.4", "core=0,duty=0.8"] {
            let balance = Balance::parse(balance)?;
            let stop = iterations(4_000);
            let mut config = RunConfig { balance, stop, ..RunConfig::paper(4) };
            if !noise.is_empty() {
                config.noise.extend([Noise::parse(noise)?]);
            }
            let run = Run::new(config, &Shards, |id| Shard::new(id, rates));
            let run = run.in_virtual_time(&laptop)?;
            let excess = excess(&run.parts);
            write!(table, " | {:.1} ms, {excess:.6}", 1e3 * run.record.elapsed.seconds())?;
        }
        writeln!(table, " |")?;
    }
    assert!(GUIDE.contains(&table), "{table}");
    let best = least_loss(0..data::SHARDS);
    let learned = format!("from {:.3} to {best:.3}", data::loss(&Array1::zeros(data::FEATURES)));
    assert!(GUIDE.contains(&learned), "{learned}");
    Ok(())
}

/// A ring of rods that are heated and lose heat: what is further than a rod away hardly matters, so
/// that each needs its own updates, wherever it is. Each is charged for as many cells as one of the
/// paper's subdomains.
struct Ring;

const RING: u32 = 144;
/// The cells of a rod, beside those of the neighbours.
const CELLS: usize = 32;

impl Graph<2> for Ring {
    fn parts(&self) -> u32 {
        RING
    }

    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 2] {
        [RING - 1, 1].map(|by| Some(SubdomainId((part.0 + by) % RING)))
    }

    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [22_500, 1]
    }
}

struct Rod {
    heating: f64,
    cells: [f64; CELLS + 2],
}

impl Rod {
    fn new(id: SubdomainId) -> Self {
        Self { heating: f64::from(1 + id.0 * 37 % RING), cells: [0.0; CELLS + 2] }
    }

    fn next(&self) -> impl Iterator<Item = f64> {
        let next = |at: &[f64]| 0.998 * f64::midpoint(at[0], at[2]) + self.heating;
        self.cells.windows(3).map(next)
    }
}

impl Part for Rod {
    type Unit = f64;

    fn publish(&self, link: usize, edge: EdgeWriter<'_, f64>) {
        edge.write([self.cells[[1, CELLS][link]]]);
    }

    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        let place = [0, CELLS + 1][link];
        edge.copy_to(&mut self.cells[place..=place]);
    }

    fn update(&mut self, with_residual: bool) -> Option<f64> {
        let residual = with_residual.then(|| self.residual());
        let next: Vec<_> = self.next().collect();
        self.cells[1..=CELLS].copy_from_slice(&next);
        residual
    }

    fn residual(&mut self) -> f64 {
        self.next().zip(&self.cells[1..]).map(|(next, cell)| (next - cell).powi(2)).sum()
    }

    fn pack(&self) -> impl Iterator<Item = f64> {
        self.cells.into_iter()
    }

    fn unpack(&mut self, id: SubdomainId, units: impl Iterator<Item = f64>) -> bool {
        *self = Self::new(id);
        self.cells.iter_mut().zip(units).map(|(cell, unit)| *cell = unit).count() == CELLS + 2
    }
}

/// Returns the time to solution without and with noise on one core, in seconds of virtual time.
fn with_noise(mode: &str, balance: &str) -> Result<[f64; 2], Failure> {
    let cirrus = VirtualMachine::shipped("cirrus")?;
    let stop = Stop { tolerance: Some(1e-8), ..Stop::NEVER };
    let mut config = RunConfig { stop, ..RunConfig::paper(36) };
    (config.mode, config.balance) = (Mode::parse(mode)?, Balance::parse(balance)?);
    let time = |config| -> Result<f64, Failure> {
        let run: Iterated<Rod> = Run::new(config, &Ring, Rod::new).in_virtual_time(&cirrus)?;
        assert_eq!(run.record.end, End::Converged);
        Ok(run.record.elapsed.seconds())
    };
    let quiet = time(config.clone())?;
    config.noise.extend([Noise::parse("core=2,duty=0.19")?]);
    Ok([quiet, time(config)?])
}

#[test]
fn balancing_an_iteration_of_ones_own_pays() -> Result<(), Failure> {
    let mut table = String::new();
    let mut increases = Vec::new();
    for (name, mode, balance) in [
        ("sync", "sync", "none"),
        ("async, no balancer", "async", "none"),
        ("async + split(0.001)", "async", "split:0.001"),
    ] {
        let [quiet, noisy] = with_noise(mode, balance)?;
        let increase = 100.0 * (noisy / quiet - 1.0);
        writeln!(table, "| {name} | {quiet:.2} s | {noisy:.2} s | {increase:.1} % |")?;
        increases.push(increase);
    }
    assert!(increases.is_sorted_by(|one, next| one > next) && increases[2] <= 3.0, "{table}");
    assert!(GUIDE.contains(&table), "{table}");
    Ok(())
}

/// Runs an example, and returns what it prints.
fn said(name: &str, arguments: &[&Path]) -> Result<String, Failure> {
    let output = Command::new(example("tresse", name)).args(arguments).output()?;
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(String::from_utf8(output.stdout)?) } else { Err(error.into()) }
}

#[test]
fn the_examples_say_what_they_come_to() -> Result<(), Failure> {
    let values = said("value_iteration", &[])?;
    assert_eq!(values.matches(": converged; ").count(), 2, "{values}");
    // The state above the goal, whose row is the first of a block but one.
    assert_eq!(values.matches("\n -15.381 ").count(), 2, "{values}");
    let loss = said("regression", &[])?;
    assert_eq!(loss.matches(": converged after ").count(), 2, "{loss}");
    let ranks = said("pagerank", &[])?;
    assert_eq!(ranks.matches(": converged; page 35 ").count(), 2, "{ranks}");
    Ok(())
}

#[test]
fn any_graph_has_ranks_and_what_is_none_is_refused() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let ranked = |name: &str, text: &str| -> Result<String, Failure> {
        let path = folder.path().join(name);
        std::fs::write(&path, text)?;
        said("pagerank", &[&path])
    };
    // Three pages in eight ranges, of which two link to the third.
    let matrix = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 3\n2 3\n";
    for (name, text) in [("three.mtx", matrix), ("three.txt", "1 3\n2 3\n")] {
        let found = ranked(name, text)?;
        assert_eq!(
            found.matches(": converged; page 3 has the highest rank, 0.574468\n").count(),
            2,
            "{found}"
        );
    }
    for text in ["", "1 two\n", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 4\n"] {
        let failure = ranked("bad", text).unwrap_err().to_string();
        assert!(
            failure.starts_with("Error: ") && !failure.contains("panicked"),
            "{text}: {failure}"
        );
    }
    assert!(said("pagerank", &[&folder.path().join("nothing")]).is_err());
    Ok(())
}

#[test]
fn the_examples_are_short() {
    for (name, text) in [
        ("data", include_str!("../../../host-cli/examples/regression/data.rs")),
        ("shards", include_str!("../../../host-cli/examples/regression/shards.rs")),
        ("regression", include_str!("../../../host-cli/examples/regression/main.rs")),
        ("range", include_str!("../../../host-cli/examples/pagerank/range.rs")),
        ("web", include_str!("../../../host-cli/examples/pagerank/web.rs")),
        ("pagerank", include_str!("../../../host-cli/examples/pagerank/main.rs")),
        ("world", include_str!("../../../host-cli/examples/value_iteration/world.rs")),
        ("value_iteration", include_str!("../../../host-cli/examples/value_iteration/main.rs")),
        ("iterations_on_ranks", include_str!("../../../host-mpi/examples/iterations_on_ranks.rs")),
    ] {
        assert!(text.lines().count() <= 80, "{name}");
    }
}
