// A run that waits for an answer or ended with a question, and what it asked.
// Why: docs/decisions/060-a-question-ends-the-run.md, 141-a-run-is-parked.md

import { QUESTION_EVENT, runEventSchema } from "../../../contract/runs/run-event.ts";
import type { StoreReader } from "../ports/store.ts";
import type { RunRecord } from "../runs/run-record.ts";

/** The question comes near the end: after it there are the changes, the output, hosts and credits. */
const LAST_EVENTS = 30;

export type RunQuestion = {
  readonly run: RunRecord;
  readonly text: string;
  readonly choices: readonly string[];
};

/** When the run was parked with its question, or ended with it. */
export function askedAt({ parked, endedAt, submittedAt }: RunRecord): number {
  return parked?.since ?? endedAt ?? submittedAt;
}

/** Null where the run asked nothing, or its events are not kept any more. */
export async function readQuestion(
  { events }: Pick<StoreReader, "events">,
  run: RunRecord,
): Promise<RunQuestion | null> {
  if (run.stopReason !== "question" || run.hasExpired === true) return null;
  const after = Math.max(0, run.lastSeq - LAST_EVENTS);
  const last = await events.list({ runId: run.id, after, limit: LAST_EVENTS });
  for (const { json } of last.toReversed()) {
    // Most of them are not read: a patch may be large.
    if (!json.includes(`"${QUESTION_EVENT}"`)) continue;
    const event = runEventSchema.safeParse(JSON.parse(json));
    if (event.success && event.data.type === "CUSTOM" && event.data.name === QUESTION_EVENT) {
      const { question, choices } = event.data.value;
      return { run, text: question, choices };
    }
  }
  return null;
}
