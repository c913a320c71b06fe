//! Measures the page: `cargo run --release -p tresse-browser-tests --bin figures`. It prints what
//! is in the guide of the page; times are those of whatever else the machine does meanwhile. With
//! `-- --minutes 10` it watches the memory of the page for as long, and nothing else.

use std::error::Error;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, fs};

use serde_json::json;
use tempfile::TempDir;
use tresse_browser_tests::{Browser, Media, Page, Site, recording};
use tresse_page::parameters::Parameters;
use tresse_page::view_kind::ViewKind;
use tresse_page::views;

/// 36 cores and 144 subdomains of 48 × 48 cells.
const NODE: &str = "machine=cirrus&balance=split:0.001&cells-per-worker=96x96&noise=core=2,duty=0.19&tolerance=1e-12";
/// 3,600 cores and 14,400 subdomains of as many cells.
const NODES: &str = "machine=cirrus-100&balance=split:0.001&cells-per-worker=96x96&tolerance=1e-12";
/// Seconds of a measurement.
const SECONDS: u32 = 10;
/// Sweeps of the large recording.
const SWEEPS: u64 = 10_000_000;

/// The files that the first view needs, and the others.
const FIRST: [&str; 7] =
    ["index.html", "style.css", "start.js", "page.js", "page_bg.wasm", "runs.js", "runs_bg.wasm"];
const LATER: [&str; 2] = ["files.js", "files_bg.wasm"];

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
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {}
        ["--minutes", minutes] => return watch(&site, &browser, minutes.parse()?, &mut out),
        _ => return Err("expected nothing, or --minutes and a number".into()),
    }
    sizes(&site, &mut out)?;
    let open = |hash: &str| open(&site, &browser, hash);
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

/// Returns a view, once its first frame is there.
fn open<'b>(site: &Site, browser: &'b Browser, hash: &str) -> Page<'b> {
    let page = browser.page("about:blank", Media::DESK);
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": COUNT}));
    page.go(&format!("{}/#{hash}", site.address));
    page.wait("window.first_frame > 0");
    page
}

/// Bytes of the page's files, those that the first view needs before the others.
fn sizes(site: &Site, out: &mut impl io::Write) -> Result<(), Box<dyn Error>> {
    let mut sum = [0; 2];
    for name in FIRST.into_iter().chain(LATER) {
        let bytes =
            ureq::get(format!("{}/{name}", site.address)).call()?.into_body().read_to_vec()?;
        let sizes = [bytes.len(), compressed(&bytes)?];
        writeln!(out, "{name:<16} {:>9} bytes, {:>8} with brotli", sizes[0], sizes[1])?;
        sum = [sum[0] + sizes[0], sum[1] + sizes[1]];
        if FIRST.last() == Some(&name) {
            writeln!(out, "what the first view needs: {} bytes, {} with brotli", sum[0], sum[1])?;
        }
    }
    writeln!(out, "all: {} bytes, {} with brotli", sum[0], sum[1])?;
    Ok(())
}

/// Lets the larger run go on for some minutes; what it needs after each.
fn watch(
    site: &Site,
    browser: &Browser,
    minutes: u32,
    out: &mut impl io::Write,
) -> Result<(), Box<dyn Error>> {
    let page = open(site, browser, &format!("solve?{NODES}"));
    for minute in 0..=minutes {
        let resident = memory_of_workers()? >> 20;
        let heap = page.eval("performance.memory.usedJSHeapSize / 1048576").as_f64();
        let (heap, time) = (heap.unwrap_or(0.0), page.text("#time"));
        writeln!(
            out,
            "after {minute} min, at {time} of the run: {resident} MiB of the page's process, {heap:.1} MiB of scripts"
        )?;
        if minute < minutes {
            sleep(Duration::from_mins(1));
        }
    }
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

/// Threads of all workers of browsers here.
fn workers() -> impl Iterator<Item = PathBuf> {
    let tasks = fs::read_dir("/proc").into_iter().flatten().flatten();
    let tasks = tasks.filter_map(|process| fs::read_dir(process.path().join("task")).ok());
    let tasks = tasks.flatten().flatten().map(|task| task.path());
    let is_worker = |name: &str| name.starts_with("DedicatedWorker");
    tasks.filter(move |task| {
        fs::read_to_string(task.join("comm")).is_ok_and(|name| is_worker(&name))
    })
}

/// Seconds of CPU time of all of them.
fn cpu_of_workers() -> f64 {
    workers().filter_map(|task| seconds(&fs::read_to_string(task.join("schedstat")).ok()?)).sum()
}

/// Bytes that the processes with a worker keep in memory.
fn memory_of_workers() -> io::Result<u64> {
    let mut processes: Vec<_> =
        workers().filter_map(|task| Some(task.parent()?.parent()?.to_owned())).collect();
    processes.sort();
    processes.dedup();
    let kibibytes = |process: PathBuf| {
        let status = fs::read_to_string(process.join("status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        let number = line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok());
        number.ok_or_else(|| io::Error::other("no size of a process"))
    };
    processes.into_iter().map(kibibytes).sum::<io::Result<u64>>().map(|sum| sum * 1_024)
}

/// Returns the CPU time that the system tells of a thread.
fn seconds(schedstat: &str) -> Option<f64> {
    Some(schedstat.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
}

/// Updates a second of CPU time of the same code here, after about as many updates.
fn natively(parameters: &str, updates: f64) -> Result<f64, Box<dyn Error>> {
    let mut model = views::open(ViewKind::Solve, &Parameters::parse(parameters), &[])?;
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
        let frame: views::solve::frame::Frame = postcard::from_bytes(&model.frame())?;
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
