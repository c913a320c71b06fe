//! Solve: what a person does to a run.

use tresse_browser_tests::{Media, Page};

use crate::common::{frames, frozen, number_after, open};
use crate::{Test, World};

pub const TESTS: &[Test] = &[
    ("solve_play_moves_the_picture", play_moves_the_picture),
    ("solve_slowed_core_raises_the_spread", slowed_core_raises_the_spread),
    ("solve_link_restores_the_moment", link_restores_the_moment),
    ("solve_slows_a_core_while_it_rests", slows_a_core_while_it_rests),
    ("solve_says_what_is_under_the_pointer", says_what_is_under_the_pointer),
];

/// A run of few workers that takes no time to speak of.
const SMALL: &str = "machine=laptop&cells-per-worker=16x16&tolerance=1e-12";

fn play_moves_the_picture(world: &World) {
    let page = open(world, &format!("#solve?{SMALL}&at=1000000"), Media::DESK);
    page.wait(&frozen(1_000_000));
    for canvas in ["#solve-domain", "#solve-braid", "#solve-residual", "#solve-cores"] {
        assert_ne!(page.pixels(canvas), 0, "{canvas}");
    }
    let before =
        ["#solve-domain", "#solve-braid", "#solve-residual"].map(|canvas| page.pixels(canvas));
    page.click("#play");
    frames(page, 10);
    page.click("#play");
    frames(page, 2);
    let after =
        ["#solve-domain", "#solve-braid", "#solve-residual"].map(|canvas| page.pixels(canvas));
    before.iter().zip(&after).for_each(|(before, after)| assert_ne!(before, after));
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

/// Returns the spread at a moment, of a run with a core that somebody slows down to a third after 2
/// ms.
fn spread(world: &World, balance: &str) -> u64 {
    let page = open(
        world,
        &format!("#solve?{SMALL}&balance={balance}&intervene=2ms,core=1,duty=0.5&at=60000000"),
        Media::DESK,
    );
    page.wait(&frozen(60_000_000));
    number_after(&page.text("#solve-says"), "spread ")
}

fn slowed_core_raises_the_spread(world: &World) {
    let (braided, apart) = (spread(world, "joint:0.0001"), spread(world, "none"));
    assert!(braided * 5 < apart, "{braided} with a balancer, {apart} without");
}

/// Settings without arcs that fade, so that the same moment is the same picture.
const STILL: Media = Media { is_still: true, ..Media::DESK };

fn link_restores_the_moment(world: &World) {
    let page = open(world, &format!("#solve?{SMALL}&at=3000000&colour=count"), STILL);
    page.wait(&frozen(3_000_000));
    // Of a quantity it says which end is which, of owners nothing.
    let says_scale =
        |page: Page<'_>| page.eval("document.querySelector('.scale').checkVisibility()");
    assert_eq!(says_scale(page), true);
    page.set("#solve-colour", "worker");
    assert_eq!(says_scale(page), false);
    page.set("#solve-colour", "count");
    // Slow the second core down by a click, and go on.
    page.press("#solve-cores", (0.4, 0.5));
    page.wait("location.hash.includes('intervene=')");
    page.click("#step");
    page.wait("document.querySelector('#scrub').valueAsNumber > 3000000");
    page.wait("location.hash.includes('at=' + document.querySelector('#scrub').value)");
    frames(page, 3);
    let seen = look(page);
    let again = open(world, page.address().split_once('#').map_or("", |(_, hash)| hash), STILL);
    again.wait(&format!("document.querySelector('#time').textContent === {:?}", seen.0));
    frames(again, 3);
    assert_eq!(look(again), seen);
}

fn look(page: Page<'_>) -> (String, String, i64) {
    (page.text("#time"), page.text("#solve-says"), page.pixels("#solve-domain"))
}

fn slows_a_core_while_it_rests(world: &World) {
    let page = open(world, &format!("#solve?{SMALL}&at=3000000"), STILL);
    page.wait(&frozen(3_000_000));
    for said in ["Cores: 1 slowed.", "Click a core to slow it down."] {
        page.press("#solve-cores", (0.4, 0.5));
        page.wait(&format!("document.querySelector('#solve-says').textContent.endsWith({said:?})"));
    }
}

fn says_what_is_under_the_pointer(world: &World) {
    let page = open(world, &format!("#solve?{SMALL}&at=3000000"), STILL);
    page.wait(&frozen(3_000_000));
    for across in [0.5, 0.999] {
        page.press("#solve-rate", (across, 0.5));
        page.wait("document.querySelector('#solve-tip').textContent");
        let tip = page.text("#solve-tip");
        assert!(number_after(&tip, "") > 0 && tip.contains(" iterations a second at "), "{tip}");
    }
}
