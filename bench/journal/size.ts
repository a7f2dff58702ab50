// The size of what is measured of journals, ours and those of workflow engines.

export const JOURNAL_RUNS = 8;
export const STEPS_A_RUN = 100;
export const STEP_BYTES = 2_000;
