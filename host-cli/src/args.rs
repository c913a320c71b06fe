//! The command line: flags, their help, and how they meet a file and the defaults.
