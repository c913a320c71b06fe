//! Parts that are no rectangles, through the public library alone.

use std::fs;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use tresse::engine::threads::EngineError;
use tresse::files::machine_files::VirtualMachine;
use tresse::files::recording::ReplayedParts;
use tresse::{Iterated, Run};
use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Duration;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};
use tresse_core::parts::owned::{Edge, GraphMemory};
use tresse_core::parts::{Graph, GraphError, Part};
use tresse_core::run::noise::Noise;
use tresse_core::run::{Balance, End, Mode, Quantity, RunConfig, RunConfigError, Stop};
use tresse_tests::problems::{Failure, iterations, placement, tolerance, within_ten_minutes};
use tresse_tests::program::{TRESSE, example};
use tresse_tests::small_disk::SmallDisk;

const PARTS: u32 = 6;

/// A wheel: a hub beside every part of the rim, which is a ring. Where it is asked for, a link of
/// the hub leads astray.
#[derive(Clone, Debug)]
struct Wheel {
    parts: u32,
    astray: Option<u32>,
}

const WHEEL: Wheel = Wheel { parts: PARTS, astray: None };

impl Graph<5> for Wheel {
    fn parts(&self) -> u32 {
        self.parts
    }

    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 5] {
        let rim = |place: u32| Some(SubdomainId(1 + place % 5));
        let hub = Some(SubdomainId(0));
        match part.0 {
            0 => [
                self.astray.map_or(rim(0), |astray| Some(SubdomainId(astray))),
                rim(1),
                rim(2),
                rim(3),
                rim(4),
            ],
            place => [rim(place + 3), None, hub, None, rim(place)],
        }
    }

    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [1, 1]
    }
}

/// A part with one number, which becomes the mean of its neighbours' and of a constant.
#[derive(Clone, Debug, PartialEq)]
struct Number {
    constant: f64,
    own: f64,
    beside: [Option<f64>; 5],
}

impl Number {
    fn of(id: SubdomainId) -> Self {
        Self { constant: 1.0 / f64::from(id.0 + 3), own: 0.1, beside: [None; 5] }
    }

    fn all() -> Vec<Self> {
        (0..PARTS).map(SubdomainId).map(Self::of).collect()
    }

    fn next(&self) -> f64 {
        let (sum, number) = self
            .beside
            .iter()
            .flatten()
            .fold((self.constant, 1.0), |all, beside| (all.0 + beside, all.1 + 1.0));
        sum / number
    }
}

impl Part for Number {
    type Unit = f64;

    fn publish(&self, _: usize, edge: EdgeWriter<'_, f64>) {
        edge.write([self.own]);
    }

    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        self.beside[link] = edge.cells().next();
    }

    fn update(&mut self, _: bool) -> Option<f64> {
        let residual = self.residual();
        self.own = self.next();
        Some(residual)
    }

    fn residual(&mut self) -> f64 {
        (self.next() - self.own).powi(2)
    }

    fn pack(&self) -> impl Iterator<Item = f64> {
        let beside = self.beside.iter().map(|beside| beside.unwrap_or(f64::NAN));
        [self.constant, self.own].into_iter().chain(beside)
    }

    fn unpack(&mut self, _: SubdomainId, units: impl Iterator<Item = f64>) -> bool {
        let units: Vec<_> = units.collect();
        let [constant, own, beside @ ..] = &*units else { return false };
        (self.constant, self.own) = (*constant, *own);
        let beside = beside.iter().map(|beside| Some(*beside).filter(|beside| !beside.is_nan()));
        self.beside.iter_mut().zip(beside).map(|(to, beside)| *to = beside).count() == 5
    }
}

fn config(mode: Mode) -> RunConfig {
    let balance = match mode {
        Mode::Sync => Balance::None,
        Mode::Exact => Balance::Pull(0),
        _ => RunConfig::paper(2).balance,
    };
    RunConfig { split: PARTS / 2, mode, balance, stop: iterations(40), ..RunConfig::paper(2) }
}

