// A run as the tools answer with it: its fields, its agent's reply, its changes. Bounded. Pure.

import * as z from "zod/mini";
import { assertNever } from "../../../base/assert-never.ts";
import { byteLength, fitText } from "../../../base/bounded-text.ts";
import { visibleText } from "../../../base/untrusted-text.ts";
import { fileChangeSchema } from "../../../contract/runs/changes.ts";
import { isTerminal, type Run, runSchema } from "../../../contract/runs/run.ts";
import { plural } from "../../../render/quantities.ts";
import { modelCostText } from "../../../render/run-costs.ts";
import { type RunReport, replyMessage } from "../../../report/run-report.ts";
import { toRun } from "../shared/run-view.ts";
import { patchUri, runUri } from "./resource-uri.ts";
import type { Link, McpToolAnswer, Quoted } from "./tool.ts";
import type { WatchedRun } from "./watch-run.ts";

/** Of a reply and of an output, each, unless a call asks for more: a client's model reads all of it. */
export const DEFAULT_REPLY_BYTES = 10_000;
const MAX_FILES = 40;
const MAX_PATH_CHARS = 200;
const MAX_FAILURE_CHARS = 1_000;

const bytesSchema = z.optional(z.int());

/** `*_omitted_bytes` are absent where the text is whole. */
export const runResultFields = {
  run: runSchema,
  reply: z.nullable(z.string()),
  reply_omitted_bytes: bytesSchema,
  output: z.optional(z.unknown()),
  output_omitted_bytes: bytesSchema,
  changes: z.optional(
    z.object({
      base_sha: z.string(),
      files: z.array(fileChangeSchema),
      files_omitted: z.optional(z.int()),
      patch_uri: z.string(),
    }),
  ),
  question: z.optional(z.object({ question: z.string(), choices: z.array(z.string()) })),
  failure: z.optional(z.string()),
  report_uri: z.string(),
  /** The tool to call next: present until the run has ended. */
  next: z.optional(z.enum(["get_run_result", "answer_question", "resume_run"])),
};
export const runResultSchema = z.object(runResultFields);
type RunResult = z.infer<typeof runResultSchema>;

export type RunAnswer = Extract<McpToolAnswer<RunResult>, { readonly type: "answer" }>;

/** `isError` for a run that failed: its reply, where it has one, is that of unfinished work. */
export function runAnswer(watched: WatchedRun, { maxBytes = DEFAULT_REPLY_BYTES } = {}): RunAnswer {
  const { report } = watched;
  const run = toRun(watched.run);
  const question = asksNow(run) ? report.question : null;
  const reply = replyOf(report, maxBytes);
  const output = outputOf(report, maxBytes);
  const hasEnded = isTerminal(run.status);
  const failure =
    report.state.status === "failed" ? visibleText(report.state.message).slice(0, MAX_FAILURE_CHARS) : null;
  const structured: RunResult = {
    run,
    reply: reply?.text ?? null,
    ...(reply === null || reply.omitted === 0 ? {} : { reply_omitted_bytes: reply.omitted }),
    ...output,
    ...changesOf(report, run.id),
    ...(question === null ? {} : { question: { question: question.question, choices: question.choices } }),
    ...(failure === null ? {} : { failure }),
    report_uri: runUri(run.id),
    ...(hasEnded ? {} : { next: nextTool(run) }),
  };
  const label = hasEnded ? "What the agent replied." : "What the agent has said so far.";
  const quoted: readonly Quoted[] = reply === null ? [] : [{ label, text: reply.text }];
  return {
    type: "answer",
    structured,
    text: textOf(run, structured),
    quoted,
    links: linksOf(structured),
    ...(run.status === "failed" ? { isError: true } : {}),
  };
}

/** A question that was answered is in the report still. */
function asksNow(run: Run): boolean {
  const reason =
    run.status === "running" ? run.parked?.reason : "stop_reason" in run ? run.stop_reason : null;
  return reason === "question";
}

