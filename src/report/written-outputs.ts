// Results of writing the typed outputs of a run. Types only.

import type { OutputType } from "../contract/runs/typed-outputs.ts";

export type WrittenOutput = {
  readonly type: OutputType;
  /** What was done. Untrusted words of the agent may be in it. */
  readonly text: string;
  /** The page of what was made; null where nothing new was. */
  readonly url: string | null;
};

export type RefusedOutput = {
  readonly type: OutputType;
  /** A sentence or two: why, and what to do. */
  readonly why: string;
};

export type WrittenOutputs = {
  readonly written: readonly WrittenOutput[];
  readonly refused: readonly RefusedOutput[];
};
