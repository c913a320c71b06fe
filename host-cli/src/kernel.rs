//! The sweep, compiled again for wider vectors and picked at run time.
