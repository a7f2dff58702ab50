// The findings of a review, decoded from a reply as data, whatever schema the reply was made by. Pure.

import { isObject } from "../base/json.ts";
import { singleLine } from "../base/untrusted-text.ts";
import type { RunReport } from "./run-report.ts";

export const severities = ["error", "warning", "notice"] as const;
export type Severity = (typeof severities)[number];

/** The reply itself has them all. */
export const MAX_FINDINGS = 100;
const MAX_PATH_CHARS = 1_024;

/** Lines are those of the new file, both ends inclusive. The text is untrusted. */
export type Finding = {
  /** Relative to the repository's root, with slashes. */
  readonly path: string;
  readonly startLine: number;
  readonly line: number;
  readonly severity: Severity;
  readonly title: string;
  readonly body: string;
  /** Replaces those lines; "" removes them. Null: no suggestion. */
  readonly suggestion: string | null;
};

type ReviewReply = {
  /** Null where the reply has no list of findings, and is no review. */
  readonly findings: readonly Finding[] | null;
  readonly summary: string | null;
  /** The count of findings that are left out. */
  readonly dropped: number;
  /** Which ones, and why. */
  readonly faults: readonly string[];
};

/** A finding that an earlier review published, and that neither a change nor a person has settled. */
export type OpenFinding = Pick<Finding, "path" | "startLine" | "line" | "severity" | "title"> & {
  /** Its thread, or the review that has it. */
  readonly url: string;
};

/** A check run at the code host. `url` is null where it has no page. */
export type WrittenCheck = { readonly url: string | null; readonly conclusion: string };

/** The place where the findings were published, and what became of the findings of earlier reviews. */
export type PublishedFindings = {
  /** The new ones of this review. */
  readonly fresh: readonly Finding[];
  readonly annotated: number;
  readonly commented: number;
  /** Left out, as an earlier review of ours has them. */
  readonly repeated: number;
  /** At lines that the last review saw as they are: not published, and not counted. */
  readonly late: readonly Finding[];
  /** Not severe enough for a late round: neither published nor counted. */
  readonly minor: number;
  /** The review's address; null where there is none. */
  readonly reviewUrl: string | null;
  /** The check run; null where none was written. */
  readonly check: WrittenCheck | null;
  /** Found again at unchanged lines where a person has declined a finding: they do not gate. */
  readonly dismissed: number;
  /** Of earlier reviews. */
  readonly open: readonly OpenFinding[];
  /** What became of the others of earlier reviews, so far. */
  readonly closed: { readonly fixed: number; readonly declined: number; readonly withdrawn: number };
  /** Threads of closed findings that GitHub does not let the job resolve. */
  readonly unresolved: number;
  /** Why the earlier findings are not known, with what to do; null where they are. */
  readonly unread: string | null;
  /** The most severe of the new ones and of those still open, as far as this review is severer about them; null without any. */
  readonly worst: Severity | null;
};

/** The count of findings that nothing has settled. */
export function openCount({ fresh, open }: Pick<PublishedFindings, "fresh" | "open">): number {
  return fresh.length + open.length;
}

/** "2 open (1 new), 3 fixed, 1 withdrawn"; "" where no earlier review has left anything. */
export function convergence(published: PublishedFindings): string {
  const { fresh, open, closed } = published;
  return countsText({ new: fresh.length, open: open.length, ...closed });
}

type FindingCounts = PublishedFindings["closed"] & { readonly new: number; readonly open: number };

/** The same of their numbers: `open` are those of earlier reviews. */
export function countsText({ new: fresh, open, fixed, declined, withdrawn }: FindingCounts): string {
  if (open + fixed + declined + withdrawn === 0) return "";
  const now = fresh === 0 ? "" : ` (${fresh} new)`;
  const became = Object.entries({ fixed, declined, withdrawn }).filter(([, count]) => count > 0);
  return [`${fresh + open} open${now}`, ...became.map(([what, count]) => `${count} ${what}`)].join(", ");
}

/** Whether a gate at `threshold` stays shut. Earlier findings that are not known keep it shut, too. */
export function isShut(
  { worst, unread }: Pick<PublishedFindings, "worst" | "unread">,
  threshold: Severity | null,
): boolean {
  return reaches(worst, threshold) || (threshold !== null && unread !== null);
}

