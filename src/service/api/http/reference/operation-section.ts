// An operation and a refusal of the API as a person reads them.

import { html } from "hono/html";
import type { DocumentOperation, MediaTypeObject, ResponseObject, Schemas } from "./openapi-document.ts";
import {
  type Html,
  isSchema,
  notesOf,
  prose,
  type ReferenceLinks,
  referredName,
  schemaTable,
  typeOf,
} from "./schema-table.ts";

type SectionParts = {
  readonly schemas: Schemas;
  readonly links: ReferenceLinks;
  /** Of schemas that are shown as a body: the operation that shows them. */
  readonly bodies: ReadonlyMap<string, string>;
  /** Calls of the client library by operation. */
  readonly methods: ReadonlyMap<string, string>;
};

/** One operation: what it takes and what it answers. */
export function operationSection(operation: DocumentOperation, parts: SectionParts): Html {
  const {
    operationId,
    method,
    path,
    summary,
    description,
    parameters = [],
    requestBody,
    "x-frames": frames,
  } = operation;
  const { links } = parts;
  const call = parts.methods.get(operationId);
  const answers = Object.entries(operation.responses);
  const own = answers.filter(([, { component }]) => component === undefined);
  const refusals = answers.filter(([, { component }]) => component !== undefined);
  return html`
<article id="${operationId}">
<h3><a class="method ${method}" href="#${operationId}">${method}</a> <code>${path}</code></h3>
<p class="summary">${prose(summary)}</p>
${description === undefined ? "" : html`<p>${prose(description)}</p>`}
<p class="faint">${credentialsOf(operation)}</p>
${call === undefined ? "" : html`<p class="faint">Client: <code>${call}</code></p>`}
${parameters.length === 0 ? "" : html`<h4>Parameters</h4>${parameterTable(parameters, links)}`}
${requestBody === undefined ? "" : html`<h4>Body${requestBody.required === true ? "" : " (optional)"}</h4>${contentOf(requestBody.content, links)}${bodyTables(operation, parts)}`}
${requestBody === undefined ? "" : examplesOf(requestBody.content)}
${frames === undefined ? "" : html`<h4>Frames</h4>${contentOf(frames, links)}${examplesOf(frames)}`}
<h4>Answers</h4>
<div class="scroll"><table><thead><tr><th scope="col">Status</th><th scope="col">When</th><th scope="col">Body and headers</th></tr></thead>
<tbody>${own.map((answer) => answerRow(answer, links))}</tbody></table></div>
${refusals.length === 0 ? "" : html`<p class="faint">Refusals: ${refusals.map((refusal, index) => html`${index > 0 ? ", " : ""}${refusalLink(refusal, links)}`)}</p>`}
${own.map(([status, { content = {} }]) => examplesOf(content, status))}
</article>`;
}

function answerRow(
  [status, { description, content = {}, headers = {} }]: [string, ResponseObject],
  links: ReferenceLinks,
): Html {
  return html`
<tr><td><code>${status}</code></td><td>${prose(description)}</td><td>${contentOf(content, links)}${headersOf(headers)}</td></tr>`;
}

/** A refusal is the same everywhere, and told once. */
function refusalLink([status, { component = "" }]: [string, ResponseObject], links: ReferenceLinks): Html {
  return html`<a href="${links.toRefusal(component)}">${status} ${component}</a>`;
}

export function refusalSection(
  [name, { description, content = {}, headers = {} }]: readonly [string, ResponseObject],
  links: ReferenceLinks,
): Html {
  return html`<article id="answer-${name}"><h3>${name}</h3><p>${prose(description)}</p>${contentOf(content, links)}${headersOf(headers)}${examplesOf(content)}</article>`;
}

function headersOf(headers: NonNullable<ResponseObject["headers"]>): Html {
  return html`${Object.entries(headers).map(
    ([name, header]) =>
      html`<div><code>${name}</code> ${isSchema(header) ? prose(header.description) : ""}</div>`,
  )}`;
}

/** The fields of a body, where this operation is the one that shows them; elsewhere its name leads there. */
function bodyTables(
  { operationId, requestBody }: DocumentOperation,
  { schemas, links, bodies }: SectionParts,
): Html {
  const named = Object.values(requestBody?.content ?? {}).map(({ schema = {} }) => referredName(schema));
  const shown = [...new Set(named)].flatMap((name) =>
    name !== null && bodies.get(name) === operationId ? [[name, schemas[name] ?? {}] as const] : [],
  );
  return html`${shown.map(([name, schema]) => html`<div id="schema-${name}">${schemaTable(schema, links)}</div>`)}`;
}

function credentialsOf({ security = [] }: DocumentOperation): Html {
  const names = [...new Set(security.flatMap((one) => Object.keys(one)))];
  if (names.length === 0) return html`No credential needed.`;
  return html`Credential: ${names.map((name, index) => html`${index > 0 ? " or " : ""}<a href="/docs#credentials">${name}</a>`)}`;
}

function parameterTable(
  parameters: NonNullable<DocumentOperation["parameters"]>,
  links: ReferenceLinks,
): Html {
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>${parameters.map(
    (one) => html`
<tr><td><code>${one.name}</code>${one.required === true ? html` <span class="needed">required</span>` : ""}</td><td>${one.in}</td><td>${typeOf(one.schema, links)}</td><td>${prose(one.description)} ${notesOf(one.schema)}</td></tr>`,
  )}</tbody></table></div>`;
}

function contentOf(content: MediaTypeObject, links: ReferenceLinks): Html {
  return html`${Object.entries(content).map(([type, { schema = {} }]) => {
    const body = isSchema(schema.properties) ? schemaTable(schema, links) : typeOf(schema, links);
    return html`<div>${body} <span class="faint">${type}</span></div>`;
  })}`;
}

/** Each example once, in whatever types it may come; of a status, where that is not told beside it. */
function examplesOf(content: MediaTypeObject, status = ""): Html {
  const shown = Object.values(content).flatMap(({ example, examples = {} }) => [
    ...(example === undefined ? [] : [["Example", example] as const]),
    ...Object.values(examples).map((one) =>
      isSchema(one) ? ([String(one.summary ?? "Example"), one.value] as const) : (["Example", one] as const),
    ),
  ]);
  return html`${[...new Map(shown)].map(
    ([summary, value]) => html`
<details><summary>${status === "" ? "" : html`<code>${status}</code> `}${prose(summary)}</summary><pre>${typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre></details>`,
  )}`;
}
