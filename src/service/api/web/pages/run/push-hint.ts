// The line that says how the changes of a run that a person asked for are pushed: by a job of its repository, which attaches to it.

import { type Contents, el } from "../../../../../render/html/element.ts";
import type { RunReport } from "../../../../../report/run-report.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";

const INPUTS_ID = "attach-inputs";

type Pushed = {
  readonly run: RunRecord;
  readonly isInWorkspace: boolean;
  /** Null where its reader may do nothing of it. */
  readonly agent: Pick<Agent, "repository"> | null;
  readonly report: Pick<RunReport, "changes">;
};

/**
 * Null where it does not apply: a job asked for the run, or another run; it works in a workspace, or on no repository whose jobs can
 * attach; a job is delivering or has delivered it; or it ended and there is nothing to push.
 */
export function pushHint({ run, isInWorkspace, agent, report }: Pushed): Contents {
  const repository = agent?.repository ?? null;
  // Only the Action attaches.
  if (repository?.provider !== "github" || run.delivery !== null) return null;
  if (run.about?.event !== undefined || run.parentRunId !== null || isInWorkspace) return null;
  if (run.status === "failed" || run.status === "cancelled") return null;
  if (run.endedAt !== null && (report.changes?.files.length ?? 0) === 0) return null;
  const inputs = `with: { mode: attach, run-id: ${run.id}, changes: commit }`;
  return el(
    "p",
    { class: "hint", id: "attach" },
    "No job pushes what this run changes, unless a job of ",
    el("code", {}, repository.name),
    " attaches to it, by a step of the Action ",
    el("code", { id: INPUTS_ID }, inputs),
    " ",
    el(
      "button",
      { "data-copy": INPUTS_ID, hidden: true, "aria-label": "Copy the inputs of the step" },
      "Copy",
    ),
  );
}
