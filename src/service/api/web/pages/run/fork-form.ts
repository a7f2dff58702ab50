// The form by which the owner of a run forks it, on the run's page.

import * as z from "zod/mini";
import { forkRunRequestSchema } from "../../../../../contract/runs/run-requests.ts";
import { MAX_ANSWER_FORM_CHARS } from "../../../../../render/run-page/parked-section.ts";
import { runPagePath } from "../../../../core/run-views/run-page-url.ts";
import { forkRun } from "../../../../core/runs/fork-run.ts";
import { decode } from "../../../shared/decode.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";
import type { WebContext } from "../../web-context.ts";
import { ownForm, type ShowRun } from "./own-form.ts";

const MAX_TEXT_CHARS = 300;

/** An empty field says nothing. */
const textField = (maxChars: number) =>
  z.optional(
    z.pipe(
      z.string().check(z.trim(), z.maxLength(maxChars)),
      z.transform((text: string) => (text === "" ? undefined : text)),
    ),
  );

const formSchema = z.object({
  turn: z.pipe(z.string().check(z.maxLength(MAX_TEXT_CHARS)), z.transform(Number)),
  model: textField(MAX_TEXT_CHARS),
  message: textField(MAX_ANSWER_FORM_CHARS),
});

/** Leads to the page of the new run, or back to this one, which shows what hindered it. */
export function forkForm(show: ShowRun): (context: WebContext) => Promise<Response> {
  return ownForm(show, formSchema, async ({ core, submitter }, { form, ...asked }) => {
    const body = decode(forkRunRequestSchema, form, "The form");
    if (!body.ok) return { ok: false, refusal: body.refusal.message };
    const { idempotency_key: _noKey, ...rest } = body.value;
    const forked = await forkRun(core, submitter, { ...asked, body: rest, idempotencyKey: null });
    if (!forked.ok) return { ok: false, refusal: toProblem(forked.refusal).message };
    return { ok: true, value: runPagePath({ agentId: asked.agentId, runId: forked.value.runId }) };
  });
}
