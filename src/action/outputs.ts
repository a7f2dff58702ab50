// The Action's outputs. All are set in every outcome, empty where there is no value.

import * as core from "@actions/core";
import { type RunFacts, runFacts } from "../job/ending.ts";
import type { Delivery } from "../report/delivery.ts";
import { openCount, type PublishedFindings } from "../report/findings.ts";
import type { RunReport } from "../report/run-report.ts";
import type { ActionEnding } from "./action-types.ts";

/** GitHub accepts 1 MB of outputs a job; the whole reply is in the reply file. */
const MAX_REPLY_BYTES = 256 * 1024;
const MAX_CHANGED_FILES_BYTES = 128 * 1024;

/** Writes the reply file, the patch file and every output. */
export async function writeOutputs(ending: ActionEnding, commentUrl: string | null): Promise<void> {
  const { verdict, claimUrl, delivery, attestation, findings } = ending;
  const { run, report, reply, creditsCharged, tokens } = runFacts(ending);
  const outputs = {
    conclusion: verdict.conclusion,
    reason: verdict.reason,
    "run-id": run?.id ?? "",
    "run-url": run?.url ?? "",
    "run-api-url": run?.apiUrl ?? "",
    "session-id": run?.sessionId ?? "",
    reply: cutToBytes(reply, MAX_REPLY_BYTES),
    "structured-output": structuredOutput(report.output),
    ...(await writeFiles(ending, { report, reply })),
    "claim-url": claimUrl ?? "",
    credits: String(creditsCharged ?? ""),
    tokens: String(tokens ?? ""),
    "changed-files": pathList(report.changes?.files.map((file) => file.path) ?? []),
    ...deliveryOutputs(delivery),
    "attestation-url": attestation?.type === "attested" ? attestation.url : "",
    "comment-url": commentUrl ?? "",
    findings: findingsCount(findings),
    checks: report.checks?.state ?? "",
  };
  for (const [name, value] of Object.entries(outputs)) core.setOutput(name, value);
}

/** Paths of the files; empty for those that are not there. */
async function writeFiles(
  { progress }: ActionEnding,
  { report, reply }: Pick<RunFacts, "report" | "reply">,
): Promise<Record<"reply-file" | "events-file" | "patch-file", string>> {
  if (progress.phase !== "following") return { "reply-file": "", "events-file": "", "patch-file": "" };
  const { files } = progress.log;
  const isWanted = report.changes !== null && progress.settings.inputs.changes !== "none";
  const patchFile = isWanted ? await files.writePatch(report.changes.patch) : "";
  await files.writeReply(reply);
  return { "reply-file": files.replyPath, "events-file": files.eventsPath, "patch-file": patchFile };
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
  return findings === null ? "" : String(openCount(findings));
}

/** Whole or empty: a cut JSON text is useless. */
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

/** A JSON array: a path may contain any character, a newline too. */
function pathList(paths: readonly string[]): string {
  let kept = paths.length;
  let json = JSON.stringify(paths);
  while (Buffer.byteLength(json) > MAX_CHANGED_FILES_BYTES) {
    kept = Math.floor(kept / 2);
    json = JSON.stringify(paths.slice(0, kept));
  }
  return json;
}
