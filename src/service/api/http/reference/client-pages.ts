// Pages of the client library: its exports, and its methods with the operations that they call.

import { html } from "hono/html";
import {
  CLIENT_SLUG,
  callText,
  type LibraryExport,
  type LibraryMethod,
  memberId,
  methodId,
  operationIdOf,
} from "./client-library.ts";
import { pagePath, type Reference } from "./reference.ts";
import { type Html, prose } from "./schema-table.ts";

/** Exports of `agent-service/client`: functions, classes, types, then those of the wire. */
export function exportsSection({ library, document, links }: Reference): Html {
  const known = new Set(library.exports.map(({ name }) => name));
  const own = library.exports.filter(({ kind }) => kind !== "wire");
  const ofWire = library.exports.filter(({ kind }) => kind === "wire");
  const sections = [
    ["Functions", own.filter(({ kind }) => kind === "function")],
    ["Classes", own.filter(({ kind }) => kind === "class")],
    ["Types", own.filter(({ kind }) => kind === "type")],
  ] as const;
  return html`<p>What <code>import { … } from "agent-service/client"</code> offers, for Node and browsers. The methods of a client are <a href="/docs/client-methods">on a page of their own</a>.</p>
${sections.map(([title, exports]) => html`<h2>${title}</h2>${exports.map((one) => exportSection(one, known))}`)}
<h2>Types of the wire</h2>
<p>Their fields are those of the API's schemas.</p>
<div class="scroll"><table><thead><tr><th scope="col">Type</th><th scope="col">Schema</th><th scope="col">Notes</th></tr></thead>
<tbody>${ofWire.map(
    ({ name, schema, about }) => html`
<tr id="${memberId(name)}"><td><code>${name}</code></td><td>${schema === null || !(schema in document.components.schemas) ? "" : html`<a href="${links.toSchema(schema)}">${schema}</a>`}</td><td>${prose(about)}</td></tr>`,
  )}</tbody></table></div>`;
}

function exportSection({ name, about, signature, members }: LibraryExport, known: ReadonlySet<string>): Html {
  return html`
<article id="${memberId(name)}"><h3>${name}</h3>
<p><code>${linked(signature, known, name)}</code></p>
<p>${prose(about)}</p>
${
  members.length === 0
    ? ""
    : html`<div class="scroll"><table><thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>${members.map(
        (member) => html`
<tr><td><code>${member.name}</code>${member.isOptional ? html` <span class="faint">optional</span>` : ""}</td><td><code>${linked(member.type, known, name)}</code></td><td>${prose(member.about)}</td></tr>`,
      )}</tbody></table></div>`
}</article>`;
}

/** A type's text, with links to the exports that it names. */
function linked(text: string, known: ReadonlySet<string>, own: string): Html {
  const parts = text.split(/\b([A-Z]\w*)\b/);
  return html`${parts.map((part, index) =>
    index % 2 === 1 && part !== own && known.has(part)
      ? html`<a href="${pagePath(CLIENT_SLUG)}#${memberId(part)}">${part}</a>`
      : part,
  )}`;
}

/** Methods of a client by noun, each with its operation. */
export function methodsSection(reference: Reference): Html {
  const nouns = Map.groupBy(reference.library.methods, ({ noun }) => noun);
  const operations = new Map(
    reference.pages.flatMap(({ slug, operations }) =>
      operations.map((operation) => [operation.operationId, { slug, operation }] as const),
    ),
  );
  const rowOf = (method: LibraryMethod): Html => {
    const found = operations.get(operationIdOf(method));
    return html`
<tr id="${methodId(method)}"><td><code>${callText(method)}</code></td><td>${
      found === undefined
        ? ownMethod(reference, method)
        : html`<a href="${pagePath(found.slug)}#${found.operation.operationId}">${prose(found.operation.summary)}</a>`
    }</td></tr>`;
  };
  return html`<p>Each operation is one method. Options are named as the parameters of the path; <code>query</code> and <code>body</code> have the names of the wire. Every method takes <code>signal</code> and <code>retry</code> too, and rejects as <a href="${pagePath(CLIENT_SLUG)}#${memberId("JobClient")}">JobClient</a> says.</p>
${[...nouns].map(
  ([noun, methods]) => html`<h2>client.${noun}</h2>
<div class="scroll"><table><thead><tr><th scope="col">Call</th><th scope="col">Operation</th></tr></thead><tbody>${methods.map(rowOf)}</tbody></table></div>`,
)}`;
}

/** A method that the client has beside those of the routes: told by the export that declares it. */
function ownMethod({ library }: Reference, { noun, name }: LibraryMethod): Html {
  const type = library.exports
    .find((one) => one.name === "Client")
    ?.members.find((one) => one.name === noun)?.type;
  const owner = library.exports.find((one) => one.name === type);
  const member = owner?.members.find((one) => one.name === name);
  if (owner === undefined || member === undefined) return html``;
  return html`${prose(member.about)} <a href="${pagePath(CLIENT_SLUG)}#${memberId(owner.name)}">${owner.name}</a>`;
}
