// The outcome of a step, in a few words: the heading of the summary and of the comment, the last line of the log, the title of
// the annotation. Pure.

import { assertNever } from "../base/assert-never.ts";
import { byteLength } from "../base/bounded-text.ts";
import { failedChecksText } from "../report/check-notes.ts";
import type { Conclusion } from "../report/conclusion.ts";
import type { Delivery } from "../report/delivery.ts";
import { type Finding, type PublishedFindings, readFindings, worstOf } from "../report/findings.ts";
import { type RunReport, replyMessage } from "../report/run-report.ts";
import { escapeMarkdown, inlineCode, link, linkMarkdown } from "./markdown.ts";
import { plural } from "./quantities.ts";

export type OutcomeFacts = {
  readonly conclusion: Conclusion;
  /** One stable word: why. */
  readonly reason: string;
  readonly delivery?: Delivery | null | undefined;
  readonly findings?: PublishedFindings | null | undefined;
};

export type OutcomeTitle = {
  readonly icon: string;
  /** Plain text. A branch's name in it is untrusted. */
  readonly text: string;
  /** The same, with links. */
  readonly markdown: string;
};

/** Without a run the report is empty. */
export function outcomeTitle(report: RunReport, facts: OutcomeFacts): OutcomeTitle {
  const { conclusion, reason } = facts;
  const hasRun = report.state.status !== "unknown";
  switch (conclusion) {
    case "success":
      return withChecks(successTitle(report, facts), { report, facts });
    case "incomplete":
      return plain("⚠️", cutTitles.get(reason) ?? "Stopped before it was done");
    case "failure": {
      const found = reason === "findings_found" ? foundTitle(report, facts) : null;
      if (found !== null) return { ...found, icon: "❌" };
      if (reason === "checks_failed")
        return { ...withChecks(successTitle(report, facts), { report, facts }), icon: "❌" };
      return plain("❌", failureText(facts, hasRun));
    }
    case "cancelled":
      return plain("🛑", hasRun ? "The run was cancelled" : "Cancelled");
    case "skipped":
      return plain("⏭️", skippedTitles.get(reason) ?? "Skipped: no agent ran");
    case "quota":
      return plain("💳", quotaTitles.get(reason) ?? "Out of credits");
    case "detached":
      return plain("↗️", "The run goes on without this job");
    default:
      return assertNever(conclusion);
  }
}

/** As one line of a log. */
export function titleLine({ icon, text }: OutcomeTitle): string {
  return `${icon} ${text}`;
}

/** In Markdown, in at most a kilobyte: long names and addresses lose their links. */
export function titleMarkdown({ icon, text, markdown }: OutcomeTitle): string {
  const whole = `${icon} ${markdown}`;
  return byteLength(whole) > MAX_TITLE_BYTES ? `${icon} ${escapeMarkdown(text, MAX_CUT_CHARS)}` : whole;
}

const MAX_TITLE_BYTES = 1_000;
const MAX_CUT_CHARS = 120;

/** A reason may be any word that a service sends. */
const cutTitles: ReadonlyMap<string, string> = new Map([
  ["max_tokens", "Stopped at the token limit"],
  ["max_cost", "Stopped at the cost limit"],
  ["max_turns", "Stopped at the turn limit"],
  ["repeated_calls", "Stopped while it repeated itself"],
  ["length", "Stopped at the length limit of an answer"],
  ["content_filter", "Stopped by a content filter"],
  ["empty_answer", "Stopped without an answer"],
  ["credits", "Stopped when the credits ended"],
  ["time_limit", "Stopped at the time limit"],
  ["timeout", "Stopped at the time limit"],
  ["idle_timeout", "Stopped after a long silence"],
  ["poison", "Stopped after five lost workers"],
]);

const skippedTitles: ReadonlyMap<string, string> = new Map([
  ["no_model", "No model configured"],
  ["help", "The commands"],
  ["not_continued", "Nothing to continue"],
  ["limit_wrong", "Nothing was continued"],
]);

const quotaTitles: ReadonlyMap<string, string> = new Map([
  ["day_cap_reached", "The repository's cap a day is used up"],
  ["repository_private", "This repository needs a billing account"],
]);

const doneTitles: ReadonlyMap<string, string> = new Map([
  ["run_cancelled", "Cancelled what was in flight"],
  ["nothing_to_cancel", "Nothing to cancel"],
  ["examined", "No fault found"],
]);

