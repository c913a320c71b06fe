//! Copies of subdomains: whatever is swept in place or from copy to copy, the cells and residuals
//! are those of sweeps in place alone, to the bit.

use proptest::prelude::*;
use tresse_core::base::id::SubdomainId;
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::field::owned::{CellMemory, refit};
use tresse_core::field::stencil::{Portable, Terms};
use tresse_core::field::subdomain::StencilPart;
use tresse_core::parts::Part;
use tresse_core::run::{GridSize, RunConfig};

type Cells<'m> = StencilPart<'m, f64, Portable>;

fn fill(part: &mut Cells<'_>, seed: usize, is_constant: bool) {
    let value = |place: usize| ((seed + place) as f64 * 0.37).sin() + 1.5;
    part.fill(
        |row, column| value(3 * row + 7 * column),
        |row, column| value(5 * row + column),
        |side, place| value(100 * side.index() + if is_constant { 0 } else { place }),
    );
    part.weigh(|row, column| value(2 * row + column), |row, column| value(row + 4 * column));
}

/// Sets the halos, as a worker does before a sweep.
fn read(part: &mut Cells<'_>, version: usize, neighbours: [bool; 4]) {
    for side in Side::ALL {
        if neighbours[side.index()] {
            let length = part.layout().side(side);
            let edge: Vec<_> =
                (0..length).map(|place| ((version * 31 + place) as f64).cos()).collect();
            part.set_halo(side, &edge);
        }
    }
}

fn interior(part: &Cells<'_>) -> Vec<u64> {
    let layout = part.layout();
    let rows = (0..layout.rows()).map(|row| layout.row(part.cells(), row));
    rows.flatten().map(|cell| cell.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn copies_are_swept_as_in_place(
        (rows, columns, split) in (4_usize..24, 1_usize..24, 1_u32..4),
        is_constant in any::<bool>(),
        (has_source, has_faces) in any::<(bool, bool)>(),
        // To which of the copies a sweep goes; to the current one is in place.
        ways in proptest::collection::vec((0_usize..3, any::<bool>()), 1..12),
        seed in 0_usize..1_000,
    ) {
        let grid = GridSize { rows, columns };
        let config = RunConfig { workers: 1, split, grid, ..RunConfig::default() };
        let cut = Decomposition::new(&config).unwrap();
        let terms = Terms::of(has_source, has_faces, 1.0);
        let id = SubdomainId(split / 2);
        let neighbours = cut.neighbours(id).map(|neighbour| neighbour.is_some());
        let mut memory = CellMemory::<f64>::of_size(GridSize { rows, columns }, 5, terms);
        let mut parts: Vec<_> = memory.parts(Portable).collect();
        // All but the first copy were of another subdomain before.
        for (place, part) in parts.iter_mut().enumerate() {
            let of = if place % 3 == 0 { id } else { SubdomainId(0) };
            prop_assert!(refit(&cut, of, part));
            fill(part, if place % 3 == 0 { seed } else { seed + place }, is_constant);
        }
        let other = parts.pop().unwrap();
        for copy in &mut parts[1..3] {
            copy.update_from(SubdomainId(split), &other, false);
        }
        let mut plain = parts.pop().unwrap();
        let mut current = 0;
        for (version, (to, with_residual)) in ways.into_iter().enumerate() {
            read(&mut plain, version, neighbours);
            read(&mut parts[current], version, neighbours);
            let expected = plain.update(with_residual);
            let found = match parts.get_disjoint_mut([current, to]) {
                Ok([from, target]) => target.update_from(id, from, with_residual),
                Err(_) => parts[current].update(with_residual),
            };
            current = to;
            prop_assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits));
            prop_assert_eq!(interior(&parts[current]), interior(&plain), "version {}", version);
        }
    }
}

#[test]
fn what_has_too_little_memory_becomes_no_copy() {
    let mut small = CellMemory::<f64>::of_size(GridSize { rows: 3, columns: 4 }, 1, Terms::NONE);
    let mut large = CellMemory::<f64>::of_size(GridSize { rows: 9, columns: 4 }, 1, Terms::NONE);
    let mut weighted = CellMemory::<f64>::of_size(
        GridSize { rows: 9, columns: 4 },
        1,
        Terms::of(false, true, 1.0),
    );
    let (mut small, mut large) =
        (small.parts(Portable).next().unwrap(), large.parts(Portable).next().unwrap());
    let mut weighted = weighted.parts(Portable).next().unwrap();
    assert!(!small.assume(&large) && !weighted.assume(&large) && large.assume(&small));
}
