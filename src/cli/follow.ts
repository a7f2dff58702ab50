// agent-service follow: prints a run as it goes, for people or as NDJSON, until it has ended.

import type { Client, Run } from "../client/client.ts";
import { RunLog } from "../render/log-parts.ts";
import { ndjsonLine } from "../render/ndjson.ts";
import { PlainLog } from "../render/plain-log.ts";
import { openClient, serviceFlags } from "./account.ts";
import { readFlags, readWholeNumber, takeArguments } from "./flags.ts";

/** Resolves to the exit code: 0 when the run completed, 1 when it failed or was cancelled. */
export async function follow(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, { ...serviceFlags, after: { type: "string" } });
  const [runId = ""] = takeArguments("follow <run>", positionals);
  const after = readWholeNumber(values.after, { name: "--after", min: 0, max: Number.MAX_SAFE_INTEGER });
  const format = values.json === true ? "ndjson" : "text";
  return await followToEnd(openClient(values), { runId, format, ...(after === undefined ? {} : { after }) });
}

/** Prints every event of a run after the cursor. Resolves to the exit code. */
export async function followToEnd(
  client: Pick<Client, "runs">,
  options: {
    readonly runId: string;
    readonly format: "text" | "ndjson";
    readonly after?: number;
    readonly signal?: AbortSignal;
    /** What is said at the end of what it cost. Credits too, unless told: where nobody pays, they say nothing. */
    readonly costs?: "credits" | "tokens";
  },
): Promise<number> {
  const { format, costs = "credits", ...follow } = options;
  const log = new RunLog();
  const plain = new PlainLog();
  const events = client.runs.follow(follow)[Symbol.asyncIterator]();
  for (;;) {
    const next = await events.next();
    if (next.done === true) {
      if (format === "text") process.stdout.write(`${costText(next.value, costs)}\n`);
      return next.value.status === "completed" ? 0 : 1;
    }
    if (format === "ndjson") process.stdout.write(ndjsonLine(next.value));
    else for (const line of plain.lines(log.add(next.value))) process.stdout.write(`${line}\n`);
  }
}

function costText(run: Run, costs: "credits" | "tokens"): string {
  const credits = run.credits === null ? "unknown credits" : `${run.credits} credits`;
  return [
    run.status,
    ...(costs === "credits" ? [credits] : []),
    ...(run.tokens === null ? [] : [`${run.tokens} tokens`]),
  ].join(", ");
}
