//! Tests of the features that all views have in common.

use serde_json::Value;
use tresse_browser_tests::{INSECURE, Media, Page};

use crate::{Test, World};

pub const TESTS: &[Test] = &[
    ("opens_without_a_complaint", opens_without_a_complaint),
    ("has_names_for_everything", has_names_for_everything),
    ("works_with_keys_alone", works_with_keys_alone),
    ("fits_a_desk", fits_a_desk),
    ("fits_a_phone", fits_a_phone),
    ("copies_what_it_may", copies_what_it_may),
    ("says_what_cannot_be", says_what_cannot_be),
];

/// Tests that need axe-core.
pub const WITH_AXE: &[Test] = &[("is_accessible_by_axe", is_accessible_by_axe)];

/// The views by the names in their addresses.
const VIEWS: [&str; 5] = ["race", "solve", "grapevine", "sharing", "replay"];

/// Opens the page at a hash.
pub fn open<'w>(world: &'w World, hash: &str, media: Media) -> Page<'w> {
    let page = world
        .browser
        .page(&format!("{}/#{}", world.site.address, hash.trim_start_matches('#')), media);
    page.wait("document.querySelector('#transport:not([hidden])')");
    page
}

/// True once the page rests at a time of its scrubber.
pub fn frozen(at: u64) -> String {
    format!("document.querySelector('#scrub').valueAsNumber >= {at}")
}

/// Waits for that many frames of the browser.
pub fn frames(page: Page<'_>, number: u32) {
    page.run(&format!(
        "for (let i = 0; i < {number}; i++) await new Promise(requestAnimationFrame); return true;"
    ));
}

/// Returns the number that follows a word in a text.
pub fn number_after(text: &str, word: &str) -> u64 {
    let (_, rest) = text.split_once(word).unwrap_or_else(|| panic!("no “{word}” in “{text}”"));
    let digits = rest.chars().filter(|letter| *letter != '\u{202f}');
    let digits: String = digits.take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn opens_without_a_complaint(world: &World) {
    for view in VIEWS {
        for media in [Media::DESK, Media { is_dark: true, is_still: true, ..Media::PHONE }] {
            let page = open(world, view, media);
            page.wait(&frozen(1));
            frames(page, 5);
            assert!(page.errors().is_empty(), "{view}: {:?}", page.errors());
            assert_eq!(page.text("#problem"), "");
            // What is not of the page is blocked.
            let blocked = page.run(
                "const script = document.createElement('script'); script.textContent = 'window.injected = 1';
                 document.head.append(script); return window.injected === undefined;",
            );
            assert_eq!(blocked, Value::Bool(true));
            world.browser.log();
        }
    }
}

/// Roles that a person can do something with.
const USED: [&str; 12] = [
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "slider",
    "spinbutton",
    "checkbox",
    "listbox",
    "img",
    "image",
    "DisclosureTriangle",
];

fn has_names_for_everything(world: &World) {
    for view in VIEWS {
        let page = open(world, view, Media::DESK);
        page.wait(&frozen(1));
        world.browser.devtools("Accessibility.enable", &serde_json::json!({}));
        let tree = world.browser.devtools("Accessibility.getFullAXTree", &serde_json::json!({}));
        let text = |node: &Value, key: &str| {
            node[key]["value"].as_str().unwrap_or_default().trim().to_owned()
        };
        let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
        let nodes: Vec<_> =
            nodes.iter().filter(|node| node["ignored"] != Value::Bool(true)).collect();
        let used: Vec<_> =
            nodes.iter().filter(|node| USED.contains(&text(node, "role").as_str())).collect();
        assert!(used.len() > 15, "{view}: only {} controls", used.len());
        for node in used {
            assert!(!text(node, "name").is_empty(), "{view}: no name: {node}");
        }
        for role in ["main", "navigation", "heading", "banner"] {
            assert!(nodes.iter().any(|node| text(node, "role") == role), "{view}: no {role}");
        }
    }
}

/// The rules of axe-core, whose script `TRESSE_AXE` names.
fn is_accessible_by_axe(world: &World) {
    let path = std::env::var_os("TRESSE_AXE").unwrap_or_default();
    let axe = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("TRESSE_AXE: {error}"));
    for (view, is_dark) in VIEWS.into_iter().flat_map(|view| [(view, false), (view, true)]) {
        let page = open(world, view, Media { is_dark, ..Media::DESK });
        page.wait(&frozen(1));
        let found = page.run(&format!(
            "{axe}; const found = await axe.run(); return [found.passes.length, found.violations.map((one) =>
               one.id + ': ' + one.nodes.map((node) => node.target.join(' ') + ' ' + node.failureSummary).join('; '))];"
        ));
        assert_eq!(found[1], Value::Array(Vec::new()), "{view}, dark: {is_dark}");
        assert!(found[0].as_u64().is_some_and(|passed| passed > 15), "{view}: {found}");
    }
}

