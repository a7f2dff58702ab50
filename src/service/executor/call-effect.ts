// The effect that a tool call may have had on the run's files.

/** `none` where that is known of the tool; `maybe_files` of all others, whatever they say of themselves. */
export type CallEffect = "none" | "maybe_files";
