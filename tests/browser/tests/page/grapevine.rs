//! Grapevine: iterations, a chosen processor, and load traces that are dropped.

use std::fs;

use tempfile::TempDir;
use tresse_browser_tests::{Media, Page};

use crate::common::{frames, open};
use crate::{Test, World};

pub const TESTS: &[Test] = &[
    ("grapevine_goes_on_by_iterations", goes_on_by_iterations),
    ("grapevine_takes_a_trace_that_is_dropped", takes_a_trace),
    ("grapevine_refuses_what_is_no_trace", refuses_what_is_no_trace),
];

fn goes_on_by_iterations(world: &World) {
    let page = open(world, "grapevine?at=1", Media::DESK);
    page.wait("document.querySelector('#scrub').valueAsNumber === 1");
    frames(page, 3);
    let before = ["#grapevine-0-bars", "#grapevine-1-bars"].map(|canvas| page.pixels(canvas));
    page.click("#step");
    page.wait("document.querySelector('#scrub').valueAsNumber === 2");
    frames(page, 3);
    let after = ["#grapevine-0-bars", "#grapevine-1-bars"].map(|canvas| page.pixels(canvas));
    before.iter().zip(&after).for_each(|(before, after)| assert_ne!(before, after));
    assert_eq!(page.eval("document.querySelectorAll('#grapevine-rows tr').length"), 3);
    let says = page.text("#grapevine-says");
    page.press("#grapevine-1-bars", (0.5, 0.9));
    page.wait(&format!("document.querySelector('#grapevine-says').textContent !== {says:?}"));
    // Back to the start by the scrubber.
    page.set("#scrub", "0");
    page.wait("document.querySelectorAll('#grapevine-rows tr').length === 1");
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

/// Two ranks as vt writes them: one has all the work.
fn trace(folder: &TempDir) -> Vec<std::path::PathBuf> {
    let task = |id: u32, rank: u32, time: f64| {
        format!(
            r#"{{"entity":{{"home":{rank},"id":{id},"migratable":true,"type":"object"}},"node":{rank},"resource":"cpu","time":{time}}}"#
        )
    };
    let of_first: Vec<_> =
        (0..12).map(|id| task(id * 4 + 3, 0, 0.25 + f64::from(id) * 0.125)).collect();
    let file = |rank: usize, tasks: &str| {
        let path = folder.path().join(format!("app.{rank}.json"));
        let text = format!(
            r#"{{"type":"LBDatafile","metadata":{{"type":"LBDatafile","rank":{rank}}},"phases":[{{"id":0,"tasks":[{tasks}]}}]}}"#
        );
        fs::write(&path, text).unwrap_or_else(|error| panic!("{error}"));
        path
    };
    vec![file(0, &of_first.join(",")), file(1, &task(403, 1, 0.125)), file(2, ""), file(3, "")]
}

fn is_shown(page: Page<'_>) {
    page.wait("document.querySelector('#grapevine-says').textContent.startsWith('app, phase 0: 13 objects on 4 ranks')");
}

fn takes_a_trace(world: &World) {
    let folder = TempDir::new().unwrap_or_else(|error| panic!("{error}"));
    let files = trace(&folder);
    let page = open(world, "grapevine", Media::DESK);
    page.wait("document.querySelector('#scrub').valueAsNumber >= 1");
    page.drop_files("#view-grapevine", &files);
    is_shown(page);
    page.click("[data-forget]");
    page.wait("document.querySelector('#grapevine-says').textContent.startsWith('600 objects')");
    // The same by keys: a file input takes paths.
    page.type_into(
        "#grapevine-files",
        &files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join("\n"),
    );
    is_shown(page);
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

fn refuses_what_is_no_trace(world: &World) {
    let folder = TempDir::new().unwrap_or_else(|error| panic!("{error}"));
    let page = open(world, "grapevine?at=2", Media::DESK);
    page.wait("document.querySelector('#scrub').valueAsNumber === 2");
    let bytes = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{error}"));
        path
    };
    let whole = fs::read(&trace(&folder)[0]).unwrap_or_default();
    for (path, says) in [
        (bytes("picture.0.json", &[0x89, b'P', b'N', b'G', 0, 1, 2]), "picture.0.json"),
        (bytes("cut.0.json", &whole[..whole.len() / 2]), "cut.0.json"),
        (bytes("empty.0.json", b""), "empty.0.json"),
    ] {
        page.run("document.querySelector('#problem').textContent = ''; return 0;");
        page.drop_files("#view-grapevine", &[path]);
        page.wait("document.querySelector('#problem').textContent !== ''");
        assert!(page.text("#problem").contains(says), "{}", page.text("#problem"));
        // What was there before is there.
        assert!(page.text("#grapevine-says").starts_with("600 objects"));
        page.click("#step");
        page.wait("document.querySelector('#scrub').valueAsNumber > 0");
    }
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}
