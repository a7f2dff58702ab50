// The forms that decide a changeset: use cases of the owner, and a redirect.

import { Hono } from "hono";
import * as z from "zod/mini";
import { type Result, refused } from "../../../../../base/result.ts";
import { acceptChangeset } from "../../../../core/workspaces/changesets/accept-changeset.ts";
import { rejectChangeset } from "../../../../core/workspaces/changesets/reject-changeset.ts";
import { resolveChangeset } from "../../../../core/workspaces/changesets/resolve-changeset.ts";
import { type Refusal, toProblem } from "../../../shared/problems/to-problem.ts";
import { readForm } from "../../form.ts";
import { notFoundPage } from "../../page.ts";
import type { WebContext, WebEnv } from "../../web-context.ts";
import { needRecent, needSession } from "../../web-session.ts";
import { changesetPage, patchDownload } from "./changeset-page.ts";
import { resolutionsOf } from "./conflict-section.ts";
import { MAX_EVIDENCE_CHARS, MAX_REASON_CHARS } from "./decision-fields.ts";
import { type OpenWorkspace, ofWorkspace, openWorkspace, workspacePath } from "./workspace-frame.ts";

/** With the texts that settle conflicts. */
const MAX_FORM_BYTES = 4_000_000;

const key = z.string().check(z.minLength(1), z.maxLength(100));
const decided = {
  key,
  expected_current_revision: z.uuid(),
  evidence: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_EVIDENCE_CHARS)),
};
const acceptSchema = z.object(decided);
const rejectSchema = z.object({
  key,
  reason: z._default(z.string().check(z.trim(), z.maxLength(MAX_REASON_CHARS)), ""),
});
const resolveSchema = z.looseObject(decided);

export function changesetRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  const path = "/workspace/:workspaceId/changesets/:changesetId";
  routes.get(
    path,
    ofWorkspace((context, opened) => changesetPage(context, opened)),
  );
  routes.get(`${path}/patch`, ofWorkspace(patchDownload));
  addForm(routes, `${path}/accept`, acceptSchema, async ({ context, request, form }) => {
    const { key: idempotencyKey, expected_current_revision, evidence } = form;
    const body = { expected_current_revision, validation_evidence: linesOf(evidence) };
    const { signal } = context.req.raw;
    return await acceptChangeset(context.get("parts").core, { ...request, body, idempotencyKey, signal });
  });
  addForm(routes, `${path}/resolve`, resolveSchema, async ({ context, request, form }) => {
    const { key: idempotencyKey, expected_current_revision, evidence } = form;
    const resolutions = resolutionsOf(form);
    if (!resolutions.ok) return refused(resolutions.refusal);
    const { signal } = context.req.raw;
    const validated = { expected_current_revision, validation_evidence: linesOf(evidence) };
    const body = { ...validated, resolutions: [...resolutions.value] };
    return await resolveChangeset(context.get("parts").core, { ...request, body, idempotencyKey, signal });
  });
  addForm(
    routes,
    `${path}/reject`,
    rejectSchema,
    async ({ context, request, form: { key: idempotencyKey, reason } }) => {
      const body = reason === "" ? {} : { reason: linesOf(reason) };
      return await rejectChangeset(context.get("parts").core, { ...request, body, idempotencyKey });
    },
  );
  return routes;
}

type Act<Form> = {
  readonly context: WebContext;
  readonly request: Pick<OpenWorkspace, "caller"> & {
    readonly workspaceId: string;
    readonly changesetId: string;
  };
  readonly form: Form;
};
/** A text is what hindered it. */
type Outcome = Promise<Result<unknown, string | Refusal>>;

function addForm<Schema extends z.ZodMiniType>(
  routes: Hono<WebEnv>,
  path: string,
  schema: Schema,
  act: (given: Act<z.output<Schema>>) => Outcome,
): void {
  routes.post(path, async (context: WebContext) => {
    const form = await readForm(context, schema, MAX_FORM_BYTES);
    // To reject takes less: an AI client may.
    const isFinal = form.ok && !path.endsWith("/reject");
    const session = isFinal ? await needRecent(context) : await needSession(context);
    const { workspaceId = "", changesetId = "" } = context.req.param() as Readonly<Record<string, string>>;
    const shown = `${workspacePath(encodeURIComponent(workspaceId))}/changesets/${encodeURIComponent(changesetId)}`;
    if (session instanceof Response) return backTo(context, { shown, answer: session });
    const opened = await openWorkspace(context, session);
    if (opened === null) return await notFoundPage(context, session);
    if (!form.ok) return await changesetPage(context, opened, form.refusal);
    const { caller } = opened;
    const request = { caller, workspaceId: opened.workspace.id, changesetId };
    const done = await act({ context, request, form: form.value });
    if (done.ok) return context.redirect(shown, 303);
    const { refusal } = done;
    return await changesetPage(
      context,
      opened,
      typeof refusal === "string" ? refusal : toProblem(refusal).message,
    );
  });
}

/** The page that has the form: at the form's own address there is none. */
function backTo(context: WebContext, { shown, answer }: { shown: string; answer: Response }): Response {
  const again = (answer.headers.get("location") ?? "").includes("again=1") ? "&again=1" : "";
  return context.redirect(`/sign-in?to=${encodeURIComponent(shown)}${again}`, 303);
}

/** Browsers send every end of a line as CRLF. */
function linesOf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