fn works_with_keys_alone(world: &World) {
    for view in VIEWS {
        let page = open(world, view, Media::DESK);
        page.wait(&frozen(1));
        // From the top every control comes up in turn.
        let seen = page.run(
            "window.seen = []; document.addEventListener('focusin', (event) => window.seen.push(event.target));
             return document.querySelectorAll(
               'a, button, input:not([type=hidden]), select, summary, canvas[tabindex]').length;",
        );
        let most = seen.as_u64().unwrap_or_default();
        for _ in 0..most + 4 {
            page.keys("\u{e004}");
        }
        let missed = page.run(
            "const shown = (e) => e.checkVisibility() && e.getClientRects().length > 0;
             return [...document.querySelectorAll('a, button, input:not([type=hidden]), select, summary, canvas[tabindex]')]
               .filter((e) => shown(e) && !e.closest('details:not([open]) > :not(summary)') && !window.seen.includes(e))
               .map((e) => e.id || e.textContent || e.name);",
        );
        assert_eq!(missed, Value::Array(Vec::new()), "{view}");
        // Space stops and starts, Home goes back, a full stop makes a step.
        page.run("document.activeElement.blur(); return 0;");
        page.keys(" ");
        page.wait("!document.querySelector('#play').hasAttribute('data-plays')");
        page.keys("\u{e011}");
        page.wait("document.querySelector('#scrub').valueAsNumber === 0");
        page.keys(".");
        page.wait(&frozen(1));
    }
}

fn fits_a_phone(world: &World) {
    for view in VIEWS {
        let page = open(world, view, Media::PHONE);
        page.wait(&frozen(1));
        let wide = page.eval("document.documentElement.scrollWidth");
        assert!(wide.as_u64().is_some_and(|wide| wide <= 390), "{view}: {wide} pixels wide");
        // What is chosen stands beside an arrow.
        let cut = page.eval(
            "(() => { const select = document.querySelector('#speed');
               const pen = document.createElement('canvas').getContext('2d');
               pen.font = getComputedStyle(select).font;
               return [...select.options].map((option) => option.text)
                 .filter((text) => pen.measureText(text).width + 24 > select.clientWidth); })()",
        );
        assert_eq!(cut, Value::Array(Vec::new()), "{view}");
        assert_eq!(
            page.eval("document.querySelector('#speed').offsetTop"),
            page.eval("document.querySelector('.menu').offsetTop")
        );
        let of_table = page.eval("(() => { const t = document.querySelector('.view:not([hidden]) .table'); return t ? t.scrollWidth <= t.clientWidth : true; })()");
        assert_eq!(of_table, Value::Bool(true), "{view}");
    }
}

fn fits_a_desk(world: &World) {
    for view in VIEWS {
        let page = open(world, view, Media::DESK);
        page.wait(&frozen(1));
        // What is long scrolls by itself, so that the page does not.
        let high = page.eval("document.documentElement.scrollHeight");
        assert!(high.as_u64().is_some_and(|high| high <= 800), "{view}: {high} pixels high");
    }
}

fn copies_what_it_may(world: &World) {
    let copy = |address: &str| {
        let page = world.browser.page(&format!("{address}/#race"), Media::DESK);
        page.wait(&frozen(1));
        page.click(".menu summary");
        page.click("#copy-link");
        page.wait("document.querySelector('#copied').textContent");
        // Whatever comes of it, the race goes on.
        let now = page.eval("document.querySelector('#scrub').valueAsNumber");
        page.wait(&format!("document.querySelector('#scrub').valueAsNumber > {now}"));
        assert!(page.errors().is_empty(), "{:?}", page.errors());
        (page, page.text("#copied"))
    };
    // A page that comes neither from this machine nor by HTTPS has no clipboard at all.
    let (page, shown) = copy(&world.site.address.replace("127.0.0.1", INSECURE));
    assert_eq!(page.eval("isSecureContext"), Value::Bool(false));
    assert!(shown.starts_with(&format!("To be copied by hand: http://{INSECURE}")), "{shown}");
    let (page, copied) = copy(&world.site.address);
    assert_eq!(copied, format!("Copied: {}", page.address()));
}

fn says_what_cannot_be(world: &World) {
    let nonsense = [
        ("solve?machine=abacus", "There is no machine “abacus”"),
        ("solve?balance=luck", "balance cannot be “luck”"),
        ("solve?cells-per-worker=99999x99999", "MiB"),
        ("solve?intervene=1ms,core=999,duty=0.5", "999"),
        ("race?lane-1=none&lane-2=none&lane-3=none&lane-4=none", "A race needs a method"),
        ("race?lane-2=luck", "Lane 2"),
        ("grapevine?processors=4&on=5", "5 of 4"),
        ("grapevine?loads=heavy", "loads cannot be"),
        ("sharing?workers=0", "0 workers"),
        ("replay?mode=never", "mode cannot be"),
        ("sharing?branching=1e9", "more than 30000 nodes"),
    ];
    for (hash, sentence) in nonsense {
        let page = open(world, hash, Media::DESK);
        page.wait("!document.querySelector('#problem').hidden");
        let problem = page.text("#problem");
        assert!(problem.contains(sentence), "{hash}: {problem}");
        assert!(page.errors().is_empty(), "{hash}: {:?}", page.errors());
    }
    // What was there before stays, and goes on.
    let page = open(world, "solve?machine=laptop&tolerance=1e-12", Media::DESK);
    page.wait(&frozen(1));
    page.set("#form-solve [name=balance]", "luck");
    page.wait("!document.querySelector('#problem').hidden");
    let before = page.text("#time");
    page.click("#step");
    page.wait(&format!("document.querySelector('#time').textContent !== {before:?}"));
    for hash in ["%%%", "nothing?at=x", "solve?at=-3&at=zebra&&&=&mode", "solve?%ff=%ff"] {
        let page = open(world, hash, Media::DESK);
        page.wait(&frozen(1));
        assert!(page.errors().is_empty(), "{hash}: {:?}", page.errors());
    }
}
