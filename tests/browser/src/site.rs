//! The page as `tresse-wasm` serves it.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use escargot::CargoBuild;

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");

/// The server, for as long as this lives.
#[derive(Debug)]
pub struct Site {
    server: Child,
    /// Address of the site.
    pub address: String,
}

impl Site {
    /// Serves the page of what is there now, on a free port.
    ///
    /// # Panics
    /// If the page cannot be built or served.
    pub fn serve() -> Self {
        let mut command = end_with_us(&program());
        let command = command.args(["--port", "0"]).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap_or_else(|error| panic!("tresse-wasm: {error}"));
        let mut address = String::new();
        if let Some(says) = server.stdout.take() {
            BufReader::new(says).read_line(&mut address).unwrap_or_default();
        }
        let address = address.trim().to_owned();
        assert!(!address.is_empty(), "tresse-wasm does not say where it serves");
        Self { server, address }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.server.kill().and_then(|()| self.server.wait());
    }
}

/// Returns the program `tresse-wasm`: what `TRESSE_WASM_PROGRAM` names (see `tests/run.sh`), or
/// else built from what is there now.
fn program() -> PathBuf {
    named_or_built("TRESSE_WASM_PROGRAM", "tresse-wasm")
}

/// Returns the program `tresse`: what `TRESSE_PROGRAM` names, or else built as well.
pub fn tresse() -> PathBuf {
    named_or_built("TRESSE_PROGRAM", "tresse")
}

fn named_or_built(variable: &str, name: &str) -> PathBuf {
    if let Some(named) = env::var_os(variable) {
        return named.into();
    }
    let build = CargoBuild::new().manifest_path(WORKSPACE).package(name).bin(name);
    let program = build.current_release().run();
    program.unwrap_or_else(|error| panic!("{error}")).path().to_owned()
}

/// Returns a command that is ended by the system when whoever starts it is gone.
pub fn end_with_us(program: &std::path::Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "TERM"]).arg(program);
    command
}
