// The request of the command "continue": the limits that it raises, and the text for the agent. Pure.

import { ok, type Result, refused } from "../../base/result.ts";
import { dollars, integer } from "../../base/settings/kinds.ts";
import type { Kind } from "../../base/settings/setting.ts";
import { MAX_COST_LIMITS, MAX_TURN_TOKENS } from "../../job/job-settings.ts";

type Continuation = {
  /** Of the whole run. Null: the workflow's own. */
  readonly maxCostMicroUsd: number | null;
  /** Of the whole run. Null: the workflow's own. */
  readonly maxTurnTokens: number | null;
  /** The rest of the comment. May be empty. */
  readonly text: string;
};

const limits = {
  "max-cost": dollars(MAX_COST_LIMITS),
  "max-turn-tokens": integer({ min: 1, max: MAX_TURN_TOKENS }),
} as const satisfies Readonly<Record<string, Kind<number>>>;
type Limit = keyof typeof limits;
const limitNames = ["max-cost", "max-turn-tokens"] as const satisfies readonly Limit[];

/** Reads the text after the verb: limits first, as in "max-cost 5 max-turn-tokens 200000", then text. Refused: what is wrong. */
export function readContinuation(request: string): Result<Continuation, string> {
  const given: Record<Limit, number | null> = { "max-cost": null, "max-turn-tokens": null };
  for (let rest = request.trim(); ; ) {
    const [word, after] = cutWord(rest);
    const name = limitNames.find((limit) => word === limit || word === `${limit}:`);
    if (name === undefined) {
      const { "max-cost": maxCostMicroUsd, "max-turn-tokens": maxTurnTokens } = given;
      return ok({ maxCostMicroUsd, maxTurnTokens, text: rest });
    }
    const [value, following] = cutWord(after);
    const { allowed, decode } = limits[name];
    const read = decode(value.startsWith("$") ? value.slice(1) : value);
    if (!read.ok) {
      const got = value === "" ? "nothing" : JSON.stringify(value.slice(0, MAX_SHOWN_CHARS));
      return refused(`"${name}" must be ${allowed}, got ${got}.`);
    }
    given[name] = read.value;
    rest = following;
  }
}

const MAX_SHOWN_CHARS = 40;

/** The first word, and what follows it. */
function cutWord(text: string): readonly [string, string] {
  const end = text.search(/\s/);
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end).trimStart()];
}
