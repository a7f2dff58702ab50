// The account itself: its id, when it was opened, and its name, which owners and admins give it.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { accountNameSchema, MAX_ACCOUNT_NAME_CHARS } from "../../../../../contract/account.ts";
import { changeAccountName, readAccount } from "../../../../core/accounts/account-name.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { decode } from "../../../shared/decode.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";
import { readForm } from "../../form.ts";
import { formFor } from "../../page-roles.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";
import { settingsPage } from "./settings-page.ts";

const PATH = "/settings/account";
const nameForm = z.object({ name: z.string().check(z.trim()) });

export function accountRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get(PATH, async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await accountPage(context, session);
  });

  routes.post(PATH, async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, nameForm);
    if (!form.ok) return await accountPage(context, session, { alert: form.refusal });
    const { name: sent } = form.value;
    const name = decode(z.nullable(accountNameSchema), sent === "" ? null : sent, "The name");
    if (!name.ok) return await accountPage(context, session, { alert: name.refusal.message, sent });
    const request = { caller: personIn(session), name: name.value, requestId: context.get("requestId") };
    const changed = await changeAccountName(context.get("parts").core, request);
    if (changed.ok) return context.redirect(PATH, 303);
    return await accountPage(context, session, { alert: toProblem(changed.refusal).message });
  });

  return routes;
}

type Shown = {
  readonly alert?: string;
  /** What was refused. */
  readonly sent?: string;
};

async function accountPage(context: WebContext, session: WebSession, shown: Shown = {}): Promise<Response> {
  const { id, name, createdAt } = await readAccount(context.get("parts").core, session);
  const { alert, sent = name ?? "" } = shown;
  const body = html`${alert === undefined ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
<dl>
${name === null ? "" : html`<dt>Name</dt><dd dir="auto"><strong>${name}</strong></dd>`}
<dt>Id</dt><dd><code>${id}</code></dd>
<dt>Opened</dt><dd>${timeText(createdAt)}</dd>
</dl>
<h2>Name</h2>
${formFor(session, { path: PATH, what: "name it", form: () => nameField(sent) })}`;
  const status = alert === undefined ? 200 : 422;
  return await settingsPage(context, { tab: "account", session, body, status });
}

function nameField(value: string): Html {
  return html`<form method="post" action="${PATH}">
<label for="name">What its people call it</label>
<input id="name" name="name" value="${value}" maxlength="${MAX_ACCOUNT_NAME_CHARS}" dir="auto" autocomplete="organization" placeholder="no name" aria-describedby="name-hint">
<p class="hint" id="name-hint">Shown beside the id to people in the account, to whoever is invited, and to whoever allows an application; the operator of this service sees it, too. Left empty, the id is shown alone.</p>
<div class="actions"><button class="main">Save name</button></div>
</form>`;
}
