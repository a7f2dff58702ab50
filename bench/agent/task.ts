// What a task of the agent's benchmark is: a small repository, a request, and a check that the agent does not see.

export const toolchains = ["node", "python3", "go"] as const;
export type Toolchain = (typeof toolchains)[number];

/** Paths relative to the repository's root, with their text. */
export type Files = Readonly<Record<string, string>>;

type Common = {
  readonly prompt: string;
  readonly files: Files;
  /** Executes the visible tests and the check; a review needs none. */
  readonly toolchain: Toolchain | null;
  /** A word of the code: what a scripted agent searches for. */
  readonly term: string;
};

/** A test that fails, or a report of a bug without a test. */
export type FixTask = Common & {
  readonly kind: "failing_test" | "bug_report";
  readonly toolchain: Toolchain;
  /** What a developer would execute; of a failing test, it fails. */
  readonly test: readonly string[];
  /** Copied into the repository once the agent has ended, over whatever it wrote there. */
  readonly check: Files;
  readonly command: readonly string[];
  /** The reference solution. */
  readonly solution: Files;
};

/** A commit on top of `files` with planted defects. */
export type ReviewTask = Common & {
  readonly kind: "review";
  readonly change: Files;
  /** The text of a line that stands once in the changed file: findings name that line, or one next to it. */
  readonly defects: readonly { readonly path: string; readonly text: string }[];
};

export type AgentTask = FixTask | ReviewTask;
