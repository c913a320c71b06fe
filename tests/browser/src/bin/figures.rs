//! Measures the page: `cargo run --release -p tresse-browser-tests --bin figures`. It prints what is in the guide of the
//! page; times are those of whatever else the machine does meanwhile.

use std::error::Error;
use std::fs;
use std::io::{self, Write as _};
use std::time::Instant;

use serde_json::json;
use tempfile::TempDir;
use tresse_browser_tests::{Browser, Media, Page, Site, recording};
use tresse_page::parameters::Parameters;
use tresse_page::views::ViewKind;

/// 36 cores and 144 subdomains of 48 × 48 cells.
const NODE: &str = "machine=cirrus&balance=split:0.001&cells-per-worker=96x96&noise=core=2,duty=0.19&tolerance=1e-12";
/// 3,600 cores and 14,400 subdomains of as many cells.
const NODES: &str = "machine=cirrus-100&balance=split:0.001&cells-per-worker=96x96&tolerance=1e-12";
/// Seconds of a measurement.
const SECONDS: u32 = 10;
/// Sweeps of the large recording.
const SWEEPS: u64 = 10_000_000;

/// Notes when the first frame was there, and counts those that follow.
const COUNT: &str = "window.frames_seen = 0; let last = null;
    const look = () => {
      const now = document.querySelector('#time')?.textContent;
      if (now !== last && now !== '0' && now !== undefined) { last = now; window.frames_seen++; window.first_frame ??= performance.now(); }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);";

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    let (site, browser) = (Site::serve(), Browser::start());
    for name in ["tresse_bg.wasm", "tresse.js", "index.html", "style.css"] {
        let bytes =
            ureq::get(format!("{}/{name}", site.address)).call()?.into_body().read_to_vec()?;
        writeln!(
            out,
            "{name:<16} {:>9} bytes, {:>8} with brotli",
            bytes.len(),
            compressed(&bytes)?
        )?;
    }
    let open = |hash: &str| {
        let page = browser.page("about:blank", Media::DESK);
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": COUNT}));
        page.go(&format!("{}/#{hash}", site.address));
        page.wait("window.first_frame > 0");
        page
    };
    for (name, parameters) in [("36 cores", NODE), ("3,600 cores", NODES)] {
        let page = open(&format!("solve?{parameters}"));
        let first = page.eval("Math.round(window.first_frame)");
        let (frames, updates, cpu) = measure(page);
        let rate = updates / cpu;
        writeln!(
            out,
            "{name}: first frame after {first} ms, {:.1} frames a second, {rate:.0} updates a second of CPU time",
            frames / f64::from(SECONDS)
        )?;
        let native = natively(parameters, updates)?;
        writeln!(
            out,
            "{name}: natively {native:.0}, so {:.0} % in the browser",
            rate / native * 100.0
        )?;
    }
    let folder = TempDir::new()?;
    let path = folder.path().join("large.tresse");
    recording::write(&path, SWEEPS)?;
    let page = open("replay");
    let start = Instant::now();
    page.type_into("#replay-files", &path.display().to_string());
    page.wait("document.querySelector('#replay-says').textContent.startsWith('large.tresse')");
    let took = start.elapsed().as_secs_f64();
    let bytes = fs::metadata(&path)?.len();
    writeln!(
        out,
        "a recording of {SWEEPS} sweeps, {bytes} bytes: open after {took:.2} s, {:.1} frames a second while scrubbed",
        scrubbed(page)
    )?;
    Ok(())
}

/// Lets the page run: frames, updates, and seconds of CPU time of its worker.
fn measure(page: Page<'_>) -> (f64, f64, f64) {
    let seen = || {
        let frames = page.eval("window.frames_seen").as_f64().unwrap_or(0.0);
        let says = page.text("#solve-says");
        let number = |before: &str| -> f64 {
            let rest = says.split_once(before).map_or("", |(_, rest)| rest);
            let digits: String = rest
                .chars()
                .filter(|c| *c != '\u{202f}')
                .take_while(|c| c.is_ascii_digit() || *c == '.')
                .collect();
            digits.parse().unwrap_or(0.0)
        };
        let subdomains = number("workers and ");
        (frames, number("iteration ") * subdomains, cpu_of_workers())
    };
    let before = seen();
    page.run(&format!("await new Promise((go) => setTimeout(go, {})); return 0;", SECONDS * 1_000));
    let after = seen();
    (after.0 - before.0, after.1 - before.1, after.2 - before.2)
}

/// Seconds of CPU time of all workers of browsers here.
fn cpu_of_workers() -> f64 {
    let tasks = fs::read_dir("/proc").into_iter().flatten().flatten();
    let tasks = tasks.filter_map(|process| fs::read_dir(process.path().join("task")).ok());
    let tasks = tasks.flatten().flatten().map(|task| task.path());
    let is_worker = |name: &str| name.starts_with("DedicatedWorker");
    let workers = tasks
        .filter(|task| fs::read_to_string(task.join("comm")).is_ok_and(|name| is_worker(&name)));
    workers.filter_map(|task| seconds(&fs::read_to_string(task.join("schedstat")).ok()?)).sum()
}

/// The CPU time that the system tells of a thread.
fn seconds(schedstat: &str) -> Option<f64> {
    Some(schedstat.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
}

/// Updates a second of CPU time of the same code here, after about as many updates.
fn natively(parameters: &str, updates: f64) -> Result<f64, Box<dyn Error>> {
    let mut model = ViewKind::Solve.open(&Parameters::parse(parameters), &[])?;
    let cpu = || {
        fs::read_to_string("/proc/thread-self/schedstat")
            .ok()
            .and_then(|text| seconds(&text))
            .unwrap_or(0.0)
    };
    let start = cpu();
    let mut made = 0.0;
    while made < updates {
        let begin = Instant::now();
        model.advance(u64::MAX, &mut || begin.elapsed().as_millis() >= 14);
        let frame: tresse_page::views::solve::frame::Frame = postcard::from_bytes(&model.frame())?;
        made = frame.updates as f64;
    }
    Ok(made / (cpu() - start))
}

/// Frames a second while the time is changed for each.
fn scrubbed(page: Page<'_>) -> f64 {
    page.run("document.querySelector('#play').hasAttribute('data-plays') && document.querySelector('#play').click(); return 0;");
    let frames = page.run(
        "const scrub = document.querySelector('#scrub'), time = document.querySelector('#time');
         const end = performance.now() + 5000; let frames = 0, last = null;
         while (performance.now() < end) {
           scrub.value = Number(scrub.max) * Math.random();
           scrub.dispatchEvent(new Event('input', { bubbles: true }));
           await new Promise(requestAnimationFrame);
           if (time.textContent !== last) { last = time.textContent; frames++; }
         }
         return frames / 5;",
    );
    frames.as_f64().unwrap_or(0.0)
}

fn compressed(bytes: &[u8]) -> io::Result<usize> {
    let mut writer = brotli::CompressorWriter::new(Vec::new(), 1 << 16, 11, 22);
    writer.write_all(bytes)?;
    Ok(writer.into_inner().len())
}
