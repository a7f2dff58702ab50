// The frame of the operator's pages: a bar of their own, and what is shown to whoever may not see more.

import { html } from "hono/html";
import type { OperatorSession } from "../../../core/operators/operator.ts";
import type { ScriptName } from "../assets.ts";
import { mark } from "../mark.ts";
import { page } from "../page.ts";
import { shortId } from "../pages/usage/ledger-table.ts";
import { type Place, placeList } from "../top-bar.ts";
import type { Html, WebContext } from "../web-context.ts";

const ROOT = "/operator";
const MAX_QUERY_CHARS = 200;

const places: readonly Place[] = [
  { name: "Overview", href: ROOT, paths: [] },
  { name: "Accounts", href: `${ROOT}/accounts`, paths: [`${ROOT}/accounts/`] },
  { name: "Repositories", href: `${ROOT}/repositories`, paths: [] },
  { name: "Runs", href: `${ROOT}/runs`, paths: [] },
  { name: "Queue", href: `${ROOT}/queue`, paths: [] },
  { name: "Refusals", href: `${ROOT}/refusals`, paths: [] },
  { name: "Audit trail", href: `${ROOT}/audit`, paths: [] },
  { name: "Settings", href: `${ROOT}/settings`, paths: [] },
];

type OperatorPage = {
  readonly title: string;
  readonly body: Html;
  readonly status?: 200 | 403 | 404 | 410 | 422 | 429;
  readonly scripts?: readonly ScriptName[];
  readonly isNarrow?: boolean;
};

/** With the places of the operator's pages for whoever is signed in there. */
export async function operatorPage(context: WebContext, shown: OperatorPage): Promise<Response> {
  const session = context.get("operator") ?? null;
  return await page(context, {
    ...shown,
    title: `${shown.title} · Operator`,
    session: null,
    bar: barOf(session, context.req.path),
  });
}

function barOf(session: OperatorSession | null, path: string): Html {
  const home = html`<a class="home" href="${ROOT}">${mark}agent-service <span class="faint">operator</span></a>`;
  if (session === null) return html`<header class="top">${home}</header>`;
  return html`<header class="top">
${home}
<nav aria-label="Pages">${placeList(places, path)}</nav>
<span class="account end">${session.name === "" ? "Operator" : session.name}</span>
<form method="post" action="${ROOT}/sign-out"><button class="plain">Sign out</button></form>
</header>`;
}

/** For what is not there. */
export async function nothingHere(context: WebContext): Promise<Response> {
  const body = html`<h1>There is nothing here</h1>
<p><a href="${ROOT}">Overview</a></p>`;
  return await operatorPage(context, { title: "Not found", body, status: 404, isNarrow: true });
}

/** Where nobody can sign in: how the machine's administrator changes that. */
export async function notSetUp(context: WebContext): Promise<Response> {
  const body = html`<h1>Nobody operates this service on pages</h1>
<p>On the service's machine, make a link that registers the first operator:</p>
<pre tabindex="0">agent-service operators link</pre>
<p class="faint">Or name an identity in the setting <code>OPERATOR_IDENTITIES</code>.</p>`;
  return await operatorPage(context, { title: "Not set up", body, status: 404, isNarrow: true });
}

/** One parameter of the address; null where it is not given. What no store can hold is not given. */
export function queryOf(context: WebContext, name: string): string | null {
  const text = context.req.query(name) ?? "";
  return text === "" || text.length > MAX_QUERY_CHARS || text.includes("\0") ? null : text;
}

/** The address of a list with a filter. */
export function listAddress(path: string, query: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

type List = {
  readonly path: string;
  readonly query: Readonly<Record<string, string | null>>;
  readonly before: string | null;
  /** Null on the last page. */
  readonly next: string | null;
};

/** Links to older and to the newest rows of a list. */
export function moreLinks({ path, query, before, next }: List): Html {
  if (before === null && next === null) return html``;
  return html`<nav class="row" aria-label="More">${before === null ? "" : html`<a href="${listAddress(path, query)}">Newest</a>`}${next === null ? "" : html`<a class="end" href="${listAddress(path, { ...query, before: next })}" rel="next">Older</a>`}</nav>`;
}

type Choice = {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly chosen: string | null;
  /** The text of the option that asks for everything. Null: there is none. */
  readonly all?: string | null;
};

export function choice({ name, label, options, chosen, all = "All" }: Choice): Html {
  return html`<div><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${all === null ? "" : html`<option value="">${all}</option>`}${options.map(
    ([value, text]) =>
      html`<option value="${value}"${value === chosen ? html` selected` : ""}>${text}</option>`,
  )}</select></div>`;
}

export function textField({
  name,
  label,
  value,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string | null;
}): Html {
  return html`<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value ?? ""}" maxlength="${MAX_QUERY_CHARS}" autocomplete="off" spellcheck="false"></div>`;
}

/** The form that filters a list. */
export function filters(path: string, { label, fields }: { label: string; fields: readonly Html[] }): Html {
  return html`<form method="get" action="${path}" class="filters" role="search" aria-label="${label}">
${fields}
<div class="actions"><button>Show</button></div>
</form>`;
}

type Table = {
  /** Of the region, for who cannot see it. */
  readonly label: string;
  readonly head: readonly (string | { readonly number: string })[];
  readonly rows: readonly Html[];
  /** Said where there is no row. */
  readonly none: string;
};

export function listTable({ label, head, rows, none }: Table): Html {
  if (rows.length === 0) return html`<p class="empty">${none}</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${head.map((one) => (typeof one === "string" ? html`<th scope="col">${one}</th>` : html`<th scope="col" class="number">${one.number}</th>`))}</tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

/** The link to an account; nobody has claimed what has none. */
export function accountLink(id: string | null): Html {
  return id === null
    ? html`<span class="faint">nobody</span>`
    : html`<a href="${ROOT}/accounts/${id}">${idText(id)}</a>`;
}

/** The end of an id: its beginning says only when it was made. */
export function idText(id: string): Html {
  return html`<code title="${id}">${shortId(id)}</code>`;
}