fn on_threads(config: &RunConfig, graph: &Wheel) -> Result<(Vec<Number>, End), Failure> {
    let placement = placement(config.workers.max(1))?;
    let run = Run::new(config.clone(), graph, Number::of);
    let Iterated { record, parts, .. } = run.placed(&placement).on_threads()?;
    Ok((parts, record.end))
}

/// Returns the parts, the end, and how often parts have moved.
fn in_virtual_time(config: &RunConfig) -> Result<(Vec<Number>, End, u64), Failure> {
    let run = Run::new(config.clone(), &WHEEL, Number::of);
    let Iterated { record, parts, .. } =
        run.in_virtual_time(&VirtualMachine::shipped("laptop")?)?;
    Ok((parts, record.end, record.moves))
}

/// Returns the numbers that a plain loop computes.
fn plainly(iterations: u32) -> Vec<f64> {
    let mut parts = Number::all();
    for _ in 0..iterations {
        let before: Vec<_> = parts.iter().map(|part| part.own).collect();
        for (id, part) in (0..).map(SubdomainId).zip(&mut parts) {
            part.beside =
                WHEEL.neighbours(id).map(|there| there.map(|there| before[there.index()]));
            part.own = part.next();
        }
    }
    parts.into_iter().map(|part| part.own).collect()
}

#[test]
fn synchronous_parts_agree_with_a_plain_loop_to_the_bit() -> Result<(), Failure> {
    let bits = |parts: Vec<Number>| parts.iter().map(|part| part.own.to_bits()).collect::<Vec<_>>();
    let expected: Vec<_> = plainly(40).into_iter().map(f64::to_bits).collect();
    // Sweeps that are open to help go from copy to copy, by way of what is packed.
    for (mode, always_help) in [(Mode::Sync, false), (Mode::Exact, false), (Mode::Exact, true)] {
        let config = RunConfig { always_help, ..config(mode) };
        let (virtually, end, _) = in_virtual_time(&config)?;
        assert_eq!((bits(virtually), end), (expected.clone(), End::Iterations), "{mode}");
        let (really, end) =
            within_ten_minutes("parts on threads", move || on_threads(&config, &WHEEL))??;
        assert_eq!((bits(really), end), (expected.clone(), End::Iterations), "{mode}");
    }
    Ok(())
}

#[test]
fn parts_that_move_while_they_are_updated_come_to_the_same() -> Result<(), Failure> {
    let settled = plainly(2_000);
    for mode in [Mode::Async, Mode::SemiSync(1)] {
        // However unequally the system treats the threads, each part gets there.
        let stop = Stop { tolerance: Some(1e-9), ..Stop::NEVER };
        let config = RunConfig { stop, ..config(mode) };
        let long = RunConfig { stop: iterations(20_000), ..config.clone() };
        let (virtually, _, moves) = in_virtual_time(&long)?;
        assert!(mode != Mode::Async || moves > 0, "nothing has moved");
        let (really, _) =
            within_ten_minutes("parts on threads", move || on_threads(&config, &WHEEL))??;
        for parts in [virtually, really] {
            let far = parts.iter().zip(&settled).map(|(part, own)| (part.own - own).abs());
            assert!(far.fold(0.0, f64::max) < 1e-6, "{mode}: {parts:?}, {settled:?}");
        }
    }
    Ok(())
}

#[test]
fn parts_of_a_stopped_worker_are_helped() -> Result<(), Failure> {
    let mut config = RunConfig { balance: Balance::Pull(2), ..config(Mode::Async) };
    let noise = Noise::parse("core=0,burst=300us,gap=100us")?;
    config.noise.push(noise).map_err(|_| "no room for noise")?;
    config.stop = iterations(50_000);
    let run = Run::new(config, &WHEEL, Number::of);
    let Iterated { record, parts, .. } =
        run.in_virtual_time(&VirtualMachine::shipped("laptop")?)?;
    assert!(record.visits.is_some_and(|visits| visits.helped > 0), "{:?}", record.visits);
    let settled = plainly(2_000);
    let far = parts.iter().zip(&settled).map(|(part, own)| (part.own - own).abs());
    assert!(far.fold(0.0, f64::max) < 1e-6, "{parts:?}, {settled:?}");
    Ok(())
}

