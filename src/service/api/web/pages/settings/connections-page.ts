// The account's connections with MCP servers: listed, made by signing in there, renewed the same way, ended.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import {
  CALLBACK_PATH,
  CLIENT_DOCUMENT_PATH,
  clientDocument,
} from "../../../../core/connections/addresses.ts";
import { beginConnection, finishConnection, type LeadOut } from "../../../../core/connections/connect.ts";
import { signInText } from "../../../../core/connections/connection.ts";
import {
  disconnect,
  listConnections,
  type ShownConnection,
} from "../../../../core/connections/connections.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";
import { accountOf, accountText } from "../../account-text.ts";
import { readForm } from "../../form.ts";
import { formFor, maySend, whoMay } from "../../page-roles.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needSession, sessionOf } from "../../web-session.ts";
import { connectRefusalText } from "./connection-texts.ts";
import { settingsPage } from "./settings-page.ts";

const PATH = "/settings/connections";
const MAX_NAME_CHARS = 32;
const MAX_URL_CHARS = 2048;

const connectForm = z.object({
  name: z.string().check(z.trim(), z.maxLength(200)),
  url: z.string().check(z.trim(), z.maxLength(MAX_URL_CHARS)),
});
const disconnectForm = z.object({ name: z.string().check(z.maxLength(200)) });

export function connectionsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  // What authorization servers read of us: the same for everybody, and nothing of an account.
  routes.get(CLIENT_DOCUMENT_PATH, (context) => {
    context.header("cache-control", "public, max-age=3600");
    return context.json(clientDocument(context.get("parts").core.policy));
  });

  routes.get(PATH, async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const made = context.req.query("connected");
    if (made !== undefined) return await connectionsPage(context, session, { made });
    // As `agent-service connections add` has it. Nothing is asked of the server before somebody presses the button.
    const { name = "", server: serverUrl = "" } = context.req.query();
    const isShort = name.length <= MAX_NAME_CHARS && serverUrl.length <= MAX_URL_CHARS;
    return await connectionsPage(context, session, isShort ? { filled: { name, serverUrl } } : {});
  });

  routes.post(PATH, async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, connectForm);
    if (!form.ok) return await connectionsPage(context, session, { alert: form.refusal });
    const { name, url: serverUrl } = form.value;
    const begun = await beginConnection(context.get("parts").core, { session, name, serverUrl });
    if (begun.ok) return await leadOutPage(context, session, { name, serverUrl, out: begun.value });
    const alert = connectRefusalText(begun.refusal);
    return await connectionsPage(context, session, { alert, filled: { name, serverUrl } });
  });

  routes.get(CALLBACK_PATH, async (context) => {
    const session = await sessionOf(context);
    // Not back to this address: what is in it is of no use in another session.
    if (session === null) return context.redirect(`/sign-in?to=${encodeURIComponent(PATH)}`, 303);
    if (!maySend(session, PATH)) {
      const alert = whoMay(session, PATH, "connect MCP servers");
      return await connectionsPage(context, session, { alert });
    }
    const { state, iss, code, error, error_description: description } = context.req.query();
    const query = { state, iss, code, error, description };
    const requestId = context.get("requestId");
    const finished = await finishConnection(context.get("parts").core, { session, query, requestId });
    if (finished.ok)
      return context.redirect(`${PATH}?connected=${encodeURIComponent(finished.value.name)}`, 303);
    context.get("log")().info({ reason: finished.refusal.reason }, "no connection was made");
    return await connectionsPage(context, session, { alert: connectRefusalText(finished.refusal) });
  });

  routes.post(`${PATH}/disconnect`, async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, disconnectForm);
    if (!form.ok) return await connectionsPage(context, session, { alert: form.refusal });
    const request = { caller: personIn(session), requestId: context.get("requestId") };
    const ended = await disconnect(context.get("parts").core, { ...request, name: form.value.name });
    if (!ended.ok)
      return await connectionsPage(context, session, { alert: toProblem(ended.refusal).message });
    const { name } = ended.value.connection;
    return await connectionsPage(context, session, { ended: { name, isRevoked: ended.value.isRevoked } });
  });

  return routes;
}

type Shown = {
  readonly alert?: string;
  /** The name of one that was made just now, as the address says. */
  readonly made?: string;
  readonly ended?: { readonly name: string; readonly isRevoked: boolean };
  readonly filled?: { readonly name: string; readonly serverUrl: string };
};

async function connectionsPage(context: WebContext, session: WebSession, shown: Shown): Promise<Response> {
  const { core } = context.get("parts");
  const connections = await listConnections(core, session.accountId);
  const isOff = core.connections.sealingKeys === null;
  const { alert, ended } = shown;
  const made = connections.find(({ name, state }) => name === shown.made && state === "connected");
  const body = html`<p>MCP servers in which somebody of account ${accountText(accountOf(session))} has signed in. Runs use them in that person's name, where nobody but writers of the repository and people of this account can have a say in the run.</p>
${alert === undefined ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${made === undefined ? "" : html`<p class="note" role="status"><strong>${made.name} is connected.</strong></p>`}
${ended === undefined ? "" : endedNote(ended)}
${isOff ? offNote() : ""}
${
  connections.length === 0
    ? html`<p class="faint">Nothing is connected.</p>`
    : html`<ul class="cards">${connections.map((one) => card(one, { session, isOff }))}</ul>`
}
${isOff ? "" : formFor(session, { path: PATH, what: "connect MCP servers", form: () => connectSection(shown.filled) })}
<h2>In a run</h2>
<p>A workflow names the connection, and the hosts that it needs:</p>
<pre tabindex="0">${example(connections[0])}</pre>`;
  const status = alert === undefined ? 200 : 422;
  return await settingsPage(context, { tab: "connections", session, body, status });
}

