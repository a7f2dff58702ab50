// The job summary: the most important first, the details folded. Pure.
// Within a number of UTF-8 bytes: the oldest details are cut first, then the end of the reply.

import { fitText, SectionRoom } from "../base/bounded-text.ts";
import type { Attestation } from "../report/attestation.ts";
import type { RunReport } from "../report/run-report.ts";
import type { WrittenOutputs } from "../report/written-outputs.ts";
import { approvalSection } from "./approval-notes.ts";
import { attemptsSection } from "./attempts.ts";
import { attestationSection } from "./attestation-note.ts";
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
import { outputsSection } from "./outputs-section.ts";
import { planSection } from "./plan-section.ts";
import { summaryDetails } from "./summary-details.ts";

/** GitHub refuses a step's summary past 1 MiB; masking secrets may lengthen it later. */
export const DEFAULT_SUMMARY_BYTES = 1_048_576 - 16_384;
/** The smallest bound that a summary can be cut to. */
export const MIN_SUMMARY_BYTES = 2_048;

/** The facts that the run's events do not have. */
export type SummaryContext = EndContext & {
  readonly repository: string;
  readonly sha: string;
  readonly agentId?: string | undefined;
  readonly runId?: string | undefined;
  readonly runUrl?: string | undefined;
  readonly sessionId?: string | undefined;
  /** What the job wrote for the run. */
  readonly outputs?: WrittenOutputs | null | undefined;
  /** What came of the statement about the pushed commit. */
  readonly attestation?: Attestation | null | undefined;
  readonly commentUrl?: string | null | undefined;
  /** At least `MIN_SUMMARY_BYTES`. */
  readonly maxBytes: number;
};

/** The table of files takes at most this part of the room, so that there is room for the reply. */
const CHANGES_PART = 1 / 4;
const FINDINGS_PART = 1 / 2;
const MAX_NAME_BYTES = 240;

/** Markdown that ends with a newline, in at most `context.maxBytes`. Without a run the report is empty. */
export function renderSummary(report: RunReport, context: SummaryContext): string {
  if (context.maxBytes < MIN_SUMMARY_BYTES) {
    throw new RangeError(`A summary takes at least ${MIN_SUMMARY_BYTES} bytes, got ${context.maxBytes}.`);
  }
  const room = new SectionRoom(context.maxBytes - 1);
  // Taken by importance, shown in reading order.
  const title = room.take(`## ${titleMarkdown(outcomeTitle(report, context))}`);
  const unseen = room.take(unseenSection(context));
  const missing = room.take(warningsSection(report));
  const why = room.take(whySection(report, context));
  const claim = room.take(claimSection(report, context));
  const costs = room.take(costsSection(report, context));
  const where = room.take(whereSection(context));
  const attestation = room.take(attestationSection(context.attestation ?? null));
  const outputs = room.take(outputsSection(context.outputs ?? null));
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
  const plan = room.take(planSection(report));
  const details = room.take(summaryDetails(report, { ids: context, maxBytes: room.bytes - 2 }));
  const facts = [costs, where].filter((section) => section !== "").join(" · ");
  const sections = [
    title,
    unseen,
    missing,
    why,
    facts,
    attestation,
    claim,
    reply,
    attempts,
    outputs,
    findings,
    changes,
    egress,
    approvals,
    plan,
    details,
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function whereSection(context: SummaryContext): string {
  const repository = fitText(context.repository, MAX_NAME_BYTES, inlineCode) ?? "";
  const place = `${repository} at ${inlineCode(context.sha.slice(0, 7))}`;
  const { runUrl, commentUrl } = context;
  return [
    place,
    ...(runUrl === undefined ? [] : [link("the run", runUrl)]),
    ...(commentUrl === undefined || commentUrl === null ? [] : [link("the comment", commentUrl)]),
  ].join(" · ");
}
