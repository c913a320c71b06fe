//! Names of things: newtypes, never bare integers.

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
            /// The place of this thing in a slice that has one element for each.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
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

id!(
    /// A rectangular part of the grid: the unit that is swept, and that moves between workers.
    SubdomainId
);
id!(
    /// A thread (or rank) that sweeps subdomains; the papers' *thread*.
    WorkerId
);
id!(
    /// A CPU socket: workers that share a memory controller.
    SocketId
);
id!(
    /// A machine with its own memory.
    NodeId
);
id!(
    /// A unit of work that may move between processors; the slides' *object*.
    ObjectId
);
id!(
    /// What objects are placed on: the slides' *processor*, a rank in a trace.
    ProcessorId
);
id!(
    /// A place in a rank's memory for what the others see of one subdomain.
    Berth
);
