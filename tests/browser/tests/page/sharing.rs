//! Sharing: trees that grow, pools beside each other.

use tresse_browser_tests::Media;

use crate::common::{frames, number_after, open};
use crate::{Test, World};

pub const TESTS: &[Test] = &[
    ("sharing_grows_a_tree", grows_a_tree),
    ("sharing_is_another_with_another_latency", is_another_with_another_latency),
];

const CANVASES: [&str; 3] = ["#sharing-1-tree", "#sharing-1-pool", "#sharing-1-past"];

fn grows_a_tree(world: &World) {
    let page = open(world, "sharing?at=40000", Media::DESK);
    page.wait("document.querySelector('#scrub').valueAsNumber === 40000");
    frames(page, 3);
    let before = CANVASES.map(|canvas| page.pixels(canvas));
    page.click("#play");
    page.wait("document.querySelector('#scrub').valueAsNumber > 60000");
    page.click("#play");
    frames(page, 3);
    let after = CANVASES.map(|canvas| page.pixels(canvas));
    before.iter().zip(&after).for_each(|(before, after)| assert_ne!(before, after));
    // The same moment is the same picture, also from the other side.
    page.set("#scrub", "40000");
    // The bar is there at once, the moment only once it is computed again.
    page.wait("document.querySelector('#time').textContent === '40.00 µs' && location.hash.includes('at=40000')");
    frames(page, 3);
    assert_eq!(CANVASES.map(|canvas| page.pixels(canvas)), before);
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

fn is_another_with_another_latency(world: &World) {
    let messages = |latency: &str| {
        let page = open(world, &format!("sharing?latency={latency}&at=99999999"), Media::DESK);
        page.wait("document.querySelector('#sharing-says').textContent.includes('times as long')");
        assert_eq!(number_after(&page.text("#sharing-0-says"), ""), 2081);
        number_after(&page.text("#sharing-0-says"), "ended after ")
    };
    let (near, far) = (messages("500ns"), messages("50us"));
    assert!(near * 2 < far, "{near} {far}");
}
