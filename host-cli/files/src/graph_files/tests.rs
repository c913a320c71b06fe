use tresse_core::owned::breadth_first;
use tresse_core::traversal::Digraph as _;

use super::*;

fn read(text: &str) -> Result<GraphFile, GraphFileError> {
    GraphFile::read(text.as_bytes(), false, 1 << 20)
}

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn edges_of_a_list_lead_one_way_unless_asked() {
    let text = "# a triangle with a tail\n\n0 1\n1\t2 0.5\r\n2 0\n% more\n3 0 7";
    let file = read(text).unwrap();
    assert_eq!((file.form, file.first), (GraphForm::EdgeList, 0));
    assert_eq!((file.graph.vertices(), file.graph.arcs()), (4, 4));
    let both = GraphFile::read(text.as_bytes(), true, 1 << 20).unwrap();
    assert_eq!(both.graph.arcs(), 8);
    assert_eq!(read("5 0").unwrap().first, 5);
    // A circle, which has no end.
    assert_eq!(breadth_first(&read(text).unwrap().graph, 0, || true).unwrap().reached.vertices, 3);
}

#[test]
fn places_of_a_matrix_are_edges() {
    let general = "%%MatrixMarket matrix coordinate pattern general\n% by hand\n3 3 2\n1 2\n2 3\n";
    let file = read(general).unwrap();
    assert_eq!((file.form, file.first, file.graph.vertices()), (GraphForm::MatrixMarket, 0, 3));
    assert_eq!(file.graph.arcs(), 2);
    for symmetric in ["real symmetric", "INTEGER Skew-Symmetric"] {
        let text =
            format!("%%matrixmarket MATRIX coordinate {symmetric}\n3 3 2\n2 1 -5\n3 2 1e3\n");
        assert_eq!(read(&text).unwrap().graph.arcs(), 4, "{text}");
    }
    let complex = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 0 -1\n";
    assert_eq!(read(complex).unwrap().graph.arcs(), 2);
}

#[test]
fn a_bad_line_is_named() {
    for (text, parts) in [
        ("0 1\n2", &["line 2", "\"2\" is no edge"][..]),
        ("0 1\n1 x", &["line 2", "is no edge"]),
        ("0 1\n\n# so\n1 2 heavy", &["line 4", "\"1 2 heavy\""]),
        ("0 1 2 3", &["line 1"]),
        ("0 -1", &["line 1", "is no edge"]),
        ("+1 0", &["line 1", "is no edge"]),
        ("0 4294967295", &["line 1", "4294967294"]),
        ("0 99999999999999999999", &["line 1", "4294967294"]),
        ("0 1\n4000000000 1", &["line 2", "4000000001 vertices", "1.0 MiB"]),
        ("", &["no edge"]),
        ("# nothing\n", &["no edge"]),
        ("0 \u{1b}[1m", &["line 1", "u{1b}"]),
    ] {
        let said = refused(text);
        assert!(parts.iter().all(|part| said.contains(part)), "{text:?}: {said}");
    }
    let long = "1 ".repeat(5_000);
    assert!(refused(&long).contains("line 1: is too long"));
    let binary = GraphFile::read(&b"0 1\n\xff\xfe"[..], false, 1 << 20).unwrap_err();
    assert!(binary.to_string().starts_with("line 2: is not text"));
}

#[test]
fn a_bad_matrix_is_refused() {
    let of = |kind: &str, rest: &str| refused(&format!("%%MatrixMarket matrix {kind}\n{rest}"));
    for (kind, rest, parts) in [
        ("array real general", "2 2\n", &["line 1", "coordinate"][..]),
        ("coordinate real", "2 2 1\n", &["line 1", "coordinate"]),
        ("coordinate complex diagonal", "", &["line 1", "hermitian"]),
        ("coordinate real general", "", &["no edge"]),
        ("coordinate real general", "2 2\n", &["line 2", "no sizes"]),
        ("coordinate real general", "2 3 1\n", &["line 2", "square"]),
        ("coordinate real general", "% so\n3 3 x\n", &["line 3", "no sizes"]),
        ("coordinate real general", "4294967295 4294967295 1\n", &["line 2", "vertices take more"]),
        ("coordinate real general", "3 3 1\n1 2\n", &["line 3", "a value"]),
        ("coordinate pattern general", "3 3 1\n1 2 5\n", &["line 3", "nothing else"]),
        ("coordinate real general", "3 3 1\n1 2 x\n", &["line 3"]),
        (
            "coordinate pattern general",
            "3 3 1\n0 2\n",
            &["line 3", "vertex 0", "3, numbered from 1"],
        ),
        ("coordinate pattern general", "3 3 1\n1 4\n", &["line 3", "vertex 4"]),
        ("coordinate pattern general", "3 3 2\n1 2\n", &["ends after 1 of 2"]),
        (
            "coordinate pattern general",
            "3 3 1\n1 2\n2 3\n",
            &["line 4", "one more entry than the 1"],
        ),
        ("coordinate pattern general", "3 3 0\n", &["no edge"]),
    ] {
        let said = of(kind, rest);
        assert!(parts.iter().all(|part| said.contains(part)), "{kind}, {rest:?}: {said}");
    }
}

#[test]
fn no_more_memory_is_taken_than_there_may_be() {
    let text = "0 1\n1 2\n".repeat(50_000);
    let said = refused(&text);
    assert!(said.starts_with("line ") && said.contains("edges"), "{said}");
    assert!(GraphFile::read(text.as_bytes(), false, 4 << 20).is_ok());
}