const failureTitles: ReadonlyMap<string, string> = new Map([
  ["invalid_input", "Wrong inputs"],
  ["service_unavailable", "The service is unavailable"],
  ["faults_found", "Faults found"],
  ["findings_unread", "The earlier findings are not known"],
]);

function failureText({ reason, delivery }: OutcomeFacts, hasRun: boolean): string {
  if (delivery?.type === "kept") return "The changes were not pushed";
  return failureTitles.get(reason) ?? (hasRun ? "The agent failed" : "The step failed");
}

function successTitle(report: RunReport, { reason, delivery, findings }: OutcomeFacts): OutcomeTitle {
  if (reason === "question") return plain("❓", "The agent has a question");
  const done = doneTitles.get(reason);
  if (done !== undefined) return plain(DONE, done);
  if (delivery?.type === "commit") return pushedTitle(delivery);
  if (delivery?.type === "pull_request") return pullRequestTitle(delivery);
  const found = foundTitle(report, { findings });
  if (found !== null) return found;
  if (delivery?.type === "none") return plain(DONE, "No changes needed");
  const changed = report.changes?.files.length ?? 0;
  if (changed > 0) return plain(DONE, `Changed ${plural(changed, "file")}`);
  return plain(DONE, replyMessage(report) === null ? "Finished without an answer" : "Answered");
}

/** Of changes, whatever the reply says of them. */
function withChecks(
  title: OutcomeTitle,
  { report, facts: { reason, delivery } }: { readonly report: RunReport; readonly facts: OutcomeFacts },
): OutcomeTitle {
  const failed = failedChecksText(report);
  const hasChanges = (report.changes?.files.length ?? 0) > 0 && delivery?.type !== "none";
  if (failed === null || !hasChanges || title.icon !== DONE || doneTitles.has(reason)) return title;
  const { text, markdown } = title;
  return { icon: "⚠️", text: `${text}, ${failed}`, markdown: `${markdown}, ${failed}` };
}

const DONE = "✅";
/** The job passes, the code may not: a tick beside "1 error" would say both. */
const FOUND = "🔎";

function pushedTitle({ sha, branch, url }: Extract<Delivery, { type: "commit" }>): OutcomeTitle {
  const short = sha.slice(0, 7);
  return {
    icon: DONE,
    text: `Pushed ${short} to ${branch}`,
    markdown: `Pushed ${link(short, url)} to ${inlineCode(branch)}`,
  };
}

function pullRequestTitle({
  number,
  url,
  isNew,
  name = `pull request #${number}`,
}: Extract<Delivery, { type: "pull_request" }>): OutcomeTitle {
  const verb = isNew ? "Opened" : "Updated";
  return {
    icon: DONE,
    text: `${verb} ${name}`,
    // GitHub would make a link of its own of "#12".
    markdown: `${verb} ${linkMarkdown(name.replace("#", "&#35;"), url)}`,
  };
}

/** Null where the reply is no review, and earlier ones have left nothing open. */
function foundTitle(
  { output }: RunReport,
  { findings }: Pick<OutcomeFacts, "findings">,
): OutcomeTitle | null {
  const reply = readFindings(output).findings;
  const found = reply === null ? null : (findings?.fresh ?? reply);
  const open = findings?.open ?? [];
  if (found === null && open.length === 0) return null;
  const all = [...(found ?? []), ...open];
  const title = findingsTitle(all, findings?.reviewUrl ?? null);
  return all.length > open.length || open.length === 0 ? title : openTitle(title, open[0]?.url ?? "");
}

/** Nothing new: what is open is of earlier reviews. */
function openTitle({ icon, text }: OutcomeTitle, url: string): OutcomeTitle {
  return { icon, text: `${text} still open`, markdown: `${link(text, url)} still open` };
}

/** "3 findings, 1 error": how many, and how many of the worst kind. */
function findingsTitle(found: readonly Pick<Finding, "severity">[], reviewUrl: string | null): OutcomeTitle {
  const worst = worstOf(found);
  if (worst === null) return plain(DONE, "No findings");
  const ofWorst = found.filter(({ severity }) => severity === worst).length;
  const text =
    ofWorst === found.length
      ? plural(ofWorst, worst)
      : `${plural(found.length, "finding")}, ${plural(ofWorst, worst)}`;
  return { icon: FOUND, text, markdown: reviewUrl === null ? text : link(text, reviewUrl) };
}

/** Our own words: nothing in them is read as Markdown. */
function plain(icon: string, text: string): OutcomeTitle {
  return { icon, text, markdown: text };
}