/// Whatever the order was in which workers swept, it is made again.
#[test]
fn what_was_recorded_is_made_again_to_the_bit() -> Result<(), Failure> {
    let (folder, placement) = (tempfile::tempdir()?, placement(2)?);
    let file = folder.path().join("run.tresse");
    let joint = Balance::Joint(Duration::from_micros(20));
    for (mode, balance) in [
        (Mode::Sync, Balance::None),
        (Mode::SemiSync(1), joint),
        (Mode::Async, joint),
        (Mode::Async, Balance::Pull(1)),
        (Mode::Exact, Balance::Pull(0)),
    ] {
        // Few: at the end no part is where its neighbours were before.
        let config = RunConfig { balance, stop: iterations(7), ..config(mode) };
        let run = Run::new(config, &WHEEL, Number::of).placed(&placement);
        let Iterated { record, parts, .. } = run.clone().recorded_in(&file).on_threads()?;
        let again: ReplayedParts<Number> = run.replay(&file)?;
        assert!(again.is_equal, "{mode} {balance}");
        assert_eq!(again.sweeps, record.progress.updates);
        let own = |parts: &[Number]| parts.iter().map(|part| part.own).collect::<Vec<_>>();
        assert_eq!(own(&again.parts), own(&parts), "{mode} {balance}");
        // Parts that begin otherwise do not come to the same.
        let other = |id| Number { own: 0.7, ..Number::of(id) };
        let other = Run::new(run.config().clone(), &WHEEL, other).replay(&file)?;
        assert!(!other.is_equal, "{mode} {balance}");
    }
    Ok(())
}

#[test]
fn recordings_of_something_else_are_named() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let (file, saved) = (folder.path().join("run.tresse"), folder.path().join("saved"));
    let run = Run::new(config(Mode::Sync), &WHEEL, Number::of);
    run.clone().recorded_in(&file).on_threads()?;
    let wrong = |graph: &Wheel| {
        let again = Run::new(config(Mode::Sync), graph, Number::of).replay(&file);
        again.map(|_| ()).unwrap_err().to_string()
    };
    let said = wrong(&Wheel { parts: 7, astray: None });
    assert!(said.contains("is of 6 parts") && said.contains("this run has 7"), "{said}");
    let said = wrong(&Wheel { astray: Some(2), ..WHEEL });
    assert!(said.contains("of parts with other links"), "{said}");
    // The program makes no run of parts that it does not know.
    let refused = Command::new(&*TRESSE).arg("replay").arg(&file).output()?;
    let said = String::from_utf8(refused.stderr)?;
    assert!(!refused.status.success() && said.contains("parts of one's own"), "{said}");
    // A recording begins with the first sweep.
    let hour = Duration::from_millis(3_600_000);
    run.clone().saved_in(&saved, hour).saved_on(&AtomicBool::new(true)).on_threads()?;
    let resumed = run.clone().resumed_from(&saved).recorded_in(&file).on_threads();
    assert!(matches!(resumed, Err(EngineError::RecordOfResumed)), "{resumed:?}");
    // What has lost its end, or a bit, is no recording.
    let bytes = fs::read(&file)?;
    for damaged in
        [&bytes[..bytes.len() - 1], &[&bytes[..40], &[bytes[40] ^ 1], &bytes[41..]].concat()]
    {
        fs::write(&file, damaged)?;
        let said = wrong(&WHEEL);
        assert!(said.contains("cut off") || said.contains("damaged"), "{said}");
    }
    Ok(())
}