/** The most severe one; null of none. */
export function worstOf(findings: readonly { readonly severity: Severity }[]): Severity | null {
  return severities.find((severity) => findings.some((found) => found.severity === severity)) ?? null;
}

/** Whether one is as severe as `threshold`, or more. */
export function reaches(worst: Severity | null, threshold: Severity | null): boolean {
  if (worst === null || threshold === null) return false;
  return severities.indexOf(worst) <= severities.indexOf(threshold);
}

/** Unknown fields are ignored. */
export function readFindings(output: RunReport["output"]): ReviewReply {
  const reply = isObject(output?.value) ? output.value : null;
  const summary = typeof reply?.summary === "string" ? reply.summary : null;
  if (!Array.isArray(reply?.findings)) return { findings: null, summary, dropped: 0, faults: [] };
  const items: readonly unknown[] = reply.findings;
  const findings: Finding[] = [];
  const faults: string[] = [];
  const numbers = new Map<string, number>();
  for (const [index, item] of items.slice(0, MAX_FINDINGS).entries()) {
    const read = readFinding(item);
    const key = JSON.stringify(read);
    const earlier = numbers.get(key);
    if (typeof read === "string") faults.push(`No. ${index + 1}: ${read}`);
    else if (earlier !== undefined) faults.push(`No. ${index + 1}: it is No. ${earlier} again`);
    else {
      numbers.set(key, index + 1);
      findings.push(read);
    }
  }
  const beyond = items.length - MAX_FINDINGS;
  if (beyond > 0) faults.push(`${beyond} after the first ${MAX_FINDINGS}, the most that are taken`);
  return { findings, summary, dropped: items.length - findings.length, faults };
}

/** "1 error, 2 notices"; "" for none. */
export function severityCounts(findings: readonly { readonly severity: Severity }[]): string {
  return severities
    .map((severity) => ({ severity, count: findings.filter((found) => found.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${severity}${count === 1 ? "" : "s"}`)
    .join(", ");
}

/** "src/a.ts:3" or "src/a.ts:3-5". Untrusted. */
export function placeOf({ path, startLine, line }: Pick<Finding, "path" | "startLine" | "line">): string {
  return `${path}:${startLine === line ? line : `${startLine}-${line}`}`;
}

/** Returns a sentence that names the fault where the item is no finding. */
function readFinding(item: unknown): Finding | string {
  const fields = isObject(item) ? item : null;
  if (fields === null) return `it must be an object, got ${shown(item)}`;
  const { line, start_line: start = line, severity, title, body, suggestion = null } = fields;
  const path = typeof fields.path === "string" ? fields.path.replace(/^(\.\/)+/, "") : "";
  if (!isInside(path)) return `"path" must be a path inside the repository, got ${shown(fields.path)}`;
  if (!isLine(line)) return `"line" must be an integer from 1, got ${shown(line)}`;
  if (!(start === null || isLine(start)))
    return `"start_line" must be an integer from 1, got ${shown(start)}`;
  if (!isSeverity(severity))
    return `"severity" must be one of ${severities.join(", ")}, got ${shown(severity)}`;
  if (typeof title !== "string" || title.trim() === "")
    return `"title" must be a line of text, got ${shown(title)}`;
  if (typeof body !== "string") return `"body" must be a text, got ${shown(body)}`;
  if (!(suggestion === null || typeof suggestion === "string"))
    return `"suggestion" must be a text, got ${shown(suggestion)}`;
  const other = start ?? line;
  // Models swap the two: that is no reason to drop a finding.
  return {
    path,
    startLine: Math.min(other, line),
    line: Math.max(other, line),
    severity,
    title,
    body,
    suggestion,
  };
}

function isLine(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function isSeverity(value: unknown): value is Severity {
  return severities.some((severity) => severity === value);
}

function isInside(path: string): boolean {
  const isBounded = path !== "" && path.length <= MAX_PATH_CHARS && path.isWellFormed();
  return (
    isBounded && !/^\/|\/$|\p{Cc}/u.test(path) && !path.split("/").some((part) => /^(\.\.?)?$/.test(part))
  );
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : singleLine(JSON.stringify(value) ?? "nothing", 60);
}
