// The flags of `agent-service run` for typed outputs, decoded as the Action decodes its input.

import { jobEnvironment } from "../ci/environment.ts";
import { UsageError } from "./flags.ts";
import type { RunFlags } from "./run-flags.ts";
import type { DeclaredOutputs } from "./run-outputs.ts";

/** In place of --outputs, so that the YAML has a place of its own in a job. */
const OUTPUTS_VARIABLE = "AGENT_SERVICE_OUTPUTS";

/** What the job writes for the run; null: nothing. Rejects with UsageError, with a line for each fault. */
export async function readOutputFlags({ outputs, issue, agent }: RunFlags): Promise<DeclaredOutputs | null> {
  const [name, text] =
    outputs === null ? [OUTPUTS_VARIABLE, jobEnvironment[OUTPUTS_VARIABLE]] : ["--outputs", outputs];
  if (text === undefined || text.trim() === "") {
    if (outputs === null && issue === null) return null;
    throw new UsageError(
      outputs === null
        ? "--issue is for --outputs: add what the job may write, or remove it."
        : "--outputs is empty: say what the job may write, or leave it out.",
    );
  }
  if (agent !== "built-in")
    throw new UsageError(`${name} is for the built-in agent: remove it, or --agent ${agent}.`);
  const { readOutputs } = await import("../job/outputs/read-outputs.ts");
  const declared = readOutputs(text);
  if (declared.ok) return { outputs: declared.value, issue };
  throw new UsageError(declared.refusal.join("\n").replaceAll('Input "outputs"', name));
}
