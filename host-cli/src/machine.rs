//! The machine as the operating system shows it: allowed cores, sockets, memory, name.
