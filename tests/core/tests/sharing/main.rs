//! Task sharing: the protocol under any order of messages, in virtual time, and the trees that it
//! searches.

mod in_virtual_time;
mod protocol;
mod schedules;
mod uts;
