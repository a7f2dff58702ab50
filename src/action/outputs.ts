// The Action's outputs. All are set in every outcome, empty where there is nothing to say.

import * as core from "@actions/core";
import type { Delivery } from "../report/delivery.ts";
import type { PublishedFindings } from "../report/findings.ts";
import type { RunReport } from "../report/run-report.ts";
import type { Ending } from "./conclude.ts";

/** The code host takes 1 MB of outputs a job; the whole reply is in the reply file. */
const MAX_REPLY_BYTES = 256 * 1024;
const MAX_CHANGED_FILES_BYTES = 128 * 1024;

/** Writes the reply file and every output. */
export async function writeOutputs(options: Ending): Promise<void> {
  const { outcome, progress, verdict, claimUrl } = options;
  const { inputs, run, files, log } = progress;
  const ended = outcome.type === "ended" ? outcome.run : null;
  const reply = log?.reply() ?? "";
  const changes = log?.report.changes ?? null;
  const patchFile =
    files === null || changes === null || inputs?.changes === "none"
      ? ""
      : await files.writePatch(changes.patch);
  if (files !== null) await files.writeReply(reply);
  const outputs = {
    conclusion: verdict.conclusion,
    reason: verdict.reason,
    "run-id": run?.id ?? "",
    "run-url": run?.url ?? "",
    "session-id": run?.sessionId ?? "",
    reply: cutToBytes(reply, MAX_REPLY_BYTES),
    "structured-output": structuredOutput(log?.report.output ?? null),
    "reply-file": files?.replyPath ?? "",
    "events-file": files?.eventsPath ?? "",
    "claim-url": claimUrl ?? "",
    // Inside the job nobody is charged.
    credits: progress.embedded === null ? String(ended?.credits ?? "") : "",
    tokens: String(ended?.tokens ?? ""),
    "changed-files": pathList(changes?.files.map((file) => file.path) ?? []),
    "patch-file": patchFile,
    ...deliveryOutputs(progress.delivery),
    "comment-url": progress.commentUrl ?? "",
    findings: findingsCount(progress.findings),
  };
  for (const [name, value] of Object.entries(outputs)) core.setOutput(name, value);
}

function deliveryOutputs(
  delivery: Delivery | null,
): Record<"branch" | "commit-sha" | "pull-request-url", string> {
  const isThere = delivery?.type === "commit" || delivery?.type === "pull_request";
  return {
    branch: isThere ? delivery.branch : "",
    "commit-sha": isThere ? delivery.sha : "",
    "pull-request-url": delivery?.type === "pull_request" ? delivery.url : "",
  };
}

function findingsCount(findings: PublishedFindings | null): string {
  return findings === null ? "" : String(findings.found);
}

/** Whole or not at all: half of a JSON text is none. */
function structuredOutput(output: RunReport["output"]): string {
  if (output === null) return "";
  const json = JSON.stringify(output.value);
  return Buffer.byteLength(json) > MAX_REPLY_BYTES ? "" : json;
}

/** The longest beginning of at most `maxBytes` in UTF-8, never ending inside a character. Pure. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

/** A JSON array: a path may hold anything, a newline too. */
function pathList(paths: readonly string[]): string {
  let kept = paths.length;
  let json = JSON.stringify(paths);
  while (Buffer.byteLength(json) > MAX_CHANGED_FILES_BYTES) {
    kept = Math.floor(kept / 2);
    json = JSON.stringify(paths.slice(0, kept));
  }
  return json;
}
