//! The page end to end, in a real browser: one browser for all, a new page for each test.

mod bits;
mod common;
mod grapevine;
mod race;
mod replay;
mod sharing;
mod solve;

use std::env;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Trial};
use tresse_browser_tests::{Browser, Site};
use tresse_tests::skip::note;

/// The browser and the site that the tests share.
pub struct World {
    /// The page as it is served.
    pub site: Site,
    /// The browser.
    pub browser: Browser,
}

/// A test by its name.
type Test = (&'static str, fn(&World));

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // Without its script nothing is found, which is not the same as that nothing is wrong.
    let (with_axe, without) = match env::var_os("TRESSE_AXE") {
        Some(_) => (common::WITH_AXE, &[][..]),
        None => (&[][..], common::WITH_AXE),
    };
    let tests: Vec<Test> = [
        common::TESTS,
        race::TESTS,
        solve::TESTS,
        grapevine::TESTS,
        sharing::TESTS,
        replay::TESTS,
        bits::TESTS,
        with_axe,
    ]
    .concat();
    if arguments.list {
        return libtest_mimic::run(&arguments, tests.into_iter().map(unused).collect()).exit_code();
    }
    let world = Arc::new(Mutex::new(World { site: Site::serve(), browser: Browser::start() }));
    let trials = tests.into_iter().map(|(name, test)| {
        let world = Arc::clone(&world);
        Trial::test(name, move || {
            // A test that has failed leaves a browser, whose next page has nothing of it.
            test(&world.lock().unwrap_or_else(PoisonError::into_inner));
            Ok(())
        })
    });
    let skipped = without.iter().map(|(name, _)| {
        note(
            &format!("{name}: TRESSE_AXE names no script of axe-core"),
            "npm install axe-core@4.14.1, as tests/run.sh does where there is npm",
        );
        Trial::test(*name, || Ok(())).with_ignored_flag(true)
    });
    libtest_mimic::run(&arguments, trials.chain(skipped).collect()).exit_code()
}

/// Returns a test that is only listed.
fn unused((name, _): Test) -> Trial {
    Trial::test(name, || Ok(()))
}
