//! Numbers that stand for nothing.

use crate::base::id::{SubdomainId, WorkerId};

/// Stands for nobody, or nothing, in place of a worker's or a subdomain's number.
pub(super) const NONE: u32 = u32::MAX;

/// In place of the number of the worker that helps with a sweep: nobody may.
pub(super) const CLOSED: u32 = u32::MAX;
/// In place of the number of the worker that helps with a sweep: somebody may.
pub(super) const OPEN: u32 = u32::MAX - 1;

/// In place of the number of the worker that holds a subdomain, in a halt: it is frozen; and that
/// it has published its residual as well.
pub(super) const FROZEN: u32 = u32::MAX - 1;
pub(super) const SHARED: u32 = u32::MAX - 2;

/// Returns a subdomain's number where there is one.
pub(super) const fn subdomain(number: u32) -> Option<SubdomainId> {
    if number == NONE { None } else { Some(SubdomainId(number)) }
}

/// Returns the worker that holds a subdomain, where one does.
pub(super) const fn holder(number: u32) -> Option<WorkerId> {
    if number < SHARED { Some(WorkerId(number)) } else { None }
}
