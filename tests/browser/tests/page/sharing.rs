//! Sharing: trees that grow, pools beside each other.

use std::env;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use tresse_browser_tests::{Media, tresse};

use crate::common::{frames, number_after, open};
use crate::{Test, World};

pub const TESTS: &[Test] = &[
    ("sharing_grows_a_tree", grows_a_tree),
    ("sharing_is_another_with_another_latency", is_another_with_another_latency),
    ("sharing_is_the_same_by_its_command_lines", is_the_same_by_its_command_lines),
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

/// Checks that the copied lines, run by a shell, count what the page has counted.
fn is_the_same_by_its_command_lines(world: &World) {
    let page = open(world, "sharing?latency=7us&workers=5&at=99999999", Media::DESK);
    page.wait("document.querySelector('#sharing-says').textContent.includes('times as long')");
    page.run("document.querySelector('#exports [data-do=command]').click(); return 0;");
    page.wait("document.querySelector('#copied').textContent");
    let copied = page.text("#copied");
    let (_, lines) = copied.split_once(": ").unwrap_or_default();
    // One object a run, in place of its report.
    let lines = lines.replace(" --seed ", " --json --seed ");
    let folder = TempDir::new().unwrap_or_else(|error| panic!("{error}"));
    let program = tresse();
    let programs = program.parent().into_iter().map(|folder| folder.display().to_string());
    let path = programs.chain(env::var("PATH")).collect::<Vec<_>>().join(":");
    let ran = Command::new("sh")
        .args(["-ec", &lines])
        .env("PATH", path)
        .current_dir(folder.path())
        .output()
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(ran.status.success(), "{}\n{lines}", String::from_utf8_lossy(&ran.stderr));
    let objects = serde_json::Deserializer::from_slice(&ran.stdout).into_iter::<Value>();
    let objects: Vec<Value> = objects.map_while(Result::ok).collect();
    assert_eq!(objects.len(), 2, "{lines}");
    for (lane, object) in objects.iter().enumerate() {
        let says = page.text(&format!("#sharing-{lane}-says"));
        let microseconds = object["seconds"].as_f64().unwrap_or_default() * 1e6;
        let (nodes, messages) = (&object["nodes"], &object["messages"]);
        let counted =
            format!("{nodes} tasks done, ended after {microseconds:.2} µs; {messages} messages");
        assert!(says.starts_with(&counted), "{counted}\n{says}");
        let rolled_back = object["rolled_back"].as_u64().unwrap_or_default();
        assert!(rolled_back == 0 || says.contains(&format!("{rolled_back} rolled back")), "{says}");
    }
}
