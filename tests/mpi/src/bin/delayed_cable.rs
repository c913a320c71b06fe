//! A cable between two network namespaces that holds every frame back for a while: see
//! `tests/mpi/two_hosts.sh`. This kernel may have no netem.
//!
//! `delayed_cable ONE OTHER MICROSECONDS` gives each of the two namespaces an end, `v0`, says
//! `ready` and forwards until it is killed.

use std::env;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::process::{Command, ExitCode, id};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::ioctl::{Setter, ioctl, opcode};

type Failure = Box<dyn Error + Send + Sync>;

/// An Ethernet frame with its head; the cable's ends carry no larger ones.
const LONGEST: usize = 1 << 11;

/// Linux's `struct ifreq` for `TUNSETIFF`.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; 16],
    flags: u16,
    rest: [u8; 22],
}

/// `TUNSETIFF`, of `linux/if_tun.h`.
const SET_INTERFACE: rustix::ioctl::Opcode = opcode::write::<u32>(b'T', 202);
/// Frames, not packets, and nothing before them: `IFF_TAP | IFF_NO_PI`.
const FRAMES_ONLY: u16 = 0x1002;

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "this is what it is for")]
fn main() -> ExitCode {
    match cable() {
        Ok(ends) => {
            println!("ready");
            let failure = ends.recv();
            eprintln!("delayed_cable: {failure:?}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("delayed_cable: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Joins the two namespaces; answers where failures arrive.
fn cable() -> Result<Receiver<std::io::Error>, Failure> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [one, other, delay] = <[String; 3]>::try_from(arguments)
        .map_err(|_| "give two network namespaces and a number of microseconds")?;
    let delay = Duration::from_micros(delay.parse()?);
    let [one, other] = [(one, 'a'), (other, 'b')].map(|(host, end)| plug(&host, end));
    let (one, other) = (one?, other?);
    let (failures, failed) = channel();
    for (from, to) in [(one.try_clone()?, other.try_clone()?), (other, one)] {
        let (sender, receiver) = channel();
        let [here, there] = [failures.clone(), failures.clone()];
        thread::spawn(move || here.send(take_up(from, delay, &sender)));
        thread::spawn(move || there.send(hand_out(to, &receiver)));
    }
    Ok(failed)
}

/// Returns an end of the cable in a namespace, and the file that its frames go through.
fn plug(host: &str, end: char) -> Result<File, Failure> {
    let file = OpenOptions::new().read(true).write(true).open("/dev/net/tun")?;
    let name = format!("tresse{}{end}", id());
    let mut request = InterfaceRequest { name: [0; 16], flags: FRAMES_ONLY, rest: [0; 22] };
    let place = request.name.get_mut(..name.len()).ok_or("too long a name of an interface")?;
    place.copy_from_slice(name.as_bytes());
    #[expect(unsafe_code, reason = "the only way to a TAP device")]
    // SAFETY: TUNSETIFF reads a `struct ifreq`, which this is, of the same size.
    unsafe {
        ioctl(&file, Setter::<SET_INTERFACE, _>::new(request))?;
    }
    let moved =
        Command::new("ip").args(["link", "set", &name, "netns", host, "name", "v0"]).status()?;
    if moved.success() { Ok(file) } else { Err(format!("{name} cannot be given to {host}").into()) }
}

/// Reads frames and says when each is due.
fn take_up(mut from: File, delay: Duration, to: &Sender<(Instant, Vec<u8>)>) -> std::io::Error {
    let mut frame = [0; LONGEST];
    loop {
        match from.read(&mut frame) {
            Ok(length) => {
                let bytes = frame.get(..length).unwrap_or_default().to_vec();
                if to.send((Instant::now() + delay, bytes)).is_err() {
                    return std::io::Error::other("the other end is gone");
                }
            }
            Err(error) => return error,
        }
    }
}

/// Writes frames when they are due; one that the other end does not take is lost, as on a cable.
fn hand_out(mut to: File, from: &Receiver<(Instant, Vec<u8>)>) -> std::io::Error {
    while let Ok((due, frame)) = from.recv() {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let _ = to.write(&frame);
    }
    std::io::Error::other("the other end is gone")
}
