// A whole page: head, header and body. Its headers let it load nothing of others, and nobody keep or frame it.

import { html } from "hono/html";
import { SOCKET_PATH } from "../../../contract/sessions/socket.ts";
import type { WebSession } from "../../core/web-sessions/web-session.ts";
import { type ScriptName, scriptPath, stylePath } from "./assets.ts";
import { iconAddress } from "./mark.ts";
import { pathWithQuery } from "./own-path.ts";
import { topBar } from "./top-bar.ts";
import type { Html, WebContext } from "./web-context.ts";

type Page = {
  readonly title: string;
  readonly body: Html;
  /** Draws the header. Null: nobody is signed in. */
  readonly session: WebSession | null;
  /** A header in the place of the one for people of an account. */
  readonly bar?: Html;
  readonly status?: 200 | 400 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 429;
  readonly scripts?: readonly ScriptName[];
  /** See the content policy. */
  readonly formTargets?: readonly string[];
  /** Whether it follows the session socket. */
  readonly isLive?: boolean;
  /** Whether its lines are short. */
  readonly isNarrow?: boolean;
  /** Further elements of the head. */
  readonly head?: Html;
};

export function page(context: WebContext, shown: Page): Response | Promise<Response> {
  const { scripts = [], formTargets = [], isLive = false, status = 200 } = shown;
  const { policy } = context.get("parts").core;
  const socketUrl = isLive ? policy.baseUrl.replace(/^http/, "ws") + SOCKET_PATH : null;
  const headers = {
    "Content-Security-Policy": contentPolicy({ hasScript: scripts.length > 0, formTargets, socketUrl }),
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
    "X-Robots-Tag": "noindex",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
  };
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return context.html(document(context, shown), status);
}

function document(
  context: WebContext,
  { title, body, session, bar, isNarrow = false, head, scripts = [] }: Page,
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${iconAddress}">
<link rel="stylesheet" href="${stylePath()}">
${scripts.map((name) => html`<script type="module" src="${scriptPath(name)}"></script>`)}
${head ?? ""}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${bar ?? topBar(context, session)}
<main id="main"${isNarrow ? html` class="narrow"` : ""}>
${body}
</main>
</body>
</html>`;
}

/** The page for things that are not there, and for those that are not theirs: both look the same. */
export function notFoundPage(context: WebContext, session: WebSession | null): Response | Promise<Response> {
  const signIn = `/sign-in?to=${encodeURIComponent(pathWithQuery(context.req.url))}`;
  const body = html`<h1>There is nothing here</h1>
${
  session === null
    ? html`<p>Or it is there for its owner alone: <a href="${signIn}">sign in</a> to see it.</p>`
    : html`<p>Or it is another account's. <a href="/">Your agents</a></p>`
}`;
  return page(context, { title: "Not found", body, session, status: 404, isNarrow: true });
}

type PageNeeds = {
  /** Whether it has a script. */
  readonly hasScript: boolean;
  /** Origins or schemes that a form's answer may lead to, beside this service. Browsers apply `form-action` to redirects too. */
  readonly formTargets: readonly string[];
  /** The address of the session socket, where the page follows one. */
  readonly socketUrl: string | null;
};

/** Nothing inline, nothing of another origin, never inside another page. */
function contentPolicy({ hasScript, formTargets, socketUrl }: PageNeeds): string {
  return [
    "default-src 'none'",
    `script-src ${hasScript ? "'self'" : "'none'"}`,
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...(socketUrl === null ? [] : [socketUrl])].join(" ")}`,
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
