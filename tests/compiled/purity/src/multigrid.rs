//! Multigrid, for both types of a cell.

use tresse_core::multigrid::{
    Band, Coarse, Coarsest, Correction, Cycle, Finest, Fixed, Hierarchy, Level, Portable,
    Prolongation, Rows, Smoothing, bands, prolongate, residual_squares, restrict,
    restrict_residual, smooth_finest, solve_coarse,
};

/// Instances for one type.
macro_rules! instances {
    ($type:ident) => {
        pub mod $type {
            use super::*;

            #[inline(never)]
            pub fn cycle(
                levels: [Level; 2],
                band: Band,
                smoothing: &Smoothing,
                correction: Correction<'_, $type>,
                fixed: Fixed<'_, $type>,
                finest: &mut Finest<'_, $type>,
                workspace: &mut [$type],
            ) {
                restrict_residual(levels, band, fixed, finest, &Portable, workspace);
                smooth_finest(
                    levels, band, smoothing, correction, fixed, finest, &Portable, workspace,
                );
            }

            #[inline(never)]
            pub fn down_and_up(
                levels: [Level; 2],
                smoothing: &Smoothing,
                mut fine: Coarse<'_, $type>,
                coarse: Coarse<'_, $type>,
                workspace: &mut [$type],
            ) {
                let stride = levels[1].stride();
                for band in bands(levels[0], 4, 2, 1) {
                    restrict(levels, band, fine.rhs, coarse.rhs, &Portable);
                    let correction = Correction(Rows::all(&*coarse.correction, stride));
                    let (rhs, base, target) = fine.in_cycle(levels[0], Cycle { of: 2, to_come: 1 });
                    let rhs = Rows::all(rhs, levels[0].columns.cells());
                    let restricted = Some(&mut *coarse.rhs);
                    let prolongation = Prolongation { rhs, base, target, restricted };
                    prolongate(
                        levels,
                        band,
                        smoothing,
                        correction,
                        prolongation,
                        &Portable,
                        workspace,
                    );
                }
            }

            #[inline(never)]
            pub fn solve(
                hierarchy: &Hierarchy,
                memory: &mut [Coarse<'_, $type>],
                coarsest: &mut Coarsest<'_>,
                smoothing: &Smoothing,
                workspace: &mut [$type],
            ) {
                let levels = hierarchy.levels();
                solve_coarse(levels, memory, coarsest, smoothing, 2, &Portable, workspace);
            }

            #[inline(never)]
            pub fn residual(
                level: Level,
                row: usize,
                cells: &[$type],
                fixed: Fixed<'_, $type>,
            ) -> f64 {
                residual_squares(level, row, cells, fixed)
            }
        }
    };
}

instances!(f32);
instances!(f64);
