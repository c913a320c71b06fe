//! Recorded runs on threads: what must hold whatever their timing was.

use tresse_core::base::id::SubdomainId;
use tresse_core::field::grid::Decomposition;
use tresse_core::run::{Balance, GridSize, Mode};
use tresse_tests::audit;
use tresse_tests::problems::{
    Failure, PULL, balancers, config, from_above, iterations, methods, random, range, record,
};
use tresse_tests::recording::Sweep;

const GRID: GridSize = GridSize { rows: 23, columns: 31 };
/// Four workers with six subdomains each, on however few cores.
const PARTS: (u32, u32) = (4, 6);
/// Runs that may pass without a subdomain that changes hands.
const ATTEMPTS: u64 = 50;

/// Runs until a subdomain has been borrowed, and checks each run.
fn pulled(mode: Mode) -> Result<(), Failure> {
    for seed in 0..ATTEMPTS {
        let problem = random(seed, GRID, false);
        let config = config(GRID, PARTS, (mode, PULL), iterations(400));
        let (solution, sweeps) = record::<f64>(&problem, &config)?;
        audit::run(&config, &solution.record, &sweeps)?;
        let (least, greatest) = range(&problem);
        audit::cells_stay_within(&sweeps, least, greatest)?;
        let cut = Decomposition::new(&config)?;
        let home = |sweep: &&Sweep| cut.first_owner(SubdomainId(sweep.subdomain)).0 == sweep.worker;
        let away = sweeps.iter().filter(|sweep| !home(sweep)).count() as u64;
        if solution.record.visits.map(|visits| visits.away) != Some(away) {
            return Err(
                format!("{away} sweeps away from home, {:?}", solution.record.visits).into()
            );
        }
        if away > 0 {
            return Ok(());
        }
    }
    Err(format!("{mode}: in {ATTEMPTS} runs nothing was borrowed").into())
}

#[test]
fn what_is_borrowed_is_neither_lost_nor_torn() -> Result<(), Failure> {
    [Mode::Async, Mode::SemiSync(0), Mode::SemiSync(2), Mode::Exact]
        .into_iter()
        .try_for_each(pulled)
}

/// Runs until a subdomain has changed hands, and checks each run.
fn balanced(mode: Mode, balance: Balance) -> Result<(), Failure> {
    let mut changes = 0;
    for seed in 0..ATTEMPTS {
        let problem = random(seed, GRID, false);
        let config = config(GRID, PARTS, (mode, balance), iterations(400));
        let (solution, sweeps) = record::<f64>(&problem, &config)?;
        audit::run(&config, &solution.record, &sweeps)?;
        let (least, greatest) = range(&problem);
        audit::cells_stay_within(&sweeps, least, greatest)?;
        changes += audit::changes_of_hands(&sweeps);
        // Where it has turned to pulling, hands change without a move.
        if solution.record.visits.is_none() && solution.record.moves < changes as u64 {
            return Err(
                format!("{changes} changes of hands, {} moves", solution.record.moves).into()
            );
        }
        if changes > 0 {
            return Ok(());
        }
    }
    Err(format!("{mode} {balance}: in {ATTEMPTS} runs no subdomain changed hands").into())
}

#[test]
fn balanced_asynchronous_runs_lose_and_tear_nothing() -> Result<(), Failure> {
    balancers().into_iter().skip(1).try_for_each(|balance| balanced(Mode::Async, balance))
}

#[test]
fn balanced_semi_synchronous_runs_stay_within_their_bound() -> Result<(), Failure> {
    // The lag of `auto` is more than neighbours can be apart there.
    for balance in balancers().into_iter().skip(1).filter(|&balance| balance != Balance::Auto) {
        balanced(Mode::SemiSync(2), balance)?;
        balanced(Mode::SemiSync(30), balance)?;
    }
    Ok(())
}

