use std::io::Cursor;

use tresse_core::tasks::owned::breadth_first;
use tresse_core::tasks::traversal::Digraph as _;

use super::*;

const READING: Reading = Reading { form: None, undirected: false, most: 1 << 20 };

fn read_as(text: impl AsRef<[u8]>, reading: Reading) -> Result<GraphFile, GraphFileError> {
    GraphFile::read(Cursor::new(text), reading)
}

fn read(text: &str) -> Result<GraphFile, GraphFileError> {
    read_as(text, READING)
}

/// Returns the arcs of a graph, by the numbers of its file.
fn arcs(file: &GraphFile) -> Vec<(u64, u64)> {
    let mut arcs = vec![];
    for from in 0..file.graph.vertices() {
        let told = file.graph.successors(from, |to| {
            arcs.push((file.numbers.of(from), file.numbers.of(to)));
            Ok::<_, std::convert::Infallible>(())
        });
        assert!(told.is_ok());
    }
    arcs
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
    let both = read_as(text, Reading { undirected: true, ..READING }).unwrap();
    assert_eq!(both.graph.arcs(), 8);
    // With a mark of its encoding, it is the same.
    assert_eq!(read(&format!("\u{feff}{text}")).unwrap().graph, file.graph);
    // A circle, which has no end.
    assert_eq!(breadth_first(&read(text).unwrap().graph, 0, || true).unwrap().reached.vertices, 3);
}

#[test]
fn vertices_are_counted_in_the_order_of_their_numbers() {
    let text = "1000000000 999999999\n18446744073709551615 7\n7 1000000000\n";
    let file = read(text).unwrap();
    let listed = vec![7, 999_999_999, 1_000_000_000, u64::MAX];
    assert_eq!(file.numbers, Numbers::Listed(listed.clone()));
    assert_eq!((file.first, file.graph.vertices()), (2, 4));
    let edges = [(7, 1_000_000_000), (1_000_000_000, 999_999_999), (u64::MAX, 7)];
    assert_eq!(arcs(&file), edges);
    // The order of the lines is no matter.
    let turned: Vec<&str> = text.lines().rev().collect();
    assert_eq!(read(&turned.join("\n")).unwrap().graph, file.graph);
    for (vertex, number) in (0..).zip(listed) {
        assert_eq!(file.numbers.vertex(number, 4), Some(vertex));
    }
    assert_eq!(file.numbers.vertex(8, 4), None);
    assert_eq!(Numbers::From(1).vertex(0, 4), None);
    assert_eq!((Numbers::From(1).vertex(4, 4), Numbers::From(1).vertex(5, 4)), (Some(3), None));
}

#[test]
fn lists_of_konect_have_times_and_say_whether_they_lead_both_ways() {
    let asymmetric = "% asym positive\n1\t2\t1\t1082040961\n2\t3\t1\t1082040962\n";
    assert_eq!(arcs(&read(asymmetric).unwrap()), [(1, 2), (2, 3)]);
    let symmetric = "% sym unweighted\n% 2 3 3\n1 2\n2 3\n";
    assert_eq!(read(symmetric).unwrap().graph.arcs(), 4);
    let said = refused("% bip weighted\n1 1 5\n");
    assert!(said.starts_with("line 1: ") && said.contains("two kinds"), "{said}");
    // Without that line, a fourth number is none of an edge.
    assert!(refused("1 2 1 1082040961\n").contains("is no edge"));
}

#[test]
fn lists_of_neighbours_are_no_edges() {
    let ring = "4 4\n2 4\n1 3\n2 4\n1 3\n";
    let file = read(ring).unwrap();
    assert_eq!((file.form, file.numbers.clone()), (GraphForm::Metis, Numbers::From(1)));
    let around = [(1, 2), (1, 4), (2, 1), (2, 3), (3, 2), (3, 4), (4, 1), (4, 3)];
    assert_eq!(arcs(&file), around);
    // METIS's manual: sizes, weights of vertices, weights of edges; an island has an empty line.
    for text in [
        "% weights of edges\n4 4 1\n2 9 4 9\n% between\n1 9 3 9\n2 9 4 9\n1 9 3 9\n\n",
        "4 4 011 2\n7 7 2 9 4 9\n7 7 1 9 3 9\n7 7 2 9 4 9\n7 7 1 9 3 9",
        "4 4 100\n5 2 4\n5 1 3\n5 2 4\n5 1 3",
    ] {
        assert_eq!(arcs(&read(text).unwrap()), around, "{text}");
    }
    let island = read("3 1\n2\n1\n\n").unwrap();
    assert_eq!(
        (island.form, island.graph.vertices(), island.graph.arcs()),
        (GraphForm::Metis, 3, 2)
    );
    // These are edges: nobody is a neighbour of itself, and there are as many lines as vertices.
    for (text, count) in [("2 2\n1 2\n2 1\n", 2), ("4 4\n2 4\n1 3\n2 4\n", 2), ("9 1\n2 3\n", 2)] {
        let file = read(text).unwrap();
        assert_eq!((file.form, file.graph.arcs()), (GraphForm::EdgeList, count), "{text}");
    }
}

