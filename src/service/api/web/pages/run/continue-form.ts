// The form by which the owner of a parked run continues it, on the run's page.

import * as z from "zod/mini";
import { ok, type Result } from "../../../../../base/result.ts";
import { resumeRunRequestSchema } from "../../../../../contract/runs/run-requests.ts";
import { MAX_ANSWER_FORM_CHARS } from "../../../../../render/run-page/parked-section.ts";
import type { AccountCaller } from "../../../../core/accounts/caller.ts";
import { answerQuestion } from "../../../../core/questions/answer-question.ts";
import { runPagePath } from "../../../../core/run-views/run-page-url.ts";
import { givenBy, resumeRun } from "../../../../core/runs/continue-run.ts";
import { ownerOf } from "../../../../core/web-sessions/web-sessions.ts";
import type { FaceParts } from "../../../http/face.ts";
import { decode } from "../../../shared/decode.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";
import { readForm } from "../../form.ts";
import { notFoundPage } from "../../page.ts";
import type { WebContext } from "../../web-context.ts";
import { sessionOf } from "../../web-session.ts";
import { findReadableRun, isOwn, type ReadableRun } from "./run-reader.ts";

/** A character of a message may take nine bytes of a form. */
const MAX_FORM_BYTES = 128 * 1024;
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

type ShowPage = (
  context: WebContext,
  readable: ReadableRun,
  shown: { readonly alert: string | null },
) => Promise<Response>;

/** Leads back to the run's page, which shows what hindered it. For everybody but the owner there is nothing here. */
export function continueForm(show: ShowPage): (context: WebContext) => Promise<Response> {
  return async (context) => {
    const { agentId = "", runId = "" } = context.req.param() as Readonly<Record<string, string>>;
    const path = runPagePath({ agentId, runId });
    const session = await sessionOf(context);
    if (session === null) return context.redirect(`/sign-in?to=${encodeURIComponent(path)}`, 303);
    const readable = await findReadableRun(context, { agentId, runId });
    if (readable === null || !isOwn(readable)) return await notFoundPage(context, session);
    const form = await readForm(context, formSchema, MAX_FORM_BYTES);
    if (!form.ok) return await show(context, readable, { alert: form.refusal });
    const request = { caller: ownerOf(session), agentId, runId, form: form.value };
    const continued = await continueRun(context.get("parts"), request);
    if (continued.ok) return context.redirect(path, 303);
    return await show(context, readable, { alert: continued.refusal });
  };
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
