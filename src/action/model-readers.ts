// The readers of the model's inputs, which are loaded where a step has such inputs.

import { BUILT_IN } from "./input-kinds.ts";
import type { ReadInput } from "./input-source.ts";
import { modelInputNames } from "./model-input-names.ts";

export type ModelReaders = Pick<typeof import("./model-inputs.ts"), "readModel" | "readHandedModel">;

/** Null where a step names no model, and no agent that has one. */
export async function modelReadersFor(read: ReadInput): Promise<ModelReaders | null> {
  const isGiven = ["agent", ...modelInputNames].some((name) => !["", BUILT_IN].includes(read(name).trim()));
  return isGiven ? await import("./model-inputs.ts") : null;
}
