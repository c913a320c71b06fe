//! Names of things: newtypes, never bare integers.

use crate::base::bug::OrBug;
use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the place of this thing in a slice that has one element for each.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl super::table::Id for $name {
            #[inline]
            fn index(self) -> usize {
                self.index()
            }
        }

        impl core::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

/// Returns a number of things as 32 bits; each of them has an id.
pub(crate) fn number_of(things: usize) -> u32 {
    u32::try_from(things).or_bug("there are 2^32 things or more")
}

id!(
    /// A rectangular part of the grid: the unit that is swept, and that moves between workers.
    SubdomainId
);
id!(
    /// A thread that sweeps subdomains; the papers' *thread*.
    WorkerId
);
id!(
    /// A holder of tasks that workers share ([`crate::tasks::sharing`]).
    ManagerId
);
id!(
    /// A CPU socket: workers that share a memory controller.
    SocketId
);
id!(
    /// Workers that share memory. MPI ranks are nodes in this sense, whatever machine they are on.
    NodeId
);
/// An MPI rank, which balances and moves subdomains as a node does.
pub use self::NodeId as RankId;
id!(
    /// A unit of work that may move between processors; the slides' *object*.
    ObjectId
);
id!(
    /// A place for objects: the slides' *processor*, a rank in a trace.
    ProcessorId
);
id!(
    /// A slot in a rank's memory: the place of what the others see of one subdomain.
    SlotId
);
