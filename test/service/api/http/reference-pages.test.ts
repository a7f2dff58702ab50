import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiDocument } from "../../../../src/contract/openapi/document.ts";
import {
  contentsPage,
  openReference,
  referencePage,
  searchPage,
} from "../../../../src/service/api/http/reference/reference-pages.ts";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";

type Document = {
  readonly paths: Record<string, Record<string, { operationId: string; summary: string }>>;
  readonly components: { readonly schemas: Record<string, { properties?: Record<string, unknown> }> };
};

const document = openApiDocument("https://agents.example");
const { paths, components } = document as unknown as Document;

/** The text of a page, without its tags. */
function textOf(page: string): string {
  return page
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replace(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

const reference = openReference(document);
const slugs = [...reference.pages.map(({ slug }) => slug), "refusals", "client-library", "client-methods"];

async function shownPage(slug: string): Promise<string> {
  return (await referencePage(reference, slug)) ?? "";
}

/** All pages, in one. */
async function allPages(): Promise<string> {
  return (await Promise.all(slugs.map(shownPage))).join("");
}

async function pageOf(path: string, operation: object, schemas: object = {}): Promise<string> {
  const read = openReference({
    info: { title: "API", version: "1" },
    servers: [{ url: "https://agents.example" }],
    paths: { [path]: { get: { operationId: "op", summary: "An operation", responses: {}, ...operation } } },
    components: { securitySchemes: {}, schemas },
  });
  return (await referencePage(read, "others")) ?? "";
}

describe("the reference's pages", () => {
  it("have every operation, every schema and every field, each once with a place to link to", async () => {
    const page = await allPages();
    const text = textOf(page);
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, { operationId, summary }] of Object.entries(item)) {
        expect(page.split(`id="${operationId}"`), operationId).toHaveLength(2);
        expect(text).toContain(`${method} ${path}`);
        expect(text).toContain(summary.replaceAll("`", ""));
      }
    }
    for (const [name, { properties }] of Object.entries(components.schemas)) {
      expect(page.split(`id="schema-${name}"`), name).toHaveLength(2);
      for (const field of Object.keys(properties ?? {})) expect(page).toContain(`<code>${field}</code>`);
    }
  });

  it("are 200 KB at most, each", async () => {
    const sizes = await Promise.all(
      slugs.map(async (slug) => [slug, Buffer.byteLength(await shownPage(slug))] as const),
    );
    expect(sizes.filter(([, bytes]) => bytes > 200_000)).toEqual([]);
  });

  it("lead nowhere that is not there", async () => {
    const shown: [string, string][] = [["/docs", await contentsPage(reference)]];
    for (const slug of slugs) shown.push([`/docs/${slug}`, await shownPage(slug)]);
    const places = new Set(["/openapi.json", "data:,"]);
    for (const [path, page] of shown) {
      places.add(path);
      for (const [, id] of page.matchAll(/\bid="([^"]+)"/g)) places.add(`${path}#${id}`);
    }
    const targets = shown.flatMap(([path, page]) =>
      [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = ""]) =>
        target.startsWith("#") ? path + target : target,
      ),
    );
    expect(targets.length).toBeGreaterThan(500);
    expect([...new Set(targets)].filter((target) => !places.has(target))).toEqual([]);
  });

  it("have no script, no inline style and nothing undefined", async () => {
    const page = (await contentsPage(reference)) + (await allPages());
    expect(page).not.toMatch(/<script|\bon\w+="|\bstyle="|javascript:/i);
    // Texts of the client library have the word.
    const library = await shownPage("client-library");
    expect(textOf(page.replace(library, ""))).not.toMatch(/undefined|\[object|NaN|Infinity|9007199254740991/);
    expect(library).not.toMatch(/<(?:td|p|h3|a [^>]*)>undefined|\[object/);
  });

  it("are found by the names of operations, schemas, fields and refusals", async () => {
    const found = async (query: string) =>
      textOf((await searchPage(reference, query)).split("<main>")[1] ?? "");
    expect(await found("cancel runs")).toContain("operationPOST /v1/agents/{agentID}/runs/{runID}/cancel");
    expect(await found("AUDIENCE resp")).toContain("schemaAudienceResponse");
    expect(await found("parked.until")).toContain("fieldParked.until");
    expect(await found("toomany")).toContain("refusalTooManyRequests");
    expect(await found("runs.submit")).toContain("client methodclient.runs.submit");
    expect(await found("editconflict")).toContain("client exportEditConflictError");
    expect(await found("ApiError.retryAfterMs")).toContain("client memberApiError.retryAfterMs");
    const none = await searchPage(reference, "<img src=x>");
    expect(none).toContain("No operation, schema, field, refusal or part of the client library");
    expect(none).not.toContain("<img");
  });

  it("takes what the document says for text", async () => {
    const hostile = '<img src=x onerror="alert(1)">';
    const page = await pageOf("/v1/x", {
      summary: hostile,
      description: `\`${hostile}\``,
      parameters: [{ name: hostile, in: hostile, schema: { type: hostile, default: hostile } }],
      responses: { 200: { description: hostile, content: { [hostile]: { example: hostile } } } },
    });
    expect(page).not.toContain("<img");
    expect(textOf(page)).toContain("&lt;img src=x");
  });

  it("shows limits, defaults, inner fields, choices and examples", async () => {
    const schemas = {
      Thing: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", minLength: 1, maxLength: 9 },
          parts: { type: "array", items: { type: "object", properties: { mode: { enum: ["a", "b"] } } } },
          choice: { $ref: "#/components/schemas/Choice" },
          either: { type: ["integer", "null"] },
          end: { anyOf: [{ type: "string", format: "date-time", pattern: "x" }, { type: "null" }] },
        },
      },
      Choice: {
        oneOf: [
          { type: "object", properties: { status: { const: "on" }, since: { type: "integer" } } },
          { type: "object", properties: { status: { const: "off" } } },
        ],
      },
    };
    const query = { name: "limit", in: "query", schema: { type: "integer", minimum: 1, default: 5 } };
    const schema = { $ref: "#/components/schemas/Thing" };
    const content = { "application/json": { schema, example: { name: "one" } } };
    const page = await pageOf(
      "/v1/x",
      {
        security: [{ capability: [] }, { apiKey: [] }],
        parameters: [query],
        responses: { 200: { description: "A thing.", content } },
      },
      schemas,
    );
    const text = textOf(page);
    expect(text).toContain("name requiredstring characters ≥ 1, characters ≤ 9");
    expect(text).toContain("parts[].mode");
    expect(text).toContain('"a" or "b"');
    expect(text).toContain("string, date-time or null");
    expect(text).toContain("integer or null");
    expect(text).toContain('Where status is "on"');
    expect(text).toContain("≥ 1, default 5");
    expect(text).toContain("Credential: capability or apiKey");
    expect(text).toContain('"name": "one"');
    expect(page).toContain('<a href="/docs/others#schema-Thing">Thing</a>');
  });

  it("have every export and every method of the client library, with its operation", async () => {
    const [library, methods] = await Promise.all([shownPage("client-library"), shownPage("client-methods")]);
    for (const { name, members } of reference.library.exports) {
      expect(library.split(`id="client-${name}"`), name).toHaveLength(2);
      for (const member of members) expect(library).toContain(`<code>${member.name}</code>`);
    }
    expect(library).toContain('<a href="/docs/runs#schema-Run">Run</a>');
    for (const { noun, name } of reference.library.methods)
      expect(methods).toContain(`client.${noun}.${name}(`);
    // The client's own methods are told by their docstrings; each other one leads to its operation.
    const rows = methods.split("<tr ").slice(1);
    expect(rows.filter((row) => !/<td>[^<]*(?:<a |<code>)/.test(row.split("</td>")[1] ?? ""))).toEqual([]);
    expect(methods).toContain('<a href="/docs/runs#runsSubmit">');
    expect(textOf(await shownPage("runs"))).toContain(
      "Client: client.runs.submit({ agentId, body, idempotencyKey? })",
    );
  });

  it("tells a refusal once, and links to it from every operation", async () => {
    const page = await allPages();
    expect(page.split('id="answer-NotFound"')).toHaveLength(2);
    expect(page.split('<a href="/docs/refusals#answer-NotFound">404 NotFound</a>').length).toBeGreaterThan(
      10,
    );
    expect(textOf(page).split('"code": "not_found"')).toHaveLength(2);
  });

  it("shows the examples of bodies, answers and frames by what they are", async () => {
    const text = textOf(await allPages());
    expect(text).toContain('A message, in a new session{\n  "message": "Find out why');
    expect(text).toContain("202 Queued{");
    expect(text).toContain('A run, from its first event{\n  "type": "subscribe"');
  });

  it("refuse what is no OpenAPI document", () => {
    expect(() => openReference({})).toThrow();
  });
});

describe("GET /docs", () => {
  let fixture: ServiceFixture;

  beforeAll(async () => {
    fixture = await startFixture({ level: "service" });
  });

  afterAll(() => fixture.close());

  it("shows the page under a policy that allows its own style and nothing else", async () => {
    const answer = await fixture.call("/docs");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const policy = answer.headers.get("content-security-policy") ?? "";
    const style = /<style>([\s\S]*?)<\/style>/.exec(answer.text)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    );
    expect(answer.text).toContain(fixture.url);
  });

  it("shows a page a noun, what a search finds, and nothing else", async () => {
    const runs = await fixture.call("/docs/runs");
    expect([runs.status, runs.text.includes('id="runsSubmit"')]).toEqual([200, true]);
    const found = await fixture.call("/docs?q=submit");
    expect([found.status, found.text.includes('href="/docs/runs#runsSubmit"')]).toEqual([200, true]);
    expect((await fixture.call("/docs/nothing")).status).toBe(404);
  });

  it("answers 304 to whoever has it", async () => {
    const etag = (await fixture.call("/docs")).headers.get("etag") ?? "";
    const answer = await fixture.call("/docs", { headers: { "if-none-match": etag } });
    expect([answer.status, answer.text]).toEqual([304, ""]);
  });
});
