//! Replay: recordings that are dropped, zoomed and scrubbed.

use std::fs;

use serde_json::json;
use tempfile::TempDir;
use tresse_browser_tests::{Media, recording};

use crate::common::{frames, open};
use crate::{Test, World};

pub const TESTS: &[Test] = &[
    ("replay_opens_a_recording_that_is_dropped", opens_a_recording),
    ("replay_shows_a_pool_of_tasks", shows_a_pool),
    ("replay_refuses_what_is_none", refuses_what_is_none),
];

fn opens_a_recording(world: &World) {
    let folder = TempDir::new().unwrap_or_else(|error| panic!("{error}"));
    let path = folder.path().join("made.tresse");
    recording::write(&path, 36_000).unwrap_or_else(|error| panic!("{error}"));
    let page = open(world, "replay?at=1000000", Media::DESK);
    page.wait("document.querySelector('#scrub').valueAsNumber === 1000000");
    assert!(page.text("#replay-says").starts_with("A run in virtual time"));
    page.drop_files("#view-replay", &[path]);
    page.wait(
        "document.querySelector('#replay-says').textContent.startsWith('made.tresse, recorded by')",
    );
    page.wait("!document.querySelector('#play').hasAttribute('data-plays') || document.querySelector('#scrub').valueAsNumber > 0");
    assert!(
        page.text("#replay-says").contains("36\u{202f}000 sweeps by 36 workers"),
        "{}",
        page.text("#replay-says")
    );
    // The wheel shows less, keys show other parts, a click goes there.
    let whole = page.text("#replay-window");
    let before = page.pixels("#replay-timeline");
    let at = page.eval("(() => { const r = document.querySelector('#replay-timeline').getBoundingClientRect(); return [r.left + 300, r.top + 40]; })()");
    let wheel = json!({"type": "mouseWheel", "x": at[0], "y": at[1], "deltaX": 0, "deltaY": -600});
    world.browser.devtools("Input.dispatchMouseEvent", &wheel);
    page.wait(&format!("document.querySelector('#replay-window').textContent !== {whole:?}"));
    frames(page, 3);
    assert_ne!(page.pixels("#replay-timeline"), before);
    assert_eq!(page.eval("scrollY"), 0);
    let near = page.text("#replay-window");
    page.run("document.querySelector('#replay-timeline').focus(); return 0;");
    page.keys("d");
    page.wait(&format!("document.querySelector('#replay-window').textContent !== {near:?}"));
    page.wait("location.hash.includes('from=') && location.hash.includes('to=')");
    page.press("#replay-timeline", (0.25, 0.4));
    page.wait("!document.querySelector('#play').hasAttribute('data-plays')");
    page.wait("location.hash.includes('at=' + document.querySelector('#scrub').value)");
    page.keys("0");
    page.wait(&format!("document.querySelector('#replay-window').textContent === {whole:?}"));
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

fn shows_a_pool(world: &World) {
    let folder = TempDir::new().unwrap_or_else(|error| panic!("{error}"));
    let path = folder.path().join("pool.tresse");
    recording::write_pool(&path).unwrap_or_else(|error| panic!("{error}"));
    let page = open(world, "replay?at=1000000", Media::DESK);
    page.wait("document.querySelector('#scrub').valueAsNumber === 1000000");
    let shown = "[...document.querySelectorAll('#view-replay [data-of]')].filter((e) => !e.hidden).map((e) => e.dataset.of)";
    assert_eq!(page.eval(shown), json!(["run", "run", "run"]));
    let before = page.pixels("#replay-timeline");
    page.drop_files("#view-replay", &[path]);
    page.wait(
        "document.querySelector('#replay-says').textContent.startsWith('pool.tresse, recorded by')",
    );
    let says = page.text("#replay-says");
    for part in [
        "65.0\u{202f}% with tasks of their own",
        "10.0\u{202f}% with tasks of copies",
        "20.0\u{202f}% searching",
        "5.0\u{202f}% with nothing to do",
    ] {
        assert!(says.contains(part), "{part}: {says}");
    }
    assert_eq!(page.eval(shown), json!(["pool"]));
    frames(page, 3);
    assert_ne!(page.pixels("#replay-timeline"), before);
    // Back to a run, everything of it is there again.
    page.click("#view-replay [data-forget]");
    page.wait(
        "document.querySelector('#replay-says').textContent.startsWith('A run in virtual time')",
    );
    assert_eq!(page.eval(shown), json!(["run", "run", "run"]));
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

fn refuses_what_is_none(world: &World) {
    let folder = TempDir::new().unwrap_or_else(|error| panic!("{error}"));
    let whole = folder.path().join("whole.tresse");
    recording::write(&whole, 3_600).unwrap_or_else(|error| panic!("{error}"));
    let bytes = fs::read(&whole).unwrap_or_default();
    let mut other = bytes.clone();
    if let Some(byte) = other.get_mut(bytes.len() / 2) {
        *byte ^= 1;
    }
    let page = open(world, "replay?at=1000000", Media::DESK);
    page.wait("document.querySelector('#scrub').valueAsNumber === 1000000");
    for (name, bytes, says) in [
        ("cut.tresse", &bytes[..bytes.len() / 3], "cut.tresse is cut off"),
        ("changed.tresse", &other[..], "changed.tresse is damaged"),
        ("foreign.tresse", b"\x89PNG\r\n", "foreign.tresse is not a recording"),
        ("empty.tresse", b"", "empty.tresse is not a recording"),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{error}"));
        page.drop_files("#view-replay", &[path]);
        page.wait(&format!("document.querySelector('#problem').textContent.startsWith({says:?})"));
        assert!(page.text("#replay-says").starts_with("A run in virtual time"));
    }
    // The view before goes on.
    page.click("#step");
    page.wait("document.querySelector('#scrub').valueAsNumber > 0");
    // A view without files says where they belong.
    let page = open(world, "solve?machine=laptop", Media::DESK);
    page.drop_files("#view-solve", &[whole]);
    page.wait("document.querySelector('#problem').textContent.includes('opens no files')");
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}
