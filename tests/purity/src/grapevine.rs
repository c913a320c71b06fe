//! Grapevine.

use core::ops::ControlFlow;

use tresse_core::balance::grapevine::parallel::Serial;
use tresse_core::balance::grapevine::protocol::{self, Message, Peer, Setting, SettingError};
use tresse_core::balance::grapevine::{
    self, BalanceOutcome, Config, GrapevineMemory, Iteration, Lengths, Problem, RunError,
};
use tresse_core::id::ProcessorId;

#[inline(never)]
pub fn lengths(config: &Config, objects: usize, processors: usize) -> Lengths {
    Lengths::of(config, objects, processors)
}

#[inline(never)]
pub fn run(
    problem: &Problem<'_>,
    owners: &mut [ProcessorId],
    memory: &mut GrapevineMemory<'_>,
    most: u32,
) -> Result<BalanceOutcome, RunError> {
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
    memory: &mut protocol::ProtocolMemory<'_>,
    sent: &mut (u32, Message),
) {
    peer.start(setting, memory, &mut |to, message| *sent = (to, message));
}

#[inline(never)]
pub fn receive(
    peer: &mut Peer,
    setting: &Setting<'_>,
    memory: &mut protocol::ProtocolMemory<'_>,
    received: (u32, Message),
    sent: &mut (u32, Message),
) {
    peer.receive(setting, memory, received, &mut |to, message| *sent = (to, message));
}
