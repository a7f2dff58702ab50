// A form on a run's page that its owner alone may send. For everybody else there is nothing here.

import type * as z from "zod/mini";
import type { Result } from "../../../../../base/result.ts";
import type { AccountCaller } from "../../../../core/accounts/caller.ts";
import { runPagePath } from "../../../../core/run-views/run-page-url.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import type { FaceParts } from "../../../http/face.ts";
import { readForm } from "../../form.ts";
import { notFoundPage } from "../../page.ts";
import type { WebContext } from "../../web-context.ts";
import { sessionOf } from "../../web-session.ts";
import { findReadableRun, isOwn, type ReadableRun } from "./run-reader.ts";

/** A character of a message may take nine bytes of a form. */
const MAX_FORM_BYTES = 128 * 1024;

/** The run's page, with what hindered the form that was sent. */
export type ShowRun = (
  context: WebContext,
  readable: ReadableRun,
  shown: { readonly alert: string | null },
) => Promise<Response>;

type OwnForm<Form> = {
  readonly caller: AccountCaller;
  readonly agentId: string;
  readonly runId: string;
  readonly form: Form;
};

/** `act` returns the path of the page that comes next, or what hindered it. */
export function ownForm<Schema extends z.ZodMiniType>(
  show: ShowRun,
  schema: Schema,
  act: (parts: FaceParts, sent: OwnForm<z.output<Schema>>) => Promise<Result<string, string>>,
): (context: WebContext) => Promise<Response> {
  return async (context) => {
    const { agentId = "", runId = "" } = context.req.param() as Readonly<Record<string, string>>;
    const session = await sessionOf(context);
    if (session === null) {
      const path = runPagePath({ agentId, runId });
      return context.redirect(`/sign-in?to=${encodeURIComponent(path)}`, 303);
    }
    const readable = await findReadableRun(context, { agentId, runId });
    if (readable === null || !isOwn(readable)) return await notFoundPage(context, session);
    const form = await readForm(context, schema, MAX_FORM_BYTES);
    if (!form.ok) return await show(context, readable, { alert: form.refusal });
    const sent = { caller: personIn(session), agentId, runId, form: form.value };
    const done = await act(context.get("parts"), sent);
    if (done.ok) return context.redirect(done.value, 303);
    return await show(context, readable, { alert: done.refusal });
  };
}
