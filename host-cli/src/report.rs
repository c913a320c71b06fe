//! What a run leaves behind: one file a format.
