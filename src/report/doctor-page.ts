// The checks of the doctor and their findings. Types and the list of states. Pure.

/** "skipped": not tried, or nothing to check. A fault prevents runs; a warning does not, or not yet. */
export const checkStates = ["ok", "warning", "fault", "skipped"] as const;
export type CheckState = (typeof checkStates)[number];

export type DoctorFact = { readonly name: string; readonly value: string };

export type DoctorFix = {
  /** A sentence. */
  readonly text: string;
  /** To be copied as it is: a command, or a part of a file. */
  readonly code?: string | undefined;
  readonly url?: string | undefined;
};

export type DoctorCheck = {
  /** Stable, for programs. */
  readonly id: string;
  readonly title: string;
  readonly state: CheckState;
  /** A sentence or two. */
  readonly found: string;
  readonly facts: readonly DoctorFact[];
  readonly fixes: readonly DoctorFix[];
};

/** One of the observations that a check is made of. */
export type Observation = Pick<DoctorCheck, "state" | "found" | "fixes">;

export type DoctorPage = {
  readonly version: string;
  /** ISO 8601. */
  readonly at: string;
  /** The worst of the checks; "ok" also where some were skipped. */
  readonly state: Exclude<CheckState, "skipped">;
  readonly checks: readonly DoctorCheck[];
};
