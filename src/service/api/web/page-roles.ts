// The least role that each form of the pages takes, and the pages that are not for everybody in an account. Beside the roles of
// the routes of the API: what a form does is what its route does.

import type { MiddlewareHandler } from "hono";
import { html } from "hono/html";
import { matchedRoutes } from "hono/route";
import { isAtLeast, type Role, roles } from "../../../contract/roles.ts";
import { needRole } from "../../core/accounts/caller.ts";
import { personIn } from "../../core/web-sessions/web-sessions.ts";
import { toProblem } from "../shared/problems/to-problem.ts";
import { page } from "./page.ts";
import type { Html, WebContext, WebEnv } from "./web-context.ts";
import { sessionOf } from "./web-session.ts";

/** By the path of the form. "anybody": for whoever signs in or out, and for what is a person's own. */
export const formRoles = {
  "/": "admin",
  "/accounts": "anybody",
  "/agent/:agentId/access": "admin",
  "/agent/:agentId/advisor": "admin",
  "/agent/:agentId/audiences": "admin",
  "/agent/:agentId/delete": "admin",
  "/agent/:agentId/grants": "admin",
  "/agent/:agentId/policy": "admin",
  "/agent/:agentId/questions/:runId": "member",
  "/agent/:agentId/runs": "member",
  "/agent/:agentId/runs/:runId/cancel": "member",
  "/agent/:agentId/runs/:runId/fork": "member",
  "/agent/:agentId/runs/:runId/next": "member",
  "/agent/:agentId/runs/:runId/resume": "member",
  "/agent/:agentId/runs/:runId/retry": "member",
  "/agent/:agentId/schedules/cancel": "member",
  "/agent/:agentId/workflows/activate": "admin",
  "/agent/:agentId/workflows/run": "member",
  "/approve/:approvalId": "admin",
  "/claim/:token": "admin",
  "/invitation/:token": "anybody",
  "/settings/account": "admin",
  "/settings/apps/revoke": "viewer",
  "/settings/connections": "admin",
  "/settings/connections/disconnect": "admin",
  "/settings/identities/remove": "anybody",
  "/settings/keys": "admin",
  "/settings/keys/revoke": "admin",
  "/settings/members/change": "admin",
  "/settings/members/invite": "admin",
  "/settings/members/remove": "viewer",
  "/settings/members/withdraw": "admin",
  "/settings/passkeys": "anybody",
  "/settings/passkeys/options": "anybody",
  "/settings/passkeys/remove": "anybody",
  "/settings/sessions/end": "anybody",
  "/settings/sessions/end-others": "anybody",
  "/sign-in": "anybody",
  "/sign-in/claim/:token": "admin",
  "/sign-in/link/:token": "anybody",
  "/sign-in/passkey": "anybody",
  "/sign-in/passkey/options": "anybody",
  "/sign-out": "anybody",
  "/workspace/:workspaceId/changesets/:changesetId/accept": "admin",
  "/workspace/:workspaceId/changesets/:changesetId/reject": "member",
  "/workspace/:workspaceId/changesets/:changesetId/resolve": "admin",
  "/workspaces": "member",
} as const satisfies Readonly<Record<string, Role | "anybody">>;

export type FormPath = keyof typeof formRoles;
type Holder = { readonly role: Role };

/** Whether somebody of that role may send the form: pages show it to nobody else. */
export function maySend({ role }: Holder, path: FormPath): boolean {
  const needed = formRoles[path];
  return needed === "anybody" || isAtLeast(role, needed);
}

/** For whoever may not: who may. `what` goes on with the sentence: "start runs". */
export function whoMay({ role }: Holder, path: FormPath, what: string): string {
  const needed = formRoles[path];
  const allowed = roles.filter((one) => needed === "anybody" || isAtLeast(one, needed));
  // As British English lists them: without a comma before the last.
  const names = new Intl.ListFormat("en-GB").format(allowed.map((one) => `${one}s`));
  return `${names[0]?.toUpperCase()}${names.slice(1)} of this account ${what}. Your role is ${role}.`;
}

/** Pages that show what not everybody in an account may see. */
const pageRoles: Readonly<Record<string, Role>> = { "/settings/keys": "admin" };

/** The form for whoever may send it; for others, who may. */
export function formFor(
  holder: Holder,
  { path, what, form }: { readonly path: FormPath; readonly what: string; readonly form: () => Html },
): Html {
  return maySend(holder, path) ? form() : html`<p class="faint">${whoMay(holder, path, what)}</p>`;
}

/** Refuses whoever is signed in with a lesser role. Who is not signed in is led there by the page. A form without a role is refused. */
export const refuseLesserRoles: MiddlewareHandler<WebEnv> = async (context, next) => {
  const needed = roleOf(context);
  if (needed === "anybody") return await next();
  const session = await sessionOf(context);
  if (session === null) return await next();
  const held = needRole(personIn(session), needed);
  if (held.ok) return await next();
  const { message } = toProblem(held.refusal);
  const body = html`<h1>Your role may not do this</h1>
<p>${message}</p>
<p><a href="/">Your agents</a></p>`;
  return page(context, { title: "Refused", body, session, status: 403, isNarrow: true });
};

function roleOf(context: WebContext): Role | "anybody" {
  const { method } = context.req;
  const paths = matchedRoutes(context)
    .filter((route) => route.method === method)
    .map(({ path }) => path);
  if (method === "POST") {
    const known: Readonly<Record<string, Role | "anybody">> = formRoles;
    return known[paths[0] ?? ""] ?? "owner";
  }
  return paths.map((path) => pageRoles[path]).find((role) => role !== undefined) ?? "anybody";
}
