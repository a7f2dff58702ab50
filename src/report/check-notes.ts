// Notes on the checks of a run's record: a few words for a title, a sentence for log, summary, comment and page. Pure. Commands
// are untrusted.

import { singleLine } from "../base/untrusted-text.ts";
import type { CheckKind, CheckResult, ChecksEvent } from "../contract/runs/checks.ts";
import type { RunReport } from "./run-report.ts";

const MAX_NAMED = 5;
const MAX_COMMAND_CHARS = 80;

const failedWords: Readonly<Record<CheckKind, string>> = {
  test: "tests fail",
  types: "the type check fails",
  lint: "the linter fails",
  build: "the build fails",
  check: "checks fail",
};

/** The failures of the checks since the last edit, the gravest alone: "tests fail". Null where none fails. */
export function failedChecksText({ checks }: Pick<RunReport, "checks">): string | null {
  const failed = failedIn(checks);
  const [first] = failed;
  if (first === undefined) return null;
  const kinds = new Set(failed.map(({ kind }) => kind));
  const order = Object.keys(failedWords) as CheckKind[];
  return failedWords[order.find((kind) => kinds.has(kind)) ?? first.kind];
}

/** One sentence. */
export function checksNote({ state, results }: ChecksEvent["value"]): string {
  if (state === "none") return "No check was executed since the last edit.";
  const failed = results.filter(hasFailed);
  if (failed.length === 0) return `Checks since the last edit passed: ${list(results.map(commandOf))}.`;
  return `Checks since the last edit failed, whatever the reply says: ${list(failed.map(failureOf))}.`;
}

/** A warning; null where no check fails. */
export function failedChecksNote({ checks }: Pick<RunReport, "checks">): string | null {
  return checks === null || failedIn(checks).length === 0 ? null : checksNote(checks);
}

function failedIn(checks: ChecksEvent["value"] | null): readonly CheckResult[] {
  return checks?.state === "failed" ? checks.results.filter(hasFailed) : [];
}

function hasFailed({ exit_code: code }: CheckResult): boolean {
  return code !== 0;
}

function commandOf({ command }: CheckResult): string {
  return singleLine(command, MAX_COMMAND_CHARS);
}

function failureOf(result: CheckResult): string {
  const { exit_code: code } = result;
  return `${commandOf(result)} (${code === null ? "ended at a limit" : `exit code ${code}`})`;
}

function list(texts: readonly string[]): string {
  const more = texts.length - MAX_NAMED;
  return [...texts.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
