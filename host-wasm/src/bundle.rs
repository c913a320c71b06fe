//! Builds the page as files: modules, their JavaScript, text and style sheet.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";

/// Security policy of the page, which allows nothing but the page's own files. `'wasm-unsafe-eval'`
/// lets it compile WebAssembly, and nothing else; blobs are pictures and tables that are saved.
pub const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
     base-uri 'none'; form-action 'none'";

/// Modules that are compiled, each a program of this package.
const MODULES: [&str; 3] = ["page", "runs", "files"];

/// Compiler flags of the modules: the vectors that browsers have, and inlining of small functions
/// only, which costs no measurable speed and makes the modules a quarter smaller.
const FLAGS: [&str; 2] = ["-Ctarget-feature=+simd128", "-Cllvm-args=--inline-threshold=30"];

/// Text of the page, with marks for the policy and the views.
const PAGE: &str = include_str!("../web/index.html");
const POLICY_PLACE: &str = "<!-- policy -->";
const VIEWS_PLACE: &str = "<!-- views -->";

/// Texts of the views, in the order of their tabs.
const VIEWS: [&str; 5] = [
    include_str!("../web/views/race.html"),
    include_str!("../web/views/solve.html"),
    include_str!("../web/views/grapevine.html"),
    include_str!("../web/views/sharing.html"),
    include_str!("../web/views/replay.html"),
];

/// Files that are served unchanged.
const PLAIN: [(&str, &str, &str); 3] = [
    ("style.css", "text/css; charset=utf-8", include_str!("../web/style.css")),
    ("start.js", "text/javascript; charset=utf-8", include_str!("../web/start.js")),
    ("icon.svg", "image/svg+xml", include_str!("../web/icon.svg")),
];

/// An error of building or writing the page.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A program could not be started.
    #[error("{program} cannot be started: {error}; the page is compiled by Rust's tools")]
    Start {
        /// Name of the program.
        program: String,
        /// The system's error.
        error: io::Error,
    },
    /// The target could not be added.
    #[error(
        "the target {TARGET} is missing and could not be added: run `rustup target add {TARGET}`"
    )]
    Target,
    /// The compilation failed, and Cargo has said why.
    #[error("the page could not be compiled")]
    Compile,
    /// The JavaScript of a module could not be made.
    #[error("the glue of the page could not be made: {0}")]
    Glue(String),
    /// A file could not be written.
    #[error("--out: {path} cannot be written: {error}")]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

/// A file of the page.
#[derive(Clone, Debug)]
pub struct File {
    /// Path of the file, relative to the page.
    pub name: String,
    /// Media type for a browser.
    pub kind: &'static str,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

/// All files of the page.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// Files, the first of which is the page itself.
    pub files: Vec<File>,
}

impl Bundle {
    /// Compiles the page, which takes a minute the first time and seconds after that.
    pub fn build() -> Result<Self, BundleError> {
        add_target()?;
        let modules = compile()?;
        let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">");
        let page = PAGE.replace(POLICY_PLACE, &policy).replace(VIEWS_PLACE, &VIEWS.concat());
        let file = |name: &str, kind, bytes| File { name: name.to_owned(), kind, bytes };
        let plain = PLAIN.iter().map(|(name, kind, text)| file(name, kind, text.as_bytes().into()));
        let page = file("index.html", "text/html; charset=utf-8", page.into());
        let mut files: Vec<_> = [page].into_iter().chain(plain).collect();
        for (name, module) in &modules {
            let (script, wasm) = glue(name, module)?;
            files.push(file(&format!("{name}.js"), "text/javascript; charset=utf-8", script));
            files.push(file(&format!("{name}_bg.wasm"), "application/wasm", wasm));
        }
        Ok(Self { files })
    }

    /// Writes the files into a folder.
    pub fn write_to(&self, folder: &Path) -> Result<(), BundleError> {
        fs::create_dir_all(folder).map_err(failed_to_write(folder))?;
        for File { name, bytes, .. } in &self.files {
            let path = folder.join(name);
            fs::write(&path, bytes).map_err(failed_to_write(&path))?;
        }
        Ok(())
    }
}