#[test]
fn a_format_of_three_digits_is_no_weight() {
    // One line of a vertex is missing.
    for format in ["000", "001", "010", "011"] {
        let said = refused(&format!("3 2 {format}\n2 1\n1 1 3 1\n"));
        assert!(said.contains("METIS") || said.contains("ends after 2 of 3"), "{said}");
    }
    for weight in ["1", "10", "100", "0.5", "002"] {
        let file = read(&format!("3 2 {weight}\n1 2 4\n")).unwrap();
        assert_eq!((file.form, file.graph.arcs()), (GraphForm::EdgeList, 2), "{weight}");
    }
}

#[test]
fn what_must_be_metis_is_refused_as_such() {
    assert_eq!(GraphForm::of_ending("GRAPH"), Some(GraphForm::Metis));
    assert_eq!(GraphForm::of_ending("txt"), None);
    let reading = Reading { form: Some(GraphForm::Metis), ..READING };
    for (text, parts) in [
        ("0 1\n1 2\n", &["line 1", "\"0 1\"", "another name"][..]),
        ("4 4 5\n", &["line 1", "METIS"]),
        ("4 8\n2 4\n1 3\n2 4\n1 3\n", &["8 neighbours", "8 edges", "both sides"]),
        ("4 4\n2 4\n1 3\n", &["ends after 2 of 4"]),
        ("2 1\n2\n3\n", &["line 3", "from 1 to 2"]),
        ("2 1\n2\n0\n", &["line 3", "from 1 to 2"]),
        ("2 1 1\n2\n1 5\n", &["line 2", "format"]),
        ("2 1\n1\n2\n", &["line 2", "vertex 1", "itself"]),
        ("2 1\n2\n1\n2\n", &["line 4", "all 2 vertices"]),
        ("2 0\n\n\n", &["no edge"]),
        ("", &["no edge"]),
        ("4000000000 1\n", &["line 1", "4000000000 vertices", "1.0 MiB"]),
    ] {
        let said = read_as(text, reading).unwrap_err().to_string();
        assert!(parts.iter().all(|part| said.contains(part)), "{text:?}: {said}");
        assert!(said.len() < 200, "{said}");
    }
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
    let one_sign = "%MatrixMarket matrix coordinate pattern symmetric\n% so\n7 7 2\n2 1\n3 2\n";
    let file = read(one_sign).unwrap();
    assert_eq!((file.form, file.graph.vertices()), (GraphForm::MatrixMarket, 7));
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
        ("0 18446744073709551616", &["line 1", "18446744073709551615"]),
        ("", &["no edge"]),
        ("# nothing\n", &["no edge"]),
        ("0 \u{1b}[1m\\n", &["line 1: \"0 \\u{1b}[1m\\n\" is no edge"]),
    ] {
        let said = refused(text);
        assert!(parts.iter().all(|part| said.contains(part)), "{text:?}: {said}");
    }
    let long = "1 ".repeat(5_000);
    assert!(refused(&long).contains("line 1: is too long"));
    let binary = read_as(b"0 1\n\xff\xfe", READING).unwrap_err();
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
    assert!(read_as(text, Reading { most: 4 << 20, ..READING }).is_ok());
    let names: Vec<String> = (0..50_000_u64).map(|name| format!("{} 0", name << 30)).collect();
    let said = refused(&names.join("\n"));
    assert!(said.starts_with("line ") && said.contains("vertices"), "{said}");
}
