// Skips a comment without a command, as most are, with nothing else loaded. Writes the runner's files and commands
// directly, where the rest of the Action uses @actions/core.

import { appendFileSync, readFileSync, writeSync } from "node:fs";
import type { Environment } from "../../base/environment.ts";
import { commentCommand } from "./comment-command.ts";
import { isCommentEvent, isNameable } from "./comment-event.ts";
import { Declined } from "./declined.ts";

const STDOUT = 1;

/**
 * True when the step is done. False leaves everything to the recipe: another event, a comment that may hold a command,
 * a step with `fail-on: skipped`, inputs or a payload that cannot be read.
 */
export function skipQuietly(env: Environment): boolean {
  const { GITHUB_EVENT_NAME: event = "", GITHUB_OUTPUT: outputs, GITHUB_STATE: state } = env;
  const phrase = env["INPUT_TRIGGER-PHRASE"]?.trim() || "/agent";
  const failsOnSkip = env["INPUT_FAIL-ON"]?.includes("skipped") === true;
  if (!isCommentEvent(event) || mayGoWithout(env, event) || failsOnSkip || !outputs || !state) return false;
  if (!/^[\w./@!:-]{2,50}$/.test(phrase)) return false;
  const declined = declinedComment(env, phrase);
  if (declined?.code !== "no_command") return false;
  appendFileSync(outputs, `conclusion=${declined.conclusion}\nreason=${declined.code}\n`);
  appendFileSync(state, "phase=concluded\n");
  // Not process.stdout: opening it takes longer than everything above.
  writeSync(STDOUT, `::notice::${declined.message}\n`);
  return true;
}

/** In doubt true: the recipe decides. */
function mayGoWithout(env: Environment, event: string): boolean {
  const { INPUT_MODE: mode = "", "INPUT_ALLOW-EVENTS": named = "" } = env;
  return isNameable(event) && (named.includes(event) || !/^\s*(run)?\s*$/.test(mode));
}

function declinedComment(env: Environment, phrase: string): Declined | null {
  try {
    const payload: unknown = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH ?? "", "utf8"));
    commentCommand(env.GITHUB_EVENT_NAME ?? "", payload, phrase);
    return null;
  } catch (error) {
    return error instanceof Declined ? error : null;
  }
}
