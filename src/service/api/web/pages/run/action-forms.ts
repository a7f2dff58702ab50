// The forms by which a run is cancelled, asked for once more, or gone on with, on its page.

import * as z from "zod/mini";
import { ok, type Result, refused } from "../../../../../base/result.ts";
import { MAX_ANSWER_FORM_CHARS } from "../../../../../render/run-page/parked-section.ts";
import { runPagePath } from "../../../../core/run-views/run-page-url.ts";
import { cancelRun } from "../../../../core/runs/cancel-run.ts";
import { repeatRun, sayNext } from "../../../../core/runs/repeat-run.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";
import type { WebContext } from "../../web-context.ts";
import { type Hindrance, ownForm, type ShowRun } from "./own-form.ts";
import { obstacleText } from "./run-actions.ts";

type Form = (context: WebContext) => Promise<Response>;

const key = z.string().check(z.minLength(1), z.maxLength(100));

/** Leads back to the run's page. Whoever cancels a run that somebody else has cancelled has what they want. */
export function cancelForm(show: ShowRun): Form {
  return ownForm(show, z.object({}), async ({ core }, { caller, agentId, runId }) => {
    const cancelled = await cancelRun(core, { caller, agentId, runId });
    if (cancelled.ok) return ok(runPagePath({ agentId, runId }));
    const { refusal } = cancelled;
    if (refusal.reason === "run_finished" && refusal.status === "cancelled")
      return ok(runPagePath({ agentId, runId }));
    return refused(`Nothing was cancelled. ${toProblem(refusal).message}`);
  });
}

/** Leads to the new run. */
export function retryForm(show: ShowRun): Form {
  return ownForm(show, z.object({ key }), async ({ core, submitter }, { caller, run, form }) =>
    toNewRun(run, await repeatRun(core, submitter, { caller, run, key: `web:${form.key}` })),
  );
}

/** Leads to the new run, or back, with what was written. */
export function nextForm(show: ShowRun): Form {
  const message = z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_ANSWER_FORM_CHARS));
  return ownForm(show, z.object({ key, message }), async ({ core, submitter }, { caller, run, form }) => {
    const said = { caller, run, key: `web:${form.key}`, message: form.message };
    const done = toNewRun(run, await sayNext(core, submitter, said));
    return done.ok ? done : refused({ ...done.refusal, typed: form.message });
  });
}

function toNewRun(run: RunRecord, submitted: Awaited<ReturnType<typeof sayNext>>): Result<string, Hindrance> {
  if (submitted.ok) return ok(runPagePath({ agentId: run.agentId, runId: submitted.value.runId }));
  const { refusal } = submitted;
  const why =
    refusal.reason === "obstacle" ? obstacleText(run, refusal.obstacle) : toProblem(refusal).message;
  return refused({ alert: ["There is no new run. ", why] });
}
