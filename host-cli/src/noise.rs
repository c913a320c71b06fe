//! Parasites that slow a core down on purpose.
