//! Sparse systems by restricted additive Schwarz, beside Gaussian elimination and closed forms.

use tresse::files::machine_files::VirtualMachine;
use tresse::matrix::dominance::is_known_to_converge;
use tresse::matrix::rows::{norm, residual_norm};
use tresse::matrix::subdomain::Subdomain;
use tresse::matrix::system::System;
use tresse::{Iterated, Run};
use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, End, Mode, RunConfig, Stop};
use tresse_tests::problems::{Failure, iterations};
use tresse_tests::systems::{self, LinearSystem};

const PARTS: u32 = 8;

/// Where a run is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Threads,
    VirtualTime,
}

fn cut(linear: &LinearSystem, overlap: u32) -> Result<System, Failure> {
    let start = vec![0.0; linear.rhs.len()];
    Ok(System::new(&linear.matrix, &linear.rhs, &start, PARTS, overlap)?)
}

fn made<'s>(
    system: &'s System,
    config: &RunConfig,
    place: Place,
) -> Result<Iterated<Subdomain<'s>>, Failure> {
    let graph = system.graph().lend::<7>()?;
    let run = Run::new(config.clone(), &graph, |id: SubdomainId| Subdomain::new(system, id));
    Ok(match place {
        Place::Threads => run.on_threads()?,
        Place::VirtualTime => run.in_virtual_time(&VirtualMachine::shipped("laptop")?)?,
    })
}

/// Returns a configuration in a mode, with a balancer that goes with it.
fn config(mode: Mode, balance: Balance, stop: Stop) -> RunConfig {
    RunConfig { mode, balance, stop, workers: 2, split: PARTS / 2, ..RunConfig::paper(2) }
}

/// Returns the bits of the solution after 25 iterations.
fn bits(system: &System, config: &RunConfig, place: Place) -> Result<Vec<u64>, Failure> {
    let config = RunConfig { stop: iterations(25), ..config.clone() };
    let run = made(system, &config, place)?;
    Ok(system.assembled(&run.parts).into_iter().map(f64::to_bits).collect())
}

#[test]
fn every_mode_comes_to_the_solution() -> Result<(), Failure> {
    let joint = Balance::Joint(Duration::from_micros(200));
    for linear in systems::all() {
        let stop = Stop { tolerance: Some(1e-10), ..Stop::NEVER };
        let stop = Stop { reference: Some(norm(linear.rhs.iter().copied())), ..stop };
        for (overlap, mode, balance, place) in [
            (0, Mode::Sync, Balance::None, Place::Threads),
            (1, Mode::Exact, Balance::Pull(8), Place::Threads),
            (1, Mode::SemiSync(2), Balance::None, Place::Threads),
            (1, Mode::Async, Balance::Auto, Place::Threads),
            (2, Mode::Async, joint, Place::Threads),
            (1, Mode::Async, Balance::Auto, Place::VirtualTime),
        ] {
            let what = format!("{}, {mode}, overlap {overlap}, {place:?}", linear.name);
            let system = cut(&linear, overlap)?;
            let run = made(&system, &config(mode, balance, stop), place)?;
            assert_eq!(run.record.end, End::Converged, "{what}");
            let solution = system.assembled(&run.parts);
            let residual = residual_norm(&linear.matrix, &linear.rhs, &solution);
            let published = run.record.residual.verified;
            assert!((residual / published - 1.0).abs() < 1e-9, "{what}: {residual} {published}");
            // Where there is no boundary, only differences are known.
            let far = |(found, known): (&f64, &f64)| found - known;
            let shift =
                if linear.is_singular { far((&solution[0], &linear.solution[0])) } else { 0.0 };
            let most = linear.solution.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
            let errors = solution.iter().zip(&linear.solution).map(far);
            let error = errors.fold(0.0, |error: f64, far| error.max((far - shift).abs()));
            assert!(error < 1e-6 * most, "{what}: {error:e} of {most:e}");
        }
    }
    Ok(())
}

#[test]
fn synchronous_iterations_are_the_same_to_the_bit() -> Result<(), Failure> {
    let sync = config(Mode::Sync, Balance::None, Stop::NEVER);
    let one = RunConfig { workers: 1, split: PARTS, ..sync.clone() };
    let exact = config(Mode::Exact, Balance::Pull(0), Stop::NEVER);
    let helping = RunConfig { always_help: true, help: true, ..exact.clone() };
    for linear in systems::all() {
        let system = cut(&linear, 1)?;
        let first = bits(&system, &sync, Place::Threads)?;
        for (config, place) in [
            (&one, Place::Threads),
            (&exact, Place::Threads),
            (&helping, Place::Threads),
            (&sync, Place::VirtualTime),
            (&one, Place::VirtualTime),
            (&exact, Place::VirtualTime),
        ] {
            let other = bits(&system, config, place)?;
            assert!(other == first, "{}, {}, {place:?}", linear.name, config.mode);
        }
    }
    Ok(())
}

#[test]
fn overlap_needs_fewer_iterations() -> Result<(), Failure> {
    let laplacian = &systems::all()[0];
    let stop = Stop { tolerance: Some(1e-8), ..Stop::NEVER };
    let sync = config(Mode::Sync, Balance::None, stop);
    let mut counts = Vec::new();
    for overlap in 0..4 {
        let system = cut(laplacian, overlap)?;
        counts.push(made(&system, &sync, Place::VirtualTime)?.record.progress.most);
    }
    assert!(counts.is_sorted_by(|one, next| one > next), "{counts:?}");
    Ok(())
}

#[test]
fn what_is_known_of_the_convergence() {
    let known: Vec<_> = systems::all().iter().map(|it| is_known_to_converge(&it.matrix)).collect();
    let names: Vec<_> = systems::all().iter().map(|it| it.name).collect();
    let unknown: Vec<_> = names.iter().zip(known).filter(|(_, known)| !known).collect();
    assert_eq!(unknown, [(&"no boundary", false)]);
}