#[test]
fn semi_synchronous_runs_stay_within_any_bound() -> Result<(), Failure> {
    for bound in 0..5 {
        let problem = random(u64::from(bound), GRID, true);
        let method = (Mode::SemiSync(bound), Balance::None);
        let config = config(GRID, PARTS, method, iterations(300));
        let (solution, sweeps) = record::<f64>(&problem, &config)?;
        audit::run(&config, &solution.record, &sweeps)?;
    }
    Ok(())
}

#[test]
fn synchronous_runs_read_halos_of_their_own_version_only() -> Result<(), Failure> {
    let problem = random(1, GRID, false);
    let config = config(GRID, PARTS, (Mode::Sync, Balance::None), iterations(200));
    let (solution, sweeps) = record::<f64>(&problem, &config)?;
    audit::run(&config, &solution.record, &sweeps)?;
    assert_eq!(solution.record.staleness.max, 0);
    assert_eq!(sweeps.len(), 200 * 24);
    Ok(())
}

#[test]
fn from_above_every_cell_only_falls() -> Result<(), Failure> {
    let problem = from_above(GRID);
    for (mode, balance) in methods() {
        let config = config(GRID, PARTS, (mode, balance), iterations(300));
        let (solution, sweeps) = record::<f64>(&problem, &config)?;
        audit::run(&config, &solution.record, &sweeps)?;
        audit::cells_stay_within(&sweeps, 0.0, 1.0)?;
        audit::no_cell_rises(&sweeps)?;
    }
    Ok(())
}

/// Each oracle catches a recording in which one thing is wrong.
#[test]
fn faults_are_caught() -> Result<(), Failure> {
    let config = config(GRID, PARTS, (Mode::SemiSync(3), Balance::None), iterations(50));
    let decomposition = Decomposition::new(&config)?;
    let (_, sweeps) = record::<f64>(&from_above(GRID), &config)?;
    // A sweep in the middle of a subdomain with neighbours on all sides, and the one after it.
    let inner = |sweep: &Sweep| sweep.version == 9 && sweep.halos.iter().all(Option::is_some);
    let at = sweeps.iter().position(inner).ok_or("no inner subdomain")?;
    let with = |change: &dyn Fn(&mut Vec<Sweep>)| {
        let mut sweeps = sweeps.clone();
        change(&mut sweeps);
        sweeps
    };

    let lost = with(&|sweeps| {
        sweeps.remove(at);
    });
    assert!(audit::every_version_once(&lost, &decomposition).is_err());
    let doubled = with(&|sweeps| sweeps.insert(at, sweeps[at].clone()));
    assert!(audit::every_version_once(&doubled, &decomposition).is_err());
    let altered = with(&|sweeps| sweeps[at].interior[0] ^= 1);
    assert!(audit::cells_are_handed_over_whole(&altered).is_err());
    let backwards = with(&|sweeps| sweeps[at + 1].halos[2] = Some(0));
    assert!(audit::halos_never_go_backwards(&backwards).is_err());
    let torn = with(&|sweeps| sweeps[at].halo_cells[1] ^= 1);
    assert!(audit::halos_are_whole_edges(&torn, &decomposition).is_err());
    let unread = with(&|sweeps| sweeps[at].halos[1] = None);
    assert!(audit::halos_are_whole_edges(&unread, &decomposition).is_err());
    let stale = with(&|sweeps| sweeps[at].halos[3] = Some(4));
    assert!(audit::gaps_are_within(&stale, Mode::SemiSync(3)).is_err());
    let ahead = with(&|sweeps| sweeps[at].halos[3] = Some(9));
    assert!(audit::gaps_are_within(&ahead, Mode::Sync).is_err());
    let large = with(&|sweeps| sweeps[at].range[1] = 1.0_f64.next_up());
    assert!(audit::cells_stay_within(&large, 0.0, 1.0).is_err());
    let risen = with(&|sweeps| sweeps[at].rises = true);
    assert!(audit::no_cell_rises(&risen).is_err());
    Ok(())
}
