//! Compares runs of the program and of the page, to the bit.

use tresse_browser_tests::{Media, Page};
use tresse_page::parameters::Parameters;
use tresse_page::view_kind::ViewKind;
use tresse_page::views;
use tresse_page::views::solve::frame::{Act, Answer};

use crate::common::open;
use crate::{Test, World};

pub const TESTS: &[Test] = &[
    ("the_same_bits_natively", the_same_bits_natively),
    ("the_same_balance_natively", the_same_balance_natively),
];

/// Runs over all modes and balancers, machines, noises and precisions, and a race.
const RUNS: [(&str, ViewKind, &str); 21] = [
    ("sync", ViewKind::Solve, "mode=sync&balance=none"),
    ("sync in f32", ViewKind::Solve, "mode=sync&balance=none&precision=f32&noise=core=1,duty=0.3"),
    ("ssync:1", ViewKind::Solve, "mode=ssync:1&balance=none&noise=core=0,burst=2ms,gap=10ms"),
    ("ssync:4", ViewKind::Solve, "mode=ssync:4&balance=joint:0.0001"),
    ("async", ViewKind::Solve, "mode=async&balance=none&seed=7"),
    ("joint", ViewKind::Solve, "mode=async&balance=joint:0.0001&noise=core=1,duty=0.5"),
    (
        "split",
        ViewKind::Solve,
        "mode=async&balance=split:0.0001&machine=cirrus&noise=core=20,duty=0.5",
    ),
    ("hybrid", ViewKind::Solve, "mode=async&balance=hybrid:0.0001,20&machine=cirrus"),
    ("swap", ViewKind::Solve, "mode=async&balance=swap:0.0001&noise=core=3,duty=0.4"),
    ("gradient", ViewKind::Solve, "mode=async&balance=gradient:0.0001&precision=f32"),
    ("grapevine", ViewKind::Solve, "mode=async&balance=grapevine:0.0001&split=6"),
    (
        "bursts",
        ViewKind::Solve,
        "mode=async&balance=joint:0.0001&noise=core=2,burst=1ms,gap=1ms;core=0,sleep=1ms,work=2000",
    ),
    (
        "any core",
        ViewKind::Solve,
        "mode=async&balance=joint:0.0001&noise=any-core=2,duty=0.4&seed=11",
    ),
    (
        "changed",
        ViewKind::Solve,
        "mode=async&balance=joint:0.0001&intervene=1ms,core=1,duty=0.5;2ms,core=1,stop;3ms,core=1,free",
    ),
    ("changed sync", ViewKind::Solve, "mode=sync&balance=none&intervene=1ms,core=1,duty=0.5"),
    ("imbalance", ViewKind::Solve, "mode=async&balance=joint:0.0001&imbalance=0.3"),
    ("archer", ViewKind::Solve, "mode=async&balance=split:0.0001&machine=archer&nodes=1"),
    (
        "nodes",
        ViewKind::Solve,
        "mode=async&balance=split:0.0001&machine=cirrus-15&nodes=2&node-balance=dplb:0.001,2&noise=node=1,duty=0.3",
    ),
    (
        "dead band",
        ViewKind::Solve,
        "mode=async&balance=joint:0.0001&dead-band=3&pairs=2&low=1&high=7",
    ),
    ("odd grid", ViewKind::Solve, "mode=async&balance=joint:0.0001&cells-per-worker=17x13&split=5"),
    (
        "race",
        ViewKind::Race,
        "machine=laptop&lane-1=sync&lane-2=async&lane-4=async + joint:0.0001&noise=core=1,duty=0.5",
    ),
];

/// Parameters that all runs have in common.
const BASE: &str = "machine=laptop&cells-per-worker=16x16&tolerance=1e-12&split=4";

/// Time until which the runs go on, in nanoseconds.
const UNTIL: u64 = 5_000_000;

fn parameters(own: &str) -> Parameters {
    let mut parameters = Parameters::parse(BASE);
    Parameters::parse(own).pairs().for_each(|(key, value)| parameters.set(key, value));
    parameters
}

