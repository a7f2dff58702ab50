// A form on a run's page that its owner alone may send. For everybody else there is nothing here.

import type * as z from "zod/mini";
import type { Result } from "../../../../../base/result.ts";
import type { Contents } from "../../../../../render/html/element.ts";
import type { AccountCaller } from "../../../../core/accounts/caller.ts";
import { runPagePath } from "../../../../core/run-views/run-page-url.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import type { FaceParts } from "../../../http/face.ts";
import { readForm } from "../../form.ts";
import { notFoundPage } from "../../page.ts";
import type { WebContext } from "../../web-context.ts";
import { sessionOf } from "../../web-session.ts";
import { findExpiredRun, findReadableRun, isOwn, type ReadableRun } from "./run-reader.ts";

/** A character of a message may take nine bytes of a form. */
const MAX_FORM_BYTES = 128 * 1024;

/** The run's page, with what hindered the form that was sent. */
export type ShowRun = (
  context: WebContext,
  readable: ReadableRun,
  shown: { readonly alert: Contents; readonly typed?: string },
) => Promise<Response>;

/** What hindered a form, and the text that its sender would else have to write again. */
export type Hindrance = { readonly alert: Contents; readonly typed?: string };

type OwnForm<Form> = {
  /** As it was found. */
  readonly run: RunRecord;
  readonly caller: AccountCaller;
  readonly agentId: string;
  readonly runId: string;
  readonly form: Form;
};

/** `act` returns the path of the page that comes next, or what hindered it. */
export function ownForm<Schema extends z.ZodMiniType>(
  show: ShowRun,
  schema: Schema,
  act: (parts: FaceParts, sent: OwnForm<z.output<Schema>>) => Promise<Result<string, string | Hindrance>>,
): (context: WebContext) => Promise<Response> {
  return async (context) => {
    const { agentId = "", runId = "" } = context.req.param() as Readonly<Record<string, string>>;
    const session = await sessionOf(context);
    if (session === null) {
      const path = runPagePath({ agentId, runId });
      return context.redirect(`/sign-in?to=${encodeURIComponent(path)}`, 303);
    }
    const readable = await findReadableRun(context, { agentId, runId });
    // Its page says what has become of it.
    if (readable === null && (await findExpiredRun(context, { agentId, runId })) !== null)
      return context.redirect(runPagePath({ agentId, runId }), 303);
    if (readable === null || !isOwn(readable)) return await notFoundPage(context, session);
    const form = await readForm(context, schema, MAX_FORM_BYTES);
    if (!form.ok) return await show(context, readable, { alert: form.refusal });
    const sent = { caller: personIn(session), run: readable.run, agentId, runId, form: form.value };
    const done = await act(context.get("parts"), sent);
    if (done.ok) return context.redirect(done.value, 303);
    const { refusal } = done;
    return await show(context, readable, typeof refusal === "string" ? { alert: refusal } : refusal);
  };
}
