// The inputs of this step, from the runner.

import * as core from "@actions/core";
import type { Environment } from "../base/environment.ts";
import { givenInputs } from "./input-names.ts";
import { type Inputs, readInputs } from "./inputs.ts";
import { modelReadersFor } from "./model-readers.ts";

/** Rejects with InputError, which names each wrong one. */
export async function readActionInputs(env: Environment): Promise<Inputs> {
  const read = (name: string) => core.getInput(name);
  return readInputs({ read, names: givenInputs(env), models: await modelReadersFor(read) });
}