/// What was computed is worth more than its recording.
#[test]
fn a_full_disk_under_a_recording_leaves_the_parts() -> Result<(), Failure> {
    let root = tempfile::tempdir()?;
    let Some(disk) = SmallDisk::mount_of(32, root.path()) else { return Ok(()) };
    let config = RunConfig { stop: iterations(100_000), ..config(Mode::Async) };
    let file = disk.path().join("run.tresse");
    let left = Run::new(config, &WHEEL, Number::of).recorded_in(&file).on_threads()?;
    assert_eq!((left.record.end, left.parts.len()), (End::Iterations, PARTS as usize));
    let why = left.unrecorded.map(|error| error.to_string()).unwrap_or_default();
    assert!(why.contains("run.tresse") && !file.exists(), "{why}");
    Ok(())
}

/// Without a path between two parts nothing keeps their counts near each other.
#[test]
fn parts_that_no_path_joins_are_refused_everywhere() -> Result<(), Failure> {
    let edge = |(from, to)| Edge { from: SubdomainId(from), to: SubdomainId(to), units: 1 };
    let pairs = [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4)];
    let memory = GraphMemory::new(vec![1; PARTS as usize], pairs.map(edge))?;
    let graph = memory.lend::<5>()?;
    let apart = "no path leads from part 0 to part 2";
    for mode in [Mode::Sync, Mode::Async, Mode::Exact] {
        let run = Run::new(config(mode), &graph, Number::of);
        let on_threads = run.on_threads().map(|_| ()).unwrap_err();
        assert!(on_threads.to_string().contains(apart), "{mode}: {on_threads}");
        let virtually = run.in_virtual_time(&VirtualMachine::shipped("laptop")?).map(|_| ());
        assert!(virtually.unwrap_err().to_string().contains(apart), "{mode}");
    }
    // Edges of no units are enough.
    let joining = [(0, 2), (2, 4)].map(|(from, to)| Edge { units: 0, ..edge((from, to)) });
    let memory =
        GraphMemory::new(vec![1; PARTS as usize], pairs.map(edge).into_iter().chain(joining))?;
    let config = RunConfig { stop: tolerance(1e-9), ..config(Mode::Exact) };
    let left = Run::new(config, &memory.lend::<5>()?, Number::of).on_threads()?;
    assert_eq!(left.record.end, End::Converged);
    Ok(())
}

#[test]
fn an_edge_that_no_memory_holds_is_refused() -> Result<(), Failure> {
    let edge = |from, to| Edge { from: SubdomainId(from), to: SubdomainId(to), units: u32::MAX };
    let all = 100;
    let memory = GraphMemory::new(vec![1; all as usize], (1..all).map(|part| edge(0, part)))?;
    let graph = memory.lend::<100>()?;
    let config = RunConfig { split: all / 2, ..config(Mode::Async) };
    let run = Run::new(config, &graph, Number::of);
    let on_threads = run.on_threads().map(|_| ()).unwrap_err().to_string();
    let virtually = run.in_virtual_time(&VirtualMachine::shipped("laptop")?);
    for said in [on_threads, virtually.map(|_| ()).unwrap_err().to_string()] {
        assert!(said.contains("bytes of memory here"), "{said}");
    }
    Ok(())
}

/// A number that does one thing wrongly.
struct Wrong(Number, &'static str);

impl Part for Wrong {
    type Unit = f64;

    fn publish(&self, link: usize, edge: EdgeWriter<'_, f64>) {
        match self.1 {
            "nothing" => {}
            "none" => edge.write([]),
            "two" => edge.write([self.0.own; 2]),
            _ => self.0.publish(link, edge),
        }
    }

    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        self.0.read(link, edge);
    }

    fn update(&mut self, with_residual: bool) -> Option<f64> {
        self.0.update(with_residual)
    }

    fn residual(&mut self) -> f64 {
        self.0.residual()
    }

    fn pack(&self) -> impl Iterator<Item = f64> {
        self.0.pack()
    }

    fn unpack(&mut self, id: SubdomainId, units: impl Iterator<Item = f64>) -> bool {
        let mut units: Vec<_> = units.collect();
        if self.1 == "another order" {
            units.swap(0, 1);
        }
        self.0.unpack(id, units.into_iter()) && self.1 != "refuses"
    }
}

