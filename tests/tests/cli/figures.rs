//! README and the guides show what virtual time makes today.

use std::collections::BTreeSet;
use std::fs;

use tresse_tests::figures::blocks::BLOCKS;
use tresse_tests::figures::pictures::PICTURES;
use tresse_tests::figures::{
    Committed, evaluations, faults_of_pages, in_repository, marks, simulations,
};

const ANEW: &str = "cargo run --release -p tresse-tests --bin virtual-figures makes all anew";

#[test]
fn pages_show_what_was_committed() {
    let faults = faults_of_pages(&Committed::read().unwrap()).unwrap();
    assert_eq!(faults, [""; 0], "{ANEW}");
}

#[test]
fn every_mark_is_known() {
    let pages: BTreeSet<_> = BLOCKS.iter().map(|block| block.page).collect();
    for page in pages {
        let text = fs::read_to_string(in_repository(page)).unwrap();
        let known = BLOCKS.iter().filter(|block| block.page == page);
        assert_eq!(
            marks::names(&text),
            known.map(|block| block.mark).collect::<Vec<_>>(),
            "{page}"
        );
    }
}

#[test]
fn pictures_are_those_that_their_captions_make() {
    for picture in &PICTURES {
        let page = fs::read_to_string(in_repository(picture.page)).unwrap();
        assert!(page.contains(&format!("]({})", picture.file)), "{picture:?}");
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(picture.command.iter().all(|part| page.contains(part)), "{picture:?}");
        let today = picture.draw().unwrap();
        assert!(today == picture.committed().unwrap(), "{} is another: {ANEW}", picture.file);
    }
}

/// A few of those that were committed, as all take minutes.
#[test]
fn runs_are_as_committed() {
    let committed = Committed::read().unwrap();
    for line in simulations::all().iter().step_by(9) {
        assert_eq!(simulations::run(line).unwrap(), committed.simulation(line), "{line}; {ANEW}");
    }
    for name in evaluations::SHOWN {
        assert_eq!(evaluations::differing(name, 2).unwrap(), [""; 0], "{ANEW}");
    }
}
