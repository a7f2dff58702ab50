// The page on which an account's owner allows an application something, or does not. Asked each time.

import { type Context, Hono } from "hono";
import { html } from "hono/html";
import type Provider from "oidc-provider";
import type { Interaction, InteractionResults } from "oidc-provider";
import * as z from "zod/mini";
import { hashSecret } from "../../../base/secret-token.ts";
import { type ApiScope, scopeTexts } from "../../../contract/oauth/scopes.ts";
import { keepRegisteredClient, openGrant } from "../../core/oauth/grants.ts";
import { resourceOf } from "../../core/oauth/resource.ts";
import type { WebSession } from "../../core/web-sessions/web-session.ts";
import type { FaceContext } from "../http/face.ts";
import { readForm } from "../web/form.ts";
import { page } from "../web/page.ts";
import type { Html, WebContext, WebEnv } from "../web/web-context.ts";
import { needSession, sessionOf } from "../web/web-session.ts";
import { accountEntry } from "./account-entry.ts";
import type { OpenServer } from "./authorization-server.ts";
import {
  documentHost,
  formTarget,
  type KnownClient,
  redirectPlace,
  shownName,
  unicodeHost,
} from "./client-words.ts";
import { messagesOf } from "./mount.ts";
import { oauthPaths } from "./paths.ts";
import { isLoopback } from "./redirect-uri.ts";
import { grantableScopes } from "./request-words.ts";

const decisionForm = z.object({ decision: z.enum(["allow", "deny"]) });

type Asked = {
  readonly uid: string;
  readonly client: KnownClient;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly params: Interaction["params"];
};

export function consentRoutes(open: OpenServer): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get(`${oauthPaths.consent}/:uid`, async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const asked = await askedOf(context, await open(context));
    return asked === null ? await endedPage(context) : await consentPage(context, { session, asked });
  });

  routes.post(`${oauthPaths.consent}/:uid`, async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const provider = await open(context);
    const asked = await askedOf(context, provider);
    if (asked === null) return await endedPage(context);
    const form = await readForm(context, decisionForm);
    if (!form.ok) return await consentPage(context, { session, asked, alert: form.refusal });
    const result: InteractionResults =
      form.value.decision === "allow"
        ? await allow(context, { session, asked })
        : { error: "access_denied", error_description: "The account's owner did not agree." };
    const { req, res } = libraryMessages(context, provider);
    const { pathname } = new URL(await provider.interactionResult(req, res, result));
    return context.redirect(pathname, 303);
  });

  return routes;
}

/** The request for consent, for the browser that it came with. Null where it has ended, or is another browser's. */
async function askedOf(context: Context<WebEnv>, provider: Provider): Promise<Asked | null> {
  const { req, res } = libraryMessages(context, provider);
  const interaction = await provider.interactionDetails(req, res).catch(() => null);
  if (interaction === null || interaction.uid !== context.req.param("uid")) return null;
  const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction.params;
  if (typeof clientId !== "string" || typeof redirectUri !== "string") return null;
  const client = await provider.Client.find(clientId).catch(() => undefined);
  if (client === undefined) return null;
  const scopes = grantableScopes(scope, clientId);
  return { uid: interaction.uid, client, redirectUri, scopes, params: interaction.params };
}

function libraryMessages(context: WebContext, provider: Provider) {
  const { pathname } = new URL(context.req.url);
  return messagesOf(context as unknown as FaceContext, provider, {
    method: context.req.method,
    url: pathname,
    hasCookies: true,
  });
}

async function allow(
  context: WebContext,
  { session, asked }: { session: WebSession; asked: Asked },
): Promise<InteractionResults> {
  const { core } = context.get("parts");
  const { client, scopes } = asked;
  const grant = await openGrant(core, {
    accountId: session.accountId,
    personId: session.personId,
    clientId: client.clientId,
    clientName: shownName(client),
    scope: scopes.join(" "),
    resource: resourceOf(core.policy.baseUrl),
  });
  await keepRegisteredClient(core, hashSecret(client.clientId));
  context.get("log")().info({ client_id: client.clientId, grant_id: grant.id }, "an application is allowed");
  return { login: { accountId: session.accountId, remember: false }, consent: { grantId: grant.id } };
}

async function consentPage(
  context: WebContext,
  { session, asked, alert }: { session: WebSession; asked: Asked; alert?: string },
): Promise<Response> {
  const { client, redirectUri, scopes, uid } = asked;
  const name = shownName(client);
  const body = html`<h1>Allow ${name} to use your account?</h1>
${alert === undefined ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
<dl>
<dt>Application</dt><dd>${name}${vouched(client)}</dd>
${accountEntry(context, session)}
<dt>The answer goes to</dt><dd><strong>${redirectPlace(redirectUri)}</strong></dd>
</dl>
${warnings(client, redirectUri)}
<h2>It may</h2>
<ul>${scopes.map((scope) => html`<li>${scopeTexts[scope as ApiScope]}</li>`)}</ul>
<p class="faint">It acts as an AI client: it may not approve, confirm or activate anything. You can end its access at any time under
Settings, Connected apps.</p>
<form method="post" action="${oauthPaths.consent}/${uid}" class="actions">
<button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Do not allow</button>
</form>`;
  return await page(context, {
    title: "Allow an application",
    body,
    session,
    isNarrow: true,
    formTargets: [formTarget(redirectUri)],
    ...(alert === undefined ? {} : { status: 422 }),
  });
}

function vouched({ clientId }: KnownClient): Html {
  const host = documentHost(clientId);
  if (host === null) return html``;
  const written = unicodeHost(host);
  return html`<br><span class="faint">as ${host}${written === null ? "" : html` (written ${written})`} says</span>`;
}

function warnings(client: KnownClient, redirectUri: string): Html {
  const namesItself = documentHost(client.clientId) === null;
  return html`${namesItself ? html`<p class="note warn"><strong>This application named itself.</strong> Nobody has checked that it is what it says.</p>` : ""}
${isLoopback(redirectUri) ? html`<p class="note warn"><strong>It runs on your computer.</strong> Every program there can pretend to be it: go on only if you have just begun this sign-in yourself.</p>` : ""}`;
}

async function endedPage(context: WebContext): Promise<Response> {
  const body = html`<h1>This request has ended</h1>
<p>It was answered, or ten minutes have passed, or it was begun in another browser. Begin again in the application.</p>`;
  const session = await sessionOf(context);
  return await page(context, { title: "Request ended", body, session, status: 410, isNarrow: true });
}
