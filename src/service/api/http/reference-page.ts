// The API reference as one HTML page without script, made of the OpenAPI document alone.

import { html, raw } from "hono/html";
import {
  type Document,
  METHODS,
  type MediaTypeObject,
  type Operation,
  type ResponseObject,
  readDocument,
  type Schemas,
} from "./reference-document.ts";
import { type Html, isSchema, notesOf, prose, schemaTable, typeOf } from "./reference-schema.ts";
import { referenceStyle } from "./reference-style.ts";

/** The whole page. Throws on what is no OpenAPI document. */
export async function referencePage(openApi: unknown): Promise<string> {
  const { info, servers, tags = [], paths, components } = readDocument(openApi);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] === undefined ? [] : [{ ...item[method], method, path }])),
  );
  const byGroup = Map.groupBy(operations, groupOf);
  const inOrder = [...new Set([...tags.map(({ name }) => name), ...byGroup.keys()])];
  const groups = inOrder.map((group) => [group, byGroup.get(group) ?? []] as const);
  const refusals = Object.entries(components.responses ?? {});
  const names = Object.keys(components.schemas).sort();
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}: API reference</title>
<style>${raw(referenceStyle)}</style>
</head>
<body>
<nav aria-label="Contents">
${groups.map(([group, members]) => html`<h2>${group}</h2><ul>${members.map(operationLink)}</ul>`)}
${refusals.length === 0 ? "" : html`<h2>Refusals</h2><ul>${refusals.map(([name]) => html`<li><a href="#answer-${name}">${name}</a></li>`)}</ul>`}
<h2>Schemas</h2><ul>${names.map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>
</nav>
<main>
<h1>${info.title}</h1>
<p class="faint">API version ${info.version}, at ${servers.map(({ url }) => html`<code>${url}</code> `)}</p>
<p>${prose(info.description)} This page is written from <a href="openapi.json">openapi.json</a>.</p>
<h2 id="credentials">Credentials</h2>
<p>A credential is sent as <code>Authorization: Bearer …</code>.</p>
<div class="scroll"><table><tbody>${Object.entries(components.securitySchemes).map(
    ([name, { description }]) => html`
<tr><td><code>${name}</code></td><td>${prose(description)}</td></tr>`,
  )}</tbody></table></div>
${groups.map(([group, members]) => html`<h2>${group}</h2>${aboutOf(group, tags)}${members.map((operation) => operationSection(operation, components.schemas))}`)}
${refusals.length === 0 ? "" : html`<h2>Refusals</h2>${refusals.map(refusalSection)}`}
<h2>Schemas</h2>
${Object.entries(components.schemas)
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(
    ([name, schema]) => html`<article id="schema-${name}"><h3>${name}</h3>${schemaTable(schema)}</article>`,
  )}
</main>
</body>
</html>
`;
  return String(await page);
}

/** The operation's tag; without one, what its path is about. */
function groupOf({ tags, path }: Operation): string {
  const tag = tags?.[0];
  if (tag !== undefined) return tag;
  if (!path.startsWith("/v1/")) return "Operating the service";
  if (path.startsWith("/v1/ci/")) return "CI jobs";
  if (/\/(credits|pricing)(\/|$)/.test(path)) return "Credits and pricing";
  const nouns = ["runs", "schedules", "workflows", "agents"];
  const noun = nouns.find((one) => path.split("/").includes(one)) ?? path.split("/")[2] ?? "";
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

function operationLink({ operationId, method, path }: Operation): Html {
  return html`<li><a href="#${operationId}"><span class="method ${method}">${method}</span> ${breakable(path)}</a></li>`;
}

/** A long path may break before each of its parts, and nowhere else. */
function breakable(path: string): Html {
  return html`${path.split("/").map((part, index) => (index === 0 ? part : html`<wbr>/${part}`))}`;
}

function operationSection(operation: Operation, schemas: Schemas): Html {
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
  return html`
<article id="${operationId}">
<h3><a class="method ${method}" href="#${operationId}">${method}</a> <code>${path}</code></h3>
<p class="summary">${prose(summary)}</p>
${description === undefined ? "" : html`<p>${prose(description)}</p>`}
<p class="faint">${credentialsOf(operation)}</p>
${parameters.length === 0 ? "" : html`<h4>Parameters</h4>${parameterTable(parameters)}`}
${requestBody === undefined ? "" : html`<h4>Body${requestBody.required === true ? "" : " (optional)"}</h4>${contentOf(requestBody.content)}${fieldsOf(requestBody.content, schemas)}`}
${requestBody === undefined ? "" : examplesOf(requestBody.content)}
${frames === undefined ? "" : html`<h4>Frames</h4>${contentOf(frames)}${examplesOf(frames)}`}
<h4>Answers</h4>
<div class="scroll"><table><thead><tr><th scope="col">Status</th><th scope="col">When</th><th scope="col">Body and headers</th></tr></thead>
<tbody>${Object.entries(operation.responses).map(answerRow)}</tbody></table></div>
${Object.entries(operation.responses).map(([status, { content = {}, component }]) => (component === undefined ? examplesOf(content, status) : ""))}
</article>`;
}

/** A refusal is the same everywhere, and told once. */
function answerRow([status, { description, content = {}, headers = {}, component }]: [
  string,
  ResponseObject,
]): Html {
  const body =
    component === undefined
      ? html`${contentOf(content)}${headersOf(headers)}`
      : html`<a href="#answer-${component}">${component}</a>`;
  return html`
<tr><td><code>${status}</code></td><td>${prose(description)}</td><td>${body}</td></tr>`;
}

function refusalSection([name, { description, content = {}, headers = {} }]: [string, ResponseObject]): Html {
  return html`<article id="answer-${name}"><h3>${name}</h3><p>${prose(description)}</p>${contentOf(content)}${headersOf(headers)}${examplesOf(content)}</article>`;
}

function headersOf(headers: NonNullable<ResponseObject["headers"]>): Html {
  return html`${Object.entries(headers).map(
    ([name, header]) =>
      html`<div><code>${name}</code> ${isSchema(header) ? prose(header.description) : ""}</div>`,
  )}`;
}

function aboutOf(group: string, tags: NonNullable<Document["tags"]>): Html {
  const about = tags.find(({ name }) => name === group)?.description;
  return about === undefined ? html`` : html`<p>${prose(about)}</p>`;
}

/** The fields of a body, once, in whatever types it may come. */
function fieldsOf(content: MediaTypeObject, schemas: Schemas): Html {
  const named = Object.values(content).flatMap(({ schema }) => {
    const found = typeof schema?.$ref === "string" ? schemas[schema.$ref.split("/").at(-1) ?? ""] : undefined;
    return found === undefined ? [] : [found];
  });
  return html`${[...new Set(named)].map(schemaTable)}`;
}

function credentialsOf({ security = [] }: Operation): Html {
  const names = [...new Set(security.flatMap((one) => Object.keys(one)))];
  if (names.length === 0) return html`No credential needed.`;
  return html`Credential: ${names.map((name, index) => html`${index > 0 ? " or " : ""}<a href="#credentials">${name}</a>`)}`;
}

function parameterTable(parameters: NonNullable<Operation["parameters"]>): Html {
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>${parameters.map(
    (one) => html`
<tr><td><code>${one.name}</code>${one.required === true ? html` <span class="needed">required</span>` : ""}</td><td>${one.in}</td><td>${typeOf(one.schema)}</td><td>${prose(one.description)} ${notesOf(one.schema)}</td></tr>`,
  )}</tbody></table></div>`;
}

function contentOf(content: MediaTypeObject): Html {
  return html`${Object.entries(content).map(([type, { schema = {} }]) => {
    const body = isSchema(schema.properties) ? schemaTable(schema) : typeOf(schema);
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
    ([summary, value], index) => html`
<details${index === 0 ? html` open` : ""}><summary>${status === "" ? "" : html`<code>${status}</code> `}${prose(summary)}</summary><pre>${typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre></details>`,
  )}`;
}