function nextTool(run: Run): NonNullable<RunResult["next"]> {
  if (run.status !== "running" || run.parked === undefined) return "get_run_result";
  return run.parked.reason === "question" ? "answer_question" : "resume_run";
}

/** The run's state, in a word or two. */
export function stateText(run: Run): string {
  return run.status === "running" && run.parked !== undefined ? `parked (${run.parked.reason})` : run.status;
}

function replyOf(report: RunReport, maxBytes: number): { text: string; omitted: number } | null {
  const message = replyMessage(report);
  if (message === null) return null;
  const whole = visibleText(message.text);
  const text = fitText(whole, maxBytes, (head) => head) ?? "";
  return { text, omitted: byteLength(whole) - byteLength(text) };
}

function outputOf(
  { output }: RunReport,
  maxBytes: number,
): Pick<RunResult, "output" | "output_omitted_bytes"> {
  if (output === null) return {};
  const bytes = byteLength(JSON.stringify(output.value));
  return bytes <= maxBytes ? { output: output.value } : { output_omitted_bytes: bytes };
}

function changesOf({ changes }: RunReport, runId: string): Pick<RunResult, "changes"> {
  if (changes === null || changes.files.length === 0) return {};
  const { base_sha, files } = changes;
  const shown = files
    .slice(0, MAX_FILES)
    .map((file) => ({ ...file, path: visibleText(file.path).slice(0, MAX_PATH_CHARS) }));
  const more = files.length - shown.length;
  return {
    changes: {
      base_sha,
      files: shown,
      ...(more === 0 ? {} : { files_omitted: more }),
      patch_uri: patchUri(runId),
    },
  };
}

function textOf(run: Run, result: RunResult): string {
  const lines = [`Run ${run.id} of session ${run.thread_id}: ${stateText(run)}.`];
  if (result.failure !== undefined) lines.push(`It failed: ${result.failure}`);
  const { credits, tokens } = run;
  if (credits !== null)
    lines.push(
      `It was charged ${plural(credits, "credit")}${tokens === null ? "" : ` and used ${plural(tokens, "token")}`}.`,
    );
  const cost = "budget" in run ? modelCostText(run.budget) : null;
  if (cost !== null) lines.push(`Its models cost ${cost}.`);
  if (result.changes !== undefined) {
    const count = result.changes.files.length + (result.changes.files_omitted ?? 0);
    lines.push(
      `It changed ${count} ${count === 1 ? "file" : "files"}; the patch is ${result.changes.patch_uri}.`,
    );
  }
  if (result.question !== undefined && result.next === undefined) {
    lines.push("It ended with a question to the user. Invoke the agent with the answer and this session_id.");
  }
  if (result.reply_omitted_bytes !== undefined || result.output_omitted_bytes !== undefined) {
    lines.push("Not all of it is here: ask get_run_result with a larger max_reply_bytes.");
  }
  if (result.next !== undefined) lines.push(nextText(run, result.next));
  return lines.join("\n");
}

function nextText(run: Run, next: NonNullable<RunResult["next"]>): string {
  const parked = run.status === "running" ? run.parked : undefined;
  const waits =
    parked === undefined
      ? ""
      : `Nobody works on it until it goes on; it ends by itself on ${parked.until.slice(0, 10)}. ${parked.how_to_continue} `;
  switch (next) {
    case "get_run_result":
      return `It goes on. Call get_run_result with run_id ${run.id} to wait for it.`;
    case "answer_question":
      return `It asks the user a question. ${waits}Ask the user, and call answer_question with run_id ${run.id}.`;
    case "resume_run":
      return `${waits}${parked?.next_try_at === undefined ? "Ask" : "To try at once, ask"} the user, and call resume_run with run_id ${run.id}.`;
    default:
      return assertNever(next);
  }
}

function linksOf({ report_uri, changes }: RunResult): readonly Link[] {
  return [
    { uri: report_uri, name: "The run's report", mimeType: "text/markdown" },
    ...(changes === undefined
      ? []
      : [{ uri: changes.patch_uri, name: "The run's patch", mimeType: "text/x-diff" }]),
  ];
}
