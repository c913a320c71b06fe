//! Race: who is first, and why.

use tresse_browser_tests::Media;

use crate::common::open;
use crate::{Test, World};

pub const TESTS: &[Test] =
    &[("race_has_a_placing", has_a_placing), ("race_is_disturbed_in_all_lanes", is_disturbed)];

/// The view that a person sees first, at its end.
fn has_a_placing(world: &World) {
    let page = open(world, "", Media::DESK);
    page.wait("document.querySelector('#race-3-progress').value > 0");
    let before = page.pixels("#race-3-domain");
    page.go(&format!("{}/#race?at=2000000000", world.site.address));
    page.wait("document.querySelector('#race-says').textContent.includes('times as long')");
    let places: Vec<_> = (0..4).map(|lane| page.text(&format!("#race-{lane}-place"))).collect();
    assert_eq!(places, ["4th", "3rd", "2nd", "1st"]);
    assert_ne!(page.pixels("#race-3-domain"), before);
    for canvas in ["#race-0-braid", "#race-1-cores", "#race-residual"] {
        assert_ne!(page.pixels(canvas), 0, "{canvas}");
    }
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

/// A click on a core of one lane slows it down in all of them.
fn is_disturbed(world: &World) {
    let small = "machine=laptop&noise=-&tolerance=1e-12&lane-1=none&lane-3=none&at=1000000";
    let page = open(world, &format!("race?{small}"), Media::DESK);
    page.wait("document.querySelector('#scrub').valueAsNumber >= 1000000");
    assert_eq!(page.eval("document.querySelectorAll('.lane:not([hidden])').length"), 2);
    page.press("#race-3-cores", (0.6, 0.4));
    page.wait("location.hash.includes('intervene=')");
    assert!(page.address().contains("core=2,duty=0.5"), "{}", page.address());
    page.click("#play");
    page.wait("document.querySelector('#scrub').valueAsNumber >= 20000000");
    page.click("#play");
    let of =
        |lane| crate::common::number_after(&page.text(&format!("#race-{lane}-says")), "iteration ");
    assert!(of(1) * 5 < of(3) * 4, "{} beside {}", of(1), of(3));
}
