// agent-service follow: prints a run as it goes, for people or as NDJSON, until it has ended.

import { integer } from "../base/settings/kinds.ts";
import type { Client, Run } from "../client/client.ts";
import { RunLog } from "../render/log-parts.ts";
import { ndjsonLine } from "../render/ndjson.ts";
import { outcomeTitle, titleLine } from "../render/outcome-title.ts";
import { PlainLog } from "../render/plain-log.ts";
import { costParts } from "../render/run-costs.ts";
import { RunReportFold } from "../report/fold-run.ts";
import { openClient, serviceFlags } from "./account.ts";
import { command } from "./command.ts";
import { anyText, argument, valueFlag } from "./flags.ts";
import { verdictForReader } from "./run-conclusion.ts";

export const follow = command({
  summary: "Print a run as it goes, until it ends or is parked.",
  notes: [
    "With --json, prints one event a line. Ends with 0 when the run did its work, asks a question, or no model was there to do it.",
  ],
  arguments: { run: argument(anyText, "The run's id.") },
  flags: {
    ...serviceFlags,
    after: valueFlag({
      kind: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      fallback: null,
      takes: "<n>",
      description: "Only events after this sequence number.",
    }),
  },
  examples: ["follow <run>", "follow <run> --json --after 12"],
  run: async ({ arguments: { run: runId }, flags }) => {
    const format = flags.json ? "ndjson" : "text";
    const after = flags.after === null ? {} : { after: flags.after };
    return await followToEnd(openClient(flags), { runId, format, ...after });
  },
});

/** Prints every event of a run after the cursor. Resolves to the exit code. */
export async function followToEnd(
  client: Pick<Client, "runs">,
  options: {
    readonly runId: string;
    readonly format: "text" | "ndjson";
    readonly after?: number;
    readonly signal?: AbortSignal;
  },
): Promise<number> {
  const { format, ...query } = options;
  const log = new RunLog();
  const fold = new RunReportFold();
  const plain = new PlainLog();
  const events = client.runs.follow({ ...query, untilParked: true })[Symbol.asyncIterator]();
  for (;;) {
    const next = await events.next();
    if (next.done === true) {
      const verdict = verdictForReader(next.value, null);
      const title = titleLine(outcomeTitle(fold.report, verdict));
      if (format === "text") process.stdout.write(`${[title, ...costParts(next.value)].join(", ")}\n`);
      if (isParked(next.value)) process.stderr.write(`${verdict.message}\n`);
      return verdict.conclusion === "success" || verdict.conclusion === "skipped" ? 0 : 1;
    }
    fold.add(next.value);
    if (format === "ndjson") process.stdout.write(ndjsonLine(next.value));
    else for (const line of plain.lines(log.add(next.value))) process.stdout.write(`${line}\n`);
  }
}

function isParked(run: Run): boolean {
  return run.status === "running" && run.parked !== undefined;
}
