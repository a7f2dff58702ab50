// The status comment on an issue or a pull request: the progress of the run, then the reply, its deliveries, and its costs.
// Deterministic. Pure.

import { SectionRoom } from "../base/bounded-text.ts";
import type { RunReport, ToolCall } from "../report/run-report.ts";
import { approvalSection } from "./approval-notes.ts";
import { attemptsSection } from "./attempts.ts";
import { changesTable } from "./changes-table.ts";
import { egressSection } from "./egress-notes.ts";
import {
  claimSection,
  costsSection,
  type EndContext,
  replySection,
  unseenSection,
  warningsSection,
  whySection,
} from "./end-sections.ts";
import { findingsSection } from "./findings-table.ts";
import { inlineCode, link } from "./markdown.ts";
import { outcomeTitle, titleMarkdown } from "./outcome-title.ts";
import { planSection } from "./plan-section.ts";
import { plural } from "./quantities.ts";

/** GitHub refuses a comment of more than 65,536 characters. */
const MAX_COMMENT_BYTES = 65_536;
const MARKER_BYTES = 1_024;

const MAX_SHOWN_CALLS = 8;
const CHANGES_PART = 1 / 3;
const FINDINGS_PART = 1 / 2;

export type CommentContext = {
  /** The page of the workflow run, where the log is. */
  readonly jobUrl: string;
  readonly runId: string | null;
  /** The run's page on the service. Not there: it has none. */
  readonly runUrl?: string | null;
  /** The longest comment, with its marker. Left out: GitHub's. */
  readonly maxBytes?: number | undefined;
};

export type EndedContext = CommentContext &
  EndContext & {
    /** The login of who asked, to be told; null for nobody. The only mention that a comment can hold. */
    readonly mention?: string | null | undefined;
  };

/** The comment of a run that has not ended. The report is null before the run begins. */
export function renderProgress(report: RunReport | null, context: CommentContext): string {
  const hasBegun = report !== null && report.state.status !== "unknown";
  const title = hasBegun
    ? "⏳ **The agent is at work**"
    : "🕓 **The agent was asked, and waits for its turn**";
  const sections = [
    [title, link("log", context.jobUrl), ...pageLinks(context)].join(" · "),
    ...(report === null ? [] : [planSection(report), doneSection(report)]),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

/** The comment of a run that ended, within its bound. Without a run the report is empty. */
export function renderEnd(report: RunReport, context: EndedContext): string {
  const room = new SectionRoom((context.maxBytes ?? MAX_COMMENT_BYTES) - MARKER_BYTES - 1);
  const title = room.take(`**${titleMarkdown(outcomeTitle(report, context))}**`);
  const unseen = room.take(unseenSection(context));
  const missing = room.take(warningsSection(report));
  const why = room.take(whySection(report, context));
  const claim = room.take(claimSection(report, context));
  const facts = room.take(factsSection(report, context));
  const attempts = room.take(attemptsSection(report.attempts));
  const findings = room.take(
    findingsSection(report, {
      published: context.findings ?? null,
      maxBytes: Math.floor(room.bytes * FINDINGS_PART),
      links: context.links,
    }),
  );
  const changes = room.take(
    changesTable(report.changes, { maxBytes: Math.floor(room.bytes * CHANGES_PART), links: context.links }),
  );
  const egress = room.take(egressSection(report.egress));
  const approvals = room.take(approvalSection(report.approvals));
  const reply = room.take(replySection(report, room.bytes - 2));
  const sections = [
    unseen,
    missing,
    title,
    why,
    reply,
    attempts,
    findings,
    changes,
    egress,
    approvals,
    claim,
    facts,
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function pageLinks({ runUrl = null }: CommentContext): readonly string[] {
  return runUrl === null ? [] : [link("live", runUrl)];
}

/** The latest tool calls, oldest first. */
function doneSection({ calls }: RunReport): string {
  const shown = calls.slice(-MAX_SHOWN_CALLS);
  const before = calls.length - shown.length;
  return [...(before === 0 ? [] : [`- ${plural(before, "earlier tool call")}`]), ...shown.map(callLine)].join(
    "\n",
  );
}

function callLine({ title, result, hasFailed }: ToolCall): string {
  const mark = hasFailed ? "❌" : "✔️";
  return `- ${result === null ? "⏳" : mark} ${inlineCode(title)}`;
}

function factsSection(report: RunReport, context: EndedContext): string {
  const { runId, runUrl = null } = context;
  const name = runId === null ? "" : `run ${inlineCode(runId)}`;
  const run = runId === null || runUrl === null ? name : `${link("the run", runUrl)} ${inlineCode(runId)}`;
  const asker = typeof context.mention === "string" ? `@${context.mention}` : "";
  const facts = [asker, costsSection(report, context), link("log", context.jobUrl), run];
  return `<sub>${facts.filter((fact) => fact !== "").join(" · ")}</sub>`;
}
