// The form by which the owner of a parked run continues it, on the run's page.

import * as z from "zod/mini";
import { ok, type Result } from "../../../../../base/result.ts";
import { resumeRunRequestSchema } from "../../../../../contract/runs/run-requests.ts";
import { MAX_ANSWER_FORM_CHARS } from "../../../../../render/run-page/parked-section.ts";
import type { AccountCaller } from "../../../../core/accounts/caller.ts";
import { answerQuestion } from "../../../../core/questions/answer-question.ts";
import { runPagePath } from "../../../../core/run-views/run-page-url.ts";
import { givenBy, resumeRun } from "../../../../core/runs/continue-run.ts";
import type { FaceParts } from "../../../http/face.ts";
import { decode } from "../../../shared/decode.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";
import type { WebContext } from "../../web-context.ts";
import { ownForm, type ShowRun } from "./own-form.ts";

const MAX_NUMBER_CHARS = 20;

const numberText = z.optional(
  z.pipe(
    z.string().check(z.trim(), z.maxLength(MAX_NUMBER_CHARS)),
    z.transform((text: string) => (text === "" ? Number.NaN : Number(text))),
  ),
);

const formSchema = z.object({
  message: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_ANSWER_FORM_CHARS))),
  /** Only of an answer: which question it answers. */
  asked_at: z.optional(z.iso.datetime()),
  max_cost_usd: numberText,
  max_turn_tokens: numberText,
});
type ContinueForm = z.output<typeof formSchema>;

/** Leads back to the run's page, which shows what hindered it. */
export function continueForm(show: ShowRun): (context: WebContext) => Promise<Response> {
  return ownForm(show, formSchema, async (parts, sent) => {
    const continued = await continueRun(parts, sent);
    return continued.ok ? ok(runPagePath(sent)) : continued;
  });
}

type ContinueRequest = {
  readonly caller: AccountCaller;
  readonly agentId: string;
  readonly runId: string;
  readonly form: ContinueForm;
};

async function continueRun(
  { core, submitter }: FaceParts,
  { caller, agentId, runId, form }: ContinueRequest,
): Promise<Result<null, string>> {
  const { asked_at: askedAt, ...given } = form;
  const body = decode(resumeRunRequestSchema, given, "The form");
  if (!body.ok) return { ok: false, refusal: body.refusal.message };
  const { message } = body.value;
  const done =
    askedAt === undefined || message === undefined
      ? await resumeRun(core, { caller, agentId, runId, given: givenBy(body.value) })
      : await answerQuestion(core, submitter, {
          caller,
          runId,
          answer: message,
          askedAt: Date.parse(askedAt),
          mayPark: true,
        });
  return done.ok ? ok(null) : { ok: false, refusal: toProblem(done.refusal).message };
}