/// Returns the hash of a native run.
fn natively(view: ViewKind, parameters: &Parameters) -> String {
    let mut model =
        views::open(view, parameters, &[]).unwrap_or_else(|problem| panic!("{problem}"));
    model.advance(UNTIL, &mut || false);
    let act = postcard::to_allocvec(&Act::Hash).unwrap_or_default();
    let answer = model.act(&act).unwrap_or_else(|problem| panic!("{problem}"));
    match postcard::from_bytes(&answer) {
        Ok(Answer::Text(hash)) => hash,
        other => panic!("{other:?}"),
    }
}

/// Returns the hash of a run on the page, which is at that time.
fn on(page: Page<'_>, view: ViewKind) -> String {
    page.run(&format!(
        "document.querySelector('#said').textContent = '';
         const ask = document.createElement('button'); ask.dataset.do = 'hash';
         document.querySelector('#view-{}').append(ask); ask.click();",
        view.name()
    ));
    page.wait("document.querySelector('#said').textContent.includes('field ')");
    page.text("#said")
}

fn the_same_bits_natively(world: &World) {
    for (name, view, own) in RUNS {
        let parameters = parameters(own);
        let mut address = parameters.clone();
        // A form has values of its own for what is not said here.
        for key in ["timed-as", "low", "seed"] {
            if address.get(key).is_none() {
                address.set(key, "-");
            }
        }
        if view == ViewKind::Race {
            address.set("lane-3", "none");
        }
        let page = open(world, &format!("{}?{address}&at={UNTIL}", view.name()), Media::DESK);
        page.wait(&format!("document.querySelector('#scrub').valueAsNumber >= {UNTIL}"));
        assert_eq!(on(page, view), natively(view, &parameters), "{name}");
    }
}

/// Grapevine and pools of tasks, which have no bits but decisions.
const DECISIONS: [(ViewKind, &str); 5] = [
    (ViewKind::Grapevine, "processors=64&objects=600&on=4&loads=uniform:1e-5,1e-1&seed=1"),
    (
        ViewKind::Grapevine,
        "processors=40&objects=500&on=3&loads=lognormal:-4,1&preset=distributed&seed=5",
    ),
    (
        ViewKind::Grapevine,
        "processors=128&objects=320&on=2&loads=bimodal:0.01,0.05..0.1,0.2&threshold=1.1&fanout=3",
    ),
    (ViewKind::Sharing, "latency=4us&chunk=4&interval=8&root=5&branching=60"),
    (ViewKind::Sharing, "lane-1=stealing&lane-2=adaptive&root=7&workers=20"),
];

/// Returns the text of all that either view's model has decided.
fn hash_natively(view: ViewKind, parameters: &Parameters) -> String {
    use tresse_page::views::{grapevine, sharing};
    let mut model =
        views::open(view, parameters, &[]).unwrap_or_else(|problem| panic!("{problem}"));
    model.advance(u64::MAX, &mut || false);
    let mut answer = |act: Vec<u8>| model.act(&act).unwrap_or_else(|problem| panic!("{problem}"));
    if view == ViewKind::Grapevine {
        let answer =
            answer(postcard::to_allocvec(&grapevine::frame::Act::Hash).unwrap_or_default());
        return match postcard::from_bytes(&answer) {
            Ok(grapevine::frame::Answer::Text(hash)) => hash,
            other => panic!("{other:?}"),
        };
    }
    let answer = answer(postcard::to_allocvec(&sharing::frame::Act::Hash).unwrap_or_default());
    String::from_utf8_lossy(&answer).into_owned()
}

fn the_same_balance_natively(world: &World) {
    for (view, own) in DECISIONS {
        let parameters = Parameters::parse(own);
        let mut address = parameters.clone();
        for key in ["seed", "latency", "chunk", "interval", "workers", "root"] {
            if address.get(key).is_none() {
                address.set(key, "-");
            }
        }
        let page = open(world, &format!("{}?{address}&at=99999999999", view.name()), Media::DESK);
        page.wait("document.querySelector('#scrub').valueAsNumber > 2");
        page.wait("!document.querySelector('#play').hasAttribute('data-plays') && location.hash.includes('at=' + document.querySelector('#scrub').value)");
        assert_eq!(on(page, view), hash_natively(view, &parameters), "{own}");
    }
}