#[test]
fn a_part_that_publishes_or_unpacks_wrongly_is_refused_before_anything_is_updated()
-> Result<(), Failure> {
    for (what, said) in [
        ("nothing", "part 4 publishes 0 units on link 0, and its graph says 1"),
        ("none", "part 4 publishes 0 units on link 0"),
        ("two", "part 4 publishes 2 units or more on link 0, and its graph says 1"),
        ("refuses", "part 4 does not unpack what it has packed"),
        ("another order", "part 4 does not unpack what it has packed"),
    ] {
        let make =
            |id: SubdomainId| Wrong(Number::of(id), if id.0 == 4 { what } else { "nothing wrong" });
        let run = Run::new(config(Mode::Async), &WHEEL, make);
        let on_threads = run.on_threads().map(|_| ()).unwrap_err().to_string();
        let virtually = run.in_virtual_time(&VirtualMachine::shipped("laptop")?).map(|_| ());
        for found in [on_threads, virtually.unwrap_err().to_string()] {
            assert!(found.contains(said), "{what}: {found}");
        }
    }
    Ok(())
}

#[test]
fn what_are_not_the_parts_of_the_run_is_refused() {
    let found = |config: &RunConfig, graph| {
        let failure = on_threads(config, &graph).map(|_| ()).unwrap_err();
        *failure.downcast::<EngineError>().unwrap()
    };
    let asynchronous = config(Mode::Async);
    let more = found(&asynchronous, Wheel { parts: 7, astray: None });
    assert!(matches!(more, EngineError::Graph(GraphError::Parts { parts: 7, run: 6 })), "{more}");
    for astray in [0, 2, 6] {
        let wrong = found(&asynchronous, Wheel { astray: Some(astray), ..WHEEL });
        assert!(matches!(wrong, EngineError::Graph(GraphError::Link(..))), "{astray}: {wrong}");
    }
    let nobody = found(&RunConfig { workers: 0, ..asynchronous }, WHEEL);
    assert!(
        matches!(nobody, EngineError::Config(RunConfigError::Zero(Quantity::Workers))),
        "{nobody}"
    );
}

#[test]
fn the_example_converges_on_threads_and_in_virtual_time() -> Result<(), Failure> {
    let output = Command::new(example("tresse", "heat")).output()?;
    let said = String::from_utf8(output.stdout)?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let converged =
        |line: &str| line.contains(": converged after") && line.ends_with("0.0154 left");
    assert!(said.lines().count() == 2 && said.lines().all(converged), "{said}");
    assert!(include_str!("../../../host-cli/examples/heat.rs").lines().count() <= 80);
    Ok(())
}

/// The page shows the examples, which are run.
#[test]
fn the_guide_shows_the_examples() {
    let guide = include_str!("../../../host-cli/guide/your-own-iteration.md");
    let examples = [
        include_str!("../../../host-cli/examples/heat.rs"),
        include_str!("../../../host-mpi/examples/boxes_on_ranks.rs"),
    ];
    for example in examples {
        let start = example.find("use std::error").unwrap();
        assert!(guide.contains(&example[start..]), "{example}");
    }
    assert!(include_str!("../../../host-cli/examples/boxes/cells.rs").lines().count() <= 80);
}

#[test]
fn boxes_in_three_dimensions_come_to_the_exact_solution() -> Result<(), Failure> {
    let output = Command::new(example("tresse", "boxes")).output()?;
    let said = String::from_utf8(output.stdout)?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.lines().count(), 2, "{said}");
    for line in said.lines() {
        let error = line.split_once(": converged, error ").ok_or(line)?.1;
        assert!(error.parse::<f64>()? < 1e-6, "{line}");
    }
    Ok(())
}
