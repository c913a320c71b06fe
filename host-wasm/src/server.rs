//! Serves the page on this machine's loopback address, and nothing else.

use std::io::{self, Write as _};
use std::net::Ipv4Addr;

use axum::Router;
use axum::http::{HeaderName, header};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::runtime;

use crate::bundle::{Bundle, File, POLICY};

/// An error that keeps the server from starting, or stops it.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The port is taken, or may not be used.
    #[error("--port {port}: {error}; give another, or 0 for any that is free")]
    Port {
        /// Port that was asked for.
        port: u16,
        /// The system's error.
        error: io::Error,
    },
    /// The server failed for another reason.
    #[error("the page cannot be served: {0}")]
    Serve(#[from] io::Error),
}

/// Serves until the server is interrupted.
pub fn serve(bundle: Bundle, port: u16, opens: bool) -> Result<(), ServerError> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .await
            .map_err(|error| ServerError::Port { port, error })?;
        let address = format!("http://{}", listener.local_addr()?);
        writeln!(io::stdout(), "{address}")?;
        if opens {
            open(&address)?;
        }
        tokio::select! {
            served = axum::serve(listener, router(bundle)) => Ok(served?),
            interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
        }
    })
}

/// Shows the page in the browser of this system.
fn open(address: &str) -> io::Result<()> {
    webbrowser::open(address)
}

/// Returns a router that serves each file under its name, and the page also under none.
fn router(bundle: Bundle) -> Router {
    let page = bundle.files.first().cloned().map(|file| File { name: String::new(), ..file });
    page.into_iter().chain(bundle.files).fold(Router::new(), |router, file| {
        let path = format!("/{}", file.name);
        let headers = headers(file.kind);
        let bytes = axum::body::Bytes::from(file.bytes);
        router.route(&path, get(async move || (headers, bytes.clone())))
    })
}

/// Returns the headers of a response whose content is of this media type.
fn headers(kind: &'static str) -> [(HeaderName, &'static str); 5] {
    [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        // What is served next may have been built anew.
        (header::CACHE_CONTROL, "no-cache"),
    ]
}
