// What JavaScript reads of Python by name. The type checker allows no other name; a build in which Python lacks one fails.

/** Kernels of kernels.wasm. */
export type KernelName =
  | "_add_lines" | "_all_up_to_date" | "_curvatures" | "_dots" | "_draw_from_slots" | "_fill_alias_table"
  | "_fill_permutations" | "_fill_step_table" | "_measure_lines" | "acc_rcd_block_epoch" | "acc_rcd_epoch" | "adasdca_epoch"
  | "apcg_block_epoch" | "apcg_epoch" | "apcg_step_block_epoch" | "apcg_step_epoch" | "arrive_all" | "asdca_epoch" | "choose" | "conjugate_of_regularizer" | "dual_point" | "eso_of_blocks"
  | "greedy_epoch" | "mean_conjugate_of" | "mean_loss_of" | "minus_slopes" | "prox_point" | "quartz_block_epoch"
  | "quartz_epoch" | "random_doubles" | "random_integers" | "random_normals" | "random_poissons" | "rcd_block_epoch"
  | "rcd_epoch" | "regularizer_of" | "saga_block_epoch" | "saga_epoch" | "curvature_matrix" | "sdca_block_epoch" | "sdca_epoch" | "sgd_epoch" | "shuffle"
  | "spdc_epoch" | "svrg_epoch" | "tridiagonal_columns" | "tridiagonal_eigenvalues"

/** Constants in the rules of page.json. */
export type RuleName =
  | "ALIKE" | "ANY_BLOCK" | "CURVE_POINTS" | "DIVERGED" | "EVEN" | "FIRST_SNAPSHOT"
  | "FIRST_UPDATES" | "FORMATS" | "HEAVY_SHARE" | "INSTEAD"
  | "LEAST_TARGET" | "LEVELS_PER_DECADE" | "LINES" | "LONG_SECONDS" | "LOOSE" | "MANY_ALIKE" | "MOST_ENTRIES"
  | "MOST_READ" | "MOST_REPAIRS" | "PARTS" | "PIECE_SECONDS"
  | "ROUNDED" | "SECONDS_PER_VISIT" | "SNAPSHOTS_PER_DECADE" | "SPARSE_BELOW" | "SUMS"
  | "TAKES" | "ZERO_SHARE"