function offNote(): Html {
  return html`<p class="note warn">This service keeps no connections: its operator has set no <code>RUN_SECRETS_KEY</code>, which seals their tokens.</p>`;
}

function endedNote({ name, isRevoked }: { name: string; isRevoked: boolean }): Html {
  return html`<p class="note" role="status"><strong>${name} is disconnected.</strong> ${
    isRevoked
      ? "Its authorization server has taken the tokens back."
      : "Its authorization server was not told, or has no way to be: remove this service among the connected applications there."
  }</p>`;
}

type CardOptions = { readonly session: WebSession; readonly isOff: boolean };

function card(connection: ShownConnection, { session, isOff }: CardOptions): Html {
  const { name, serverUrl, issuer, scope, personName, connectedAt, state, reason, hosts } = connection;
  return html`<li class="card">
<p><strong>${name}</strong> ${
    state === "connected"
      ? html`<span class="good">connected</span>`
      : html`<span class="bad">needs signing in again</span>: ${signInText(reason)}`
  }</p>
<dl>
<dt>Server</dt><dd><code>${serverUrl}</code></dd>
<dt>Signed in at</dt><dd><code>${issuer}</code></dd>
<dt>Scopes</dt><dd>${scope === "" ? html`<span class="faint">not said</span>` : html`<code>${scope}</code>`}</dd>
<dt>By</dt><dd>${personName ?? html`<span class="faint">somebody who is no member any more</span>`}, ${timeText(connectedAt)}</dd>
<dt>Hosts for egress</dt><dd><code>${hosts.join(", ")}</code></dd>
</dl>
${
  maySend(session, PATH)
    ? html`<div class="actions">${
        isOff
          ? ""
          : html`<form method="post" action="${PATH}"><input type="hidden" name="name" value="${name}"><input type="hidden" name="url" value="${serverUrl}"><button aria-label="Sign in again to ${name}">Sign in again</button></form>`
      }
<form method="post" action="${PATH}/disconnect"><input type="hidden" name="name" value="${name}"><button class="danger" aria-label="Disconnect ${name}">Disconnect</button></form></div>`
    : ""
}
</li>`;
}

function connectSection(filled: Shown["filled"]): Html {
  return html`<h2>Connect a server</h2>
<form method="post" action="${PATH}">
<label for="name">Name, as runs use it</label>
<input id="name" name="name" maxlength="${MAX_NAME_CHARS}" autocomplete="off" autocapitalize="none" spellcheck="false" required placeholder="linear" value="${filled?.name ?? ""}">
<label for="url">Address of the server</label>
<input id="url" name="url" type="url" maxlength="${MAX_URL_CHARS}" autocomplete="off" required placeholder="https://mcp.linear.app/mcp" value="${filled?.serverUrl ?? ""}">
<p class="hint">You see where you sign in before you go there.</p>
<div class="actions"><button class="main">Connect</button></div>
</form>`;
}

function example(connection: ShownConnection | undefined): string {
  const { name, hosts } = connection ?? { name: "linear", hosts: ["mcp.linear.app"] };
  return `egress: ${hosts.join(", ")}\nmcp-servers: |\n  ${JSON.stringify({ [name]: { connection: name } })}`;
}

type Leading = { readonly name: string; readonly serverUrl: string; readonly out: LeadOut };

/** Not a redirect: a content policy holds for those of a form, and people see first who asks them to sign in. */
async function leadOutPage(context: WebContext, session: WebSession, leading: Leading): Promise<Response> {
  const { name, serverUrl, out } = leading;
  const { issuer, scope, isByDocument, authorizationEndpoint } = out.found;
  const { host } = new URL(authorizationEndpoint);
  const body = html`<p>The server <code>${serverUrl}</code> has you sign in at <code>${issuer}</code>. Go on where you know that address.</p>
<dl>
<dt>Connection</dt><dd>${name}</dd>
<dt>You sign in at</dt><dd><code>${host}</code></dd>
<dt>Scopes</dt><dd>${scope === "" ? html`<span class="faint">what it gives without asking for any</span>` : html`<code>${scope}</code>`}</dd>
<dt>This service is known there</dt><dd>${isByDocument ? "by its document" : "by a registration that was made just now"}</dd>
</dl>
<p><a href="${out.url}" rel="noreferrer">Sign in at ${host}</a></p>
<p class="hint">Within ten minutes, in this browser. <a href="${PATH}">Back</a></p>`;
  return await settingsPage(context, { tab: "connections", session, body });
}
