// The job summary and the body of a comment: what a person should see first, then the rest, folded. Pure.
// Within a number of UTF-8 bytes: the oldest details go first, then the end of the reply.

import { assertNever } from "../base/assert-never.ts";
import { byteLength, fitText } from "./bounded-text.ts";
import { changesTable } from "./changes-table.ts";
import { inertMarkdown } from "./inert-markdown.ts";
import { escapeMarkdown, inlineCode, link } from "./markdown.ts";
import { countText, durationText } from "./quantities.ts";
import { elapsedMs, type RunReport, replyMessage } from "./run-report.ts";
import { summaryDetails } from "./summary-details.ts";

/** GitHub refuses a step's summary past 1 MiB; masked secrets may lengthen it after us. */
export const DEFAULT_SUMMARY_BYTES = 1_048_576 - 16_384;
/** The least that a summary can be made to fit. */
export const MIN_SUMMARY_BYTES = 2_048;

export type Conclusion = "success" | "failure" | "cancelled" | "skipped" | "quota" | "detached";

/** What the run's events do not say. */
export type SummaryContext = {
  readonly conclusion: Conclusion;
  /** One stable word: why. */
  readonly reason: string;
  /** One sentence for people: what happened and what to do. */
  readonly message?: string | undefined;
  /** One more, for a run of any end: what it went without. */
  readonly note?: string | undefined;
  readonly repository: string;
  readonly sha: string;
  readonly agentId?: string | undefined;
  readonly runId?: string | undefined;
  readonly runUrl?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly creditsCharged: number | null;
  readonly creditsRemaining: number | null;
  readonly tokens: number | null;
  readonly claimUrl: string | null;
  readonly pullRequestUrl?: string | null | undefined;
  /** At least `MIN_SUMMARY_BYTES`. */
  readonly maxBytes: number;
};

/** The table of files takes at most this part of the room, so that the reply has a place. */
const CHANGES_PART = 1 / 4;
const MAX_MESSAGE_BYTES = 600;
const MAX_NAME_BYTES = 240;
const REPLY_CUT = "*The reply is cut here. The whole of it is in the reply file.*";

/** Markdown that ends with a newline, in at most `context.maxBytes`. A run that never was has an empty report. */
export function renderSummary(report: RunReport, context: SummaryContext): string {
  if (context.maxBytes < MIN_SUMMARY_BYTES) {
    throw new RangeError(`A summary takes at least ${MIN_SUMMARY_BYTES} bytes, got ${context.maxBytes}.`);
  }
  let roomBytes = context.maxBytes - 1;
  /** A section and the blank line after it, or "" when it does not fit. */
  const take = (section: string): string => {
    const bytes = section === "" ? 0 : byteLength(section) + 2;
    if (bytes > roomBytes) return "";
    roomBytes -= bytes;
    return section;
  };
  // Taken in the order of weight, shown in the order of reading.
  const verdict = take(`## ${verdictTitle(context)}`);
  const why = take(whySection(report, context));
  const note = take(noteSection(context));
  const claim = take(claimSection(report, context));
  const pullRequest = take(pullRequestSection(context));
  const costs = take(costsSection(report, context));
  const where = take(whereSection(context));
  const changes = take(changesTable(report.changes, Math.floor(roomBytes * CHANGES_PART)));
  const reply = take(replySection(report, roomBytes - 2));
  const details = take(summaryDetails(report, { ids: context, maxBytes: roomBytes - 2 }));
  const facts = [costs, where].filter((section) => section !== "").join(" · ");
  const sections = [verdict, why, note, facts, claim, pullRequest, reply, changes, details];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function verdictTitle({ conclusion, reason }: SummaryContext): string {
  switch (conclusion) {
    case "success":
      return "✅ The agent has finished";
    case "failure":
      return "❌ The agent failed";
    case "cancelled":
      return "🛑 The run was cancelled";
    case "skipped":
      return "⏭️ Skipped: no agent ran";
    case "quota":
      return reason === "repository_private" ? "💳 This repository needs a payer" : "💳 Out of credits";
    case "detached":
      return "↗️ The run goes on without this job";
    default:
      return assertNever(conclusion);
  }
}

/** The sentence for people and the word for programs. A success needs neither. */
function whySection(report: RunReport, context: SummaryContext): string {
  const said = context.message ?? (report.state.status === "failed" ? report.state.message : "");
  const message = fitText(said, MAX_MESSAGE_BYTES, (head) => escapeMarkdown(head)) ?? "";
  if (context.conclusion === "success") return message;
  const reason = fitText(context.reason, MAX_NAME_BYTES, inlineCode) ?? "";
  return message === "" ? `Reason: ${reason}` : `${message} (${reason})`;
}

function noteSection({ note = "" }: SummaryContext): string {
  const text = fitText(note, MAX_MESSAGE_BYTES, (head) => escapeMarkdown(head)) ?? "";
  return text === "" ? "" : `> ${text}`;
}

function replySection(report: RunReport, maxBytes: number): string {
  const reply = replyMessage(report);
  if (reply === null) return "";
  const inert = inertMarkdown(reply.text, Math.max(0, maxBytes - byteLength(REPLY_CUT) - 2));
  return [inert.text, inert.wasCut ? REPLY_CUT : ""].filter((text) => text !== "").join("\n\n");
}

function pullRequestSection(context: SummaryContext): string {
  const url = context.pullRequestUrl ?? "";
  const number = /\/(?:pull|merge_requests)\/(\d+)\/?$/.exec(url)?.[1];
  return url === "" ? "" : `**Pull request** ${link(number === undefined ? url : `No. ${number}`, url)}`;
}

function costsSection(report: RunReport, context: SummaryContext): string {
  const charged = context.creditsCharged;
  const left = context.creditsRemaining ?? report.quota?.credits_remaining ?? null;
  const credits = [
    ...(charged === null ? [] : [`${countText(charged)} charged`]),
    ...(left === null ? [] : [`${countText(left)} left`]),
  ];
  const tookMs = elapsedMs(report);
  return [
    ...(credits.length === 0 ? [] : [`**Credits** ${credits.join(", ")}`]),
    ...(context.tokens === null ? [] : [`**Tokens** ${countText(context.tokens)}`]),
    ...(tookMs === null ? [] : [`**Time** ${durationText(tookMs)}`]),
  ].join(" · ");
}

function claimSection(report: RunReport, context: SummaryContext): string {
  const url = context.claimUrl ?? report.quota?.claim_url ?? null;
  return url === null ? "" : `${link("Claim this agent", url)} to give it an account and credits of its own.`;
}

function whereSection(context: SummaryContext): string {
  const repository = fitText(context.repository, MAX_NAME_BYTES, inlineCode) ?? "";
  const place = `${repository} at ${inlineCode(context.sha.slice(0, 7))}`;
  if (context.runUrl === undefined) return place;
  return `${place} · ${link("the run", context.runUrl)}`;
}
