// Advice on continuing a parked run: by a comment of its thread, by the command, or on its page; and until when. Pure.

import type { Parked } from "../contract/runs/run.ts";
import { MAX_COST_LIMITS, MAX_TURN_TOKENS } from "./job-settings.ts";

export type Resuming = {
  /** The phrase of comments that go on with the run's session; null where no comments do. */
  readonly threadPhrase: string | null;
  /** Null where it is not known. */
  readonly runId: string | null;
  /** The run's page; null where it has none. */
  readonly pageUrl: string | null;
  /** Limits that the job asked for; null: the service's own. */
  readonly maxCostUsd: number | null;
  readonly maxTurnTokens: number | null;
};

/** Nobody knows more than the run. */
export function resumingOfRun(runId: string): Resuming {
  return { threadPhrase: null, runId, pageUrl: null, maxCostUsd: null, maxTurnTokens: null };
}

/** One sentence, and one more before it of a run that goes on by itself. */
export function wayToResume(parked: Parked, resuming: Resuming): string {
  const { next_try_at: at } = parked;
  const byHand = wayByHand(parked, resuming);
  if (at === undefined) return byHand;
  const time = `${at.slice(0, DATE_CHARS)} ${at.slice(DATE_CHARS + 1, TIME_END)} UTC`;
  return `It goes on by itself from ${time} on: run this job again after that to publish its result. ${byHand}`;
}

function wayByHand(parked: Parked, resuming: Resuming): string {
  const { threadPhrase: phrase, runId, pageUrl } = resuming;
  const isQuestion = parked.reason === "question";
  const [name, value] = limitOf(parked.reason, resuming) ?? [];
  const until = `until ${parked.until.slice(0, DATE_CHARS)}`;
  if (phrase !== null) {
    const limit = name === undefined ? "" : ` ${name} ${value}`;
    const reply = isQuestion ? `${phrase} <your answer>` : `${phrase} continue${limit}`;
    return `Reply with "${reply}" ${until}, and it goes on with what it has done.`;
  }
  const flag = isQuestion ? " --message '<your answer>'" : name === undefined ? "" : ` --${name} ${value}`;
  const page = pageUrl === null ? "" : " or continue it on its page";
  return `Execute "agent-service runs resume ${runId ?? "<run>"}${flag}"${page} ${until}, and it goes on with what it has done.`;
}

const DATE_CHARS = 10;
/** Of a time in ISO 8601, up to the minute. */
const TIME_END = 16;

/** The limit that has to be raised, as comments and the command name it, and twice what it was. */
function limitOf(
  reason: string,
  { maxCostUsd, maxTurnTokens }: Resuming,
): readonly [name: string, value: string] | null {
  switch (reason) {
    case "max_cost":
      return ["max-cost", doubled(maxCostUsd, MAX_COST_LIMITS.max)];
    case "max_tokens":
      return ["max-turn-tokens", doubled(maxTurnTokens, MAX_TURN_TOKENS)];
    default:
      return null;
  }
}

/** "N" where the limit is not known: it has to be higher than a default that this job was not told. */
function doubled(limit: number | null, max: number): string {
  return limit === null || limit === 0 ? "N" : String(Math.min(max, Math.round(limit * 200) / 100));
}
