// Readers of a run's page: its owner by the session, or whoever has a link to it, by the cookie that the link left. For
// everybody else it is not there.
// Why: docs/decisions/067-who-reads-a-run-page.md

import { getCookie, setCookie } from "hono/cookie";
import { isWellFormedSecret } from "../../../../../base/secret-token.ts";
import { runPagePath } from "../../../../core/run-views/run-page-url.ts";
import { findRunViewer } from "../../../../core/run-views/run-views.ts";
import { findRun, findStream, type StreamReader } from "../../../../core/runs/read-run.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { RUN_VIEW_PREFIX } from "../../../../core/runs/run-view.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { type FormPath, maySend } from "../../page-roles.ts";
import type { WebContext } from "../../web-context.ts";
import { sessionOf } from "../../web-session.ts";

const COOKIE = "run_view";

type RunAddress = { readonly agentId: string; readonly runId: string };

export type ReadableRun = {
  readonly run: RunRecord;
  readonly reader: StreamReader;
  /** The link's token, which the page's socket needs. Null for the owner. */
  readonly viewToken: string | null;
};

/** Null where there is no such run, where its events are gone, and where it is not for this reader. */
export async function findReadableRun(context: WebContext, address: RunAddress): Promise<ReadableRun | null> {
  const { core } = context.get("parts");
  const session = await sessionOf(context);
  if (session !== null) {
    const reader = personIn(session);
    const run = await findOwn(context, { ...address, reader });
    if (run !== null) return { run, reader, viewToken: null };
  }
  const viewToken = getCookie(context, COOKIE) ?? null;
  if (viewToken === null) return null;
  const viewer = await findRunViewer(core, viewToken);
  if (!viewer.ok) return null;
  const run = await findOwn(context, { ...address, reader: viewer.value });
  return run === null ? null : { run, reader: viewer.value, viewToken };
}

/** Whether the reader is signed in as its owner: nobody else may change anything. */
export function isOwn({ viewToken }: ReadableRun): boolean {
  return viewToken === null;
}

/** The record of a run of the reader's account whose request and events are deleted. Null where it is none. */
export async function findExpiredRun(
  context: WebContext,
  { agentId, runId }: RunAddress,
): Promise<RunRecord | null> {
  const session = await sessionOf(context);
  if (session === null) return null;
  const found = await findRun(context.get("parts").core, { caller: personIn(session), runId });
  return found.ok && found.value.agentId === agentId && found.value.hasExpired === true ? found.value : null;
}

/** Whether the reader is signed in to its account with a role that may send the form. */
export function maySendOwn({ reader }: Pick<ReadableRun, "reader">, path: FormPath): boolean {
  return reader.kind === "account" && maySend(reader, path);
}

async function findOwn(
  context: WebContext,
  { agentId, runId, reader }: RunAddress & { reader: StreamReader },
): Promise<RunRecord | null> {
  const found = await findStream(context.get("parts").core, { caller: reader, runId });
  return found.ok && found.value.agentId === agentId ? found.value : null;
}

/** Moves a link's token from the address into a cookie of this page; null where the address has none. */
export function takeViewToken(context: WebContext, address: RunAddress): Response | null {
  const token = context.req.query("view");
  if (token === undefined) return null;
  const path = runPagePath(address);
  if (isWellFormedSecret(RUN_VIEW_PREFIX, token)) {
    const { webUrl } = context.get("parts").core.policy;
    setCookie(context, COOKIE, token, {
      path,
      httpOnly: true,
      sameSite: "Lax",
      secure: webUrl.startsWith("https:"),
    });
  }
  context.header("Referrer-Policy", "no-referrer");
  context.header("Cache-Control", "private, no-store");
  context.header("X-Robots-Tag", "noindex");
  return context.redirect(path, 303);
}
