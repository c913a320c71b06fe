//! The page end to end, in a real browser: one browser for all, a new page for each test.

mod bits;
mod common;
mod grapevine;
mod race;
mod replay;
mod sharing;
mod solve;

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Trial};
use tresse_browser_tests::{Browser, Site};

/// What the tests share.
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
    let tests: Vec<Test> = [
        common::TESTS,
        race::TESTS,
        solve::TESTS,
        grapevine::TESTS,
        sharing::TESTS,
        replay::TESTS,
        bits::TESTS,
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
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// A test that is only listed.
fn unused((name, _): Test) -> Trial {
    Trial::test(name, || Ok(()))
}
