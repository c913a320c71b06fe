//! The engine on pinned threads.
