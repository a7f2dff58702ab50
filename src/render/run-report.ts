// A run's report for whoever asks for it by its address: its state, its reply, its changes and its calls. Pure. Within a number
// of UTF-8 bytes: the oldest details are cut first, then the end of the reply.

import { SectionRoom } from "../base/bounded-text.ts";
import type { Parked, Run } from "../contract/runs/run.ts";
import type { Conclusion } from "../report/conclusion.ts";
import type { RunReport } from "../report/run-report.ts";
import { changesTable } from "./changes-table.ts";
import { egressSection } from "./egress-notes.ts";
import { costsSection, type EndContext, replySection, warningsSection, whySection } from "./end-sections.ts";
import { outcomeTitle, titleMarkdown } from "./outcome-title.ts";
import { parkedTitle } from "./parked-titles.ts";
import { planSection } from "./plan-section.ts";
import { parkedNote } from "./resumption-notes.ts";
import { summaryDetails } from "./summary-details.ts";

const CHANGES_PART = 1 / 4;

/** Markdown that ends with a newline, in about `maxBytes` at most. */
export function renderRunReport(
  report: RunReport,
  { run, maxBytes }: { readonly run: Run; readonly maxBytes: number },
): string {
  const room = new SectionRoom(maxBytes);
  const context = endContext(run);
  const title =
    context === null || parkedOf(run) !== undefined
      ? openTitle(run)
      : titleMarkdown(outcomeTitle(report, context));
  const head = room.take(`# ${title}`);
  const missing = room.take(warningsSection(report));
  const why = room.take(context === null ? "" : whySection(report, context));
  const costs = room.take(context === null ? "" : costsSection(report, context));
  const changes = room.take(
    changesTable(report.changes, { maxBytes: Math.floor(room.bytes * CHANGES_PART) }),
  );
  const egress = room.take(egressSection(report.egress));
  const reply = room.take(replySection(report, room.bytes - 2));
  const plan = room.take(planSection(report));
  const ids = { runId: run.id, sessionId: run.thread_id, agentId: run.agent_id };
  const details = room.take(summaryDetails(report, { ids, maxBytes: room.bytes - 2 }));
  const sections = [head, missing, why, costs, reply, changes, egress, plan, details];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function parkedOf(run: Run): Parked | undefined {
  return run.status === "running" ? run.parked : undefined;
}

function openTitle(run: Run): string {
  const parked = parkedOf(run);
  return parked === undefined ? `⏳ Run ${run.status}` : `⏸️ ${parkedTitle(parked.reason)}`;
}

/** Null while the run goes on. Nobody works on a parked run: it reads as one that has ended for what it waits for. */
function endContext(run: Run): EndContext | null {
  const facts = factsOf(run);
  if (facts === null) return null;
  const { credits, tokens } = run;
  const parked = parkedOf(run);
  const message = parked === undefined ? undefined : parkedNote(parked);
  const budget = "budget" in run ? run.budget : undefined;
  return {
    ...facts,
    message,
    creditsCharged: credits,
    creditsRemaining: null,
    tokens,
    budget,
    claimUrl: null,
  };
}

function factsOf(run: Run): { readonly conclusion: Conclusion; readonly reason: string } | null {
  switch (run.status) {
    case "running":
      return run.parked === undefined
        ? null
        : { conclusion: conclusionOf(run.parked.reason), reason: run.parked.reason };
    case "completed":
      return { conclusion: conclusionOf(run.stop_reason), reason: run.stop_reason };
    case "failed":
      return run.stop_reason === undefined
        ? { conclusion: "failure", reason: run.cause }
        : { conclusion: conclusionOf(run.stop_reason), reason: run.stop_reason };
    case "cancelled":
      return { conclusion: "cancelled", reason: run.cause };
    default:
      return null;
  }
}

/** Any other reason cut the run before its work was done. */
function conclusionOf(stopReason: string): Conclusion {
  if (stopReason === "insufficient_credits") return "quota";
  return ["end_turn", "question", "no_model"].includes(stopReason) ? "success" : "incomplete";
}
