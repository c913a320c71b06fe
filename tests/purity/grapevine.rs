//! Grapevine.

use core::ops::ControlFlow;

use tresse_core::balance::grapevine::fork::Serial;
use tresse_core::balance::grapevine::protocol::{self, Message, Peer, Setting, SettingError};
use tresse_core::balance::grapevine::{
    self, Config, Iteration, Lengths, Memory, Names, Outcome, Problem, RunError,
};
use tresse_core::id::ProcessorId;

#[inline(never)]
pub fn lengths(config: &Config, objects: usize, processors: usize) -> Lengths {
    Lengths::of(config, objects, processors)
}

#[inline(never)]
pub fn names<'a>(of: &'a [u32], called: &'a mut [ProcessorId]) -> Option<Names<'a>> {
    Names::new(of, called)
}

#[inline(never)]
pub fn run(
    problem: &Problem<'_>,
    owners: &mut [ProcessorId],
    memory: &mut Memory<'_>,
    most: u32,
) -> Result<Outcome, RunError> {
    grapevine::run(problem, owners, memory, &Serial, &mut |made: &Iteration| {
        if made.number < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
}

#[inline(never)]
pub fn check(setting: &Setting<'_>) -> Result<(), SettingError> {
    setting.check()
}

#[inline(never)]
pub fn start(
    peer: &mut Peer,
    setting: &Setting<'_>,
    memory: &mut protocol::Memory<'_>,
    sent: &mut (u32, Message),
) {
    peer.start(setting, memory, &mut |to, message| *sent = (to, message));
}

#[inline(never)]
pub fn receive(
    peer: &mut Peer,
    setting: &Setting<'_>,
    memory: &mut protocol::Memory<'_>,
    received: (u32, Message),
    sent: &mut (u32, Message),
) {
    peer.receive(setting, memory, received, &mut |to, message| *sent = (to, message));
}
