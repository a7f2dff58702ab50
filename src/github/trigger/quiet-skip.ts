// The step of a comment that asks for nothing, which most comments are: decided and concluded with nothing loaded but
// what decides it. Writes what a runner reads by itself, where the rest of the Action leaves that to @actions/core.

import { appendFileSync, readFileSync, writeSync } from "node:fs";
import type { Environment } from "../../ci/provider.ts";
import { Declined } from "./declined.ts";
import { isRemark, remarkCommand } from "./remark-command.ts";

const STDOUT = 1;

/**
 * True when the step is done. False leaves everything to the recipe: another event, a comment that may ask for
 * something, a step that is to fail where nothing ran, inputs or a payload that cannot be read.
 */
export function skipQuietly(env: Environment): boolean {
  const { GITHUB_EVENT_NAME: event = "", GITHUB_OUTPUT: outputs, GITHUB_STATE: state } = env;
  const phrase = env["INPUT_TRIGGER-PHRASE"]?.trim() || "/agent";
  const failsOnSkip = env["INPUT_FAIL-ON"]?.includes("skipped") === true;
  if (!isRemark(event) || failsOnSkip || !outputs || !state || !/^[\w./@!:-]{2,50}$/.test(phrase))
    return false;
  const declined = declinedRemark(env, phrase);
  if (declined?.code !== "no_command") return false;
  appendFileSync(outputs, `conclusion=${declined.conclusion}\nreason=${declined.code}\n`);
  appendFileSync(state, "phase=concluded\n");
  // Not by process.stdout: making it takes longer than all of this.
  writeSync(STDOUT, `::notice::${declined.message}\n`);
  return true;
}

function declinedRemark(env: Environment, phrase: string): Declined | null {
  try {
    const payload: unknown = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH ?? "", "utf8"));
    remarkCommand(env.GITHUB_EVENT_NAME ?? "", payload, phrase);
    return null;
  } catch (error) {
    return error instanceof Declined ? error : null;
  }
}
