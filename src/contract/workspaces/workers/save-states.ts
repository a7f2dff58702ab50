// What of a worker's work is saved. No schema loads here. Pure.

/**
 * `none` while it works; `saving` once its run is over and its changes are kept; then `saved` as a revision, `unchanged`
 * where there was nothing to save, or `failed`.
 */
export const saveStates = ["none", "saving", "saved", "unchanged", "failed"] as const;
export type SaveState = (typeof saveStates)[number];