/// Returns a module's JavaScript, and the module without the sections that only its maker needs.
fn glue(name: &str, module: &Path) -> Result<(Vec<u8>, Vec<u8>), BundleError> {
    let mut output = Bindgen::new()
        .input_path(module)
        .out_name(name)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .omit_default_module_path(false)
        .web(true)
        .and_then(Bindgen::generate_output)
        .map_err(|error| BundleError::Glue(format!("{error:#}")))?;
    Ok((output.js().into(), output.wasm_mut().emit_wasm()))
}

/// Returns the program that a variable names, as Cargo sets it for the programs that it runs.
fn program(variable: &str, name: &str) -> Command {
    Command::new(env::var_os(variable).as_deref().unwrap_or(OsStr::new(name)))
}

/// Returns a function that adds the path to an error.
fn failed_to_write(path: &Path) -> impl FnOnce(io::Error) -> BundleError + use<> {
    let path = path.to_owned();
    move |error| BundleError::Write { path, error }
}

/// Returns a function that adds the program to an error.
fn failed_to_start(command: &Command) -> impl FnOnce(io::Error) -> BundleError + use<> {
    let program = command.get_program().display().to_string();
    move |error| BundleError::Start { program, error }
}

/// Adds the target to the compiler, unless it is there.
fn add_target() -> Result<(), BundleError> {
    let mut rustc = program("RUSTC", "rustc");
    rustc.args(["--print", "target-libdir", "--target", TARGET]);
    let libraries = rustc.output().map_err(failed_to_start(&rustc))?;
    if Path::new(String::from_utf8_lossy(&libraries.stdout).trim()).is_dir() {
        return Ok(());
    }
    let added = Command::new("rustup").args(["target", "add", TARGET]).status();
    if added.is_ok_and(|status| status.success()) { Ok(()) } else { Err(BundleError::Target) }
}

/// Compiles the modules for browsers, with their vectors; returns their names and paths.
fn compile() -> Result<Vec<(&'static str, PathBuf)>, BundleError> {
    let mut cargo = program("CARGO", "cargo");
    cargo
        .args(["build", "--profile", "browser", "--features", "browser", "--target", TARGET])
        .args(MODULES.iter().flat_map(|module| ["--bin", module]))
        .args(["--message-format", "json-render-diagnostics"])
        .arg("--manifest-path")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        // What is set for programs of this machine is not for the page.
        .env_remove("RUSTFLAGS")
        // What is compiled piece by piece is not optimised as a whole, and half as large again.
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_ENCODED_RUSTFLAGS", flags().join("\u{1f}"))
        .stdout(Stdio::piped());
    let mut child = cargo.spawn().map_err(failed_to_start(&cargo))?;
    let messages = child.stdout.take().map(BufReader::new);
    let lines = messages.into_iter().flat_map(BufReader::lines).map_while(Result::ok);
    let made: Vec<_> = lines.flat_map(|line| files_of(&line)).collect();
    let compiled = child.wait().is_ok_and(|status| status.success());
    let module = |name: &&'static str| {
        let is_it = |path: &&PathBuf| path.file_name() == Some(OsStr::new(&format!("{name}.wasm")));
        Some((*name, made.iter().find(is_it)?.clone()))
    };
    let modules: Option<_> = MODULES.iter().map(module).collect();
    modules.filter(|_| compiled).ok_or(BundleError::Compile)
}

/// Returns the flags with which the modules are compiled; they also remove the paths of the
/// sources.
fn flags() -> Vec<String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned);
    let libraries = env::var_os("CARGO_HOME").map(PathBuf::from);
    let libraries = libraries.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let folders = libraries.into_iter().chain(sources);
    let hides = folders.map(|folder| format!("--remap-path-prefix={}=", folder.display()));
    FLAGS.map(str::to_owned).into_iter().chain(hides).collect()
}

/// Returns the files that Cargo has made, by one of its messages in JSON; none for other messages.
fn files_of(message: &str) -> Vec<PathBuf> {
    let Ok(message) = serde_json::from_str::<serde_json::Value>(message) else {
        return Vec::new();
    };
    let files = message.get("filenames").and_then(|files| files.as_array());
    files.into_iter().flatten().filter_map(|file| file.as_str()).map(PathBuf::from).collect()
}
