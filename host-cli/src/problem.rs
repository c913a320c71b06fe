//! Problem files: boundary, initial field and source term.
