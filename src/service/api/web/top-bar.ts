// The bar of every page: where one is, where one can go, and who one is.

import { html } from "hono/html";
import type { WebSession } from "../../core/web-sessions/web-session.ts";
import { mark } from "./mark.ts";
import type { Html, WebContext } from "./web-context.ts";

export type Place = {
  readonly name: string;
  readonly href: string;
  /** What the paths begin with whose pages belong to it. */
  readonly paths: readonly string[];
};

const RUNS: Place = { name: "Runs", href: "/", paths: ["/agent/", "/runs"] };
const WORKSPACES: Place = { name: "Workspaces", href: "/workspaces", paths: ["/workspaces", "/workspace/"] };
const APPROVALS: Place = { name: "Approvals", href: "/approvals", paths: ["/approvals", "/approve/"] };
const USAGE: Place = { name: "Usage", href: "/usage", paths: ["/usage"] };
const API: Place = { name: "API", href: "/docs", paths: ["/docs"] };
const SETTINGS: Place = { name: "Settings", href: "/settings", paths: ["/settings"] };

/** `session` is null where nobody is signed in. */
export function topBar(context: WebContext, session: WebSession | null): Html {
  const { path } = context.req;
  return html`<header class="top">
<a class="home" href="/">${mark}agent-service</a>
${session === null ? html`<nav aria-label="Pages">${placeList([API], path)}</nav><a class="end" href="/sign-in">Sign in</a>` : signedIn(context, session)}
</header>`;
}

function signedIn(context: WebContext, { accountId, accountName, role }: WebSession): Html {
  const hasWorkspaces = context.get("parts").core.workspaces !== null;
  const places = [RUNS, ...(hasWorkspaces ? [WORKSPACES] : []), APPROVALS, USAGE, API, SETTINGS];
  const shown = accountName ?? `${accountId.slice(0, 8)}…${accountId.slice(-4)}`;
  return html`<nav aria-label="Pages">${placeList(places, context.req.path)}</nav>
<a class="account end" href="/accounts" aria-label="Account ${shown}, ${role}: change"><span dir="auto" title="${accountId}">${shown}</span> <span class="faint">${role}</span></a>
<form method="post" action="/sign-out"><button class="plain">Sign out</button></form>`;
}

export function placeList(places: readonly Place[], path: string): Html {
  return html`<ul>${places.map(
    (place) => html`<li><a href="${place.href}"${isAt(place, path)}>${place.name}</a></li>`,
  )}</ul>`;
}

/** The page that the link leads to is "page"; one below it is only within its part of the pages. */
function isAt({ href, paths }: Place, path: string): Html {
  if (path === href) return html` aria-current="page"`;
  return paths.some((one) => path.startsWith(one)) ? html` aria-current="true"` : html``;
}
