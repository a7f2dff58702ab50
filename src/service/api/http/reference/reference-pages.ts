// Pages of the API reference, without script: the contents, one of each noun, the refusals, and what a search found.

import { html, raw } from "hono/html";
import library from "./client-library.json" with { type: "json" };
import { CLIENT_SLUG, callText, METHODS_SLUG, memberId, operationIdOf } from "./client-library.ts";
import { exportsSection, methodsSection } from "./client-pages.ts";
import type { DocumentOperation } from "./openapi-document.ts";
import { operationSection, refusalSection } from "./operation-section.ts";
import { type NounPage, pagePath, REFUSALS_SLUG, type Reference, readReference } from "./reference.ts";
import { referenceStyle } from "./reference-style.ts";
import { type Html, prose, schemaTable } from "./schema-table.ts";
import { MAX_QUERY_CHARS, searchNames } from "./search-names.ts";

/** Throws on what is no OpenAPI document. */
export function openReference(openApi: unknown): Reference {
  return readReference(openApi, library);
}

/** What the API is, its credentials, and every operation as a link. */
export function contentsPage(reference: Reference): Promise<string> {
  const { info, servers, components } = reference.document;
  return pageOf(reference, {
    title: info.title,
    body: html`<p class="faint">API version ${info.version}, at ${servers.map(({ url }) => html`<code>${url}</code> `)}</p>
<p>${prose(info.description)} These pages are written from <a href="/openapi.json">openapi.json</a>, which any viewer of OpenAPI 3.1 opens. For TypeScript there is the <a href="${pagePath(CLIENT_SLUG)}">client library</a>.</p>
<h2 id="credentials">Credentials</h2>
<p>A credential is sent as <code>Authorization: Bearer …</code>.</p>
<div class="scroll"><table><tbody>${Object.entries(components.securitySchemes).map(
      ([name, { description }]) => html`
<tr><td><code>${name}</code></td><td>${prose(description)}</td></tr>`,
    )}</tbody></table></div>
${reference.pages.map(
  (page) => html`<h2><a href="${pagePath(page.slug)}">${page.title}</a></h2><p>${prose(page.about)}</p>
<div class="scroll"><table><tbody>${page.operations.map(
    (operation) => html`
<tr><td>${operationLink(operation, page.slug)}</td><td>${prose(operation.summary)}</td></tr>`,
  )}</tbody></table></div>`,
)}`,
  });
}

/** Null: there is no page of that name. */
export function referencePage(reference: Reference, slug: string): Promise<string> | null {
  if (slug === REFUSALS_SLUG) return refusalsPage(reference);
  if (slug === CLIENT_SLUG) return clientPage(reference);
  if (slug === METHODS_SLUG)
    return pageOf(reference, { title: "Client methods", body: methodsSection(reference) });
  const shown = reference.pages.find((page) => page.slug === slug);
  return shown === undefined ? null : nounPage(reference, shown);
}

/** What the query's words are part of the name of. */
export function searchPage(reference: Reference, query: string): Promise<string> {
  const found = searchNames(reference, query);
  return pageOf(reference, {
    title: `Search: ${query}`,
    query,
    body:
      found.length === 0
        ? html`<p>No operation, schema, field, refusal or part of the client library has all of these words in its name: <code>${query}</code>. The contents are at <a href="/docs">API reference</a>.</p>`
        : html`<p class="faint">${found.length === 1 ? "1 name" : `${found.length} names`}</p>
<div class="scroll"><table><tbody>${found.map(
            ({ kind, name, href, summary }) => html`
<tr><td>${kind}</td><td><a href="${href}"><code>${name}</code></a></td><td>${prose(summary)}</td></tr>`,
          )}</tbody></table></div>`,
  });
}

function nounPage(reference: Reference, shown: NounPage): Promise<string> {
  const { links, document } = reference;
  const methods = new Map(reference.library.methods.map((one) => [operationIdOf(one), callText(one)]));
  const parts = { links, methods, schemas: document.components.schemas, bodies: shown.bodies };
  return pageOf(reference, {
    title: shown.title,
    shown,
    body: html`<p>${prose(shown.about)}</p>
<h2>Operations</h2>
${shown.operations.map((operation) => operationSection(operation, parts))}
${shown.schemas.length === 0 ? "" : html`<h2>Schemas</h2>`}
${shown.schemas.map(
  ([name, schema]) =>
    html`<article id="schema-${name}"><h3>${name}</h3>${schemaTable(schema, links)}</article>`,
)}`,
  });
}

function refusalsPage(reference: Reference): Promise<string> {
  return pageOf(reference, {
    title: "Refusals",
    body: html`<p>What every operation may answer. The code says what it is, for programs.</p>
<h2>By name</h2>
${reference.refusals.map((refusal) => refusalSection(refusal, reference.links))}`,
  });
}

function clientPage(reference: Reference): Promise<string> {
  const own = reference.library.exports.filter(({ kind }) => kind !== "wire");
  return pageOf(reference, {
    title: "Client library",
    within: html`<h2>Exports</h2><ul>${own.map(({ name }) => html`<li><a href="#${memberId(name)}">${name}</a></li>`)}</ul>`,
    body: exportsSection(reference),
  });
}

type Shown = {
  readonly title: string;
  readonly body: Html;
  readonly shown?: NounPage;
  /** Links to what is on the page, for one that is no noun's. */
  readonly within?: Html;
  readonly query?: string;
};

async function pageOf(
  { document, pages }: Reference,
  { title, body, shown, within = html``, query = "" }: Shown,
): Promise<string> {
  const nouns = [...pages, { slug: REFUSALS_SLUG, title: "Refusals" }];
  const client = [
    { slug: CLIENT_SLUG, title: "Client library" },
    { slug: METHODS_SLUG, title: "Client methods" },
  ];
  const linkTo = (one: { readonly slug: string; readonly title: string }) =>
    html`<li><a href="${pagePath(one.slug)}"${one.title === title ? html` aria-current="page"` : ""}>${one.title}</a></li>`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === document.info.title ? "" : `${title} · `}${document.info.title}: API reference</title>
<link rel="icon" href="data:,">
<style>${raw(referenceStyle)}</style>
</head>
<body>
<nav aria-label="Contents">
<form action="/docs" role="search"><input type="search" name="q" value="${query}" maxlength="${MAX_QUERY_CHARS}" aria-label="Search names" placeholder="Search names"><button>Search</button></form>
<h2><a href="/docs">API reference</a></h2>
<ul>${nouns.map(linkTo)}</ul>
<h2>TypeScript</h2>
<ul>${client.map(linkTo)}</ul>
${shown === undefined ? within : linksWithin(shown)}
</nav>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return String(await page);
}

function linksWithin({ slug, operations, schemas }: NounPage): Html {
  return html`<h2>Operations</h2><ul>${operations.map((operation) => html`<li>${operationLink(operation, slug)}</li>`)}</ul>
${schemas.length === 0 ? "" : html`<h2>Schemas</h2><ul>${schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>`}`;
}

function operationLink({ operationId, method, path }: DocumentOperation, slug: string): Html {
  return html`<a href="${pagePath(slug)}#${operationId}"><span class="method ${method}">${method}</span> ${breakable(path)}</a>`;
}

/** A long path may break before each of its parts, and nowhere else. */
function breakable(path: string): Html {
  return html`${path.split("/").map((part, index) => (index === 0 ? part : html`<wbr>/${part}`))}`;
}
