// The OpenAPI document: whole in itself, and of the routes that the service serves, no more and no fewer.

import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lintOpenApi } from "../../scripts/lint-openapi.ts";
import { PACK_TYPE } from "../../src/contract/ci/commits.ts";
import { ciRunPageSchema } from "../../src/contract/ci/run-page.ts";
import { components } from "../../src/contract/openapi/components.ts";
import { openApiDocument } from "../../src/contract/openapi/document.ts";
import { headersTooLarge } from "../../src/contract/openapi/operation.ts";
import { problemCodes } from "../../src/contract/problems/problem.ts";
import { problemAnswers } from "../../src/contract/problems/problem-answers.ts";
import { writtenEventSchema } from "../../src/contract/runs/run-event.ts";
import { createApp } from "../../src/service/api/http/app.ts";
import type { PublicProblem } from "../../src/service/core/ports/problem.ts";
import { faces } from "../../src/service/faces/faces.ts";
import type { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { openCaller } from "../support/service-account.ts";

/** Pages for people, and the document itself. */
const UNDOCUMENTED = [
  "GET /claim/{token}",
  "GET /confirm/{scheduleId}",
  "GET /docs",
  "GET /docs/{page}",
  "GET /openapi.json",
];
/** What they answer does not hang on the request. */
const PROBES = ["/healthz", "/readyz"];
const METHODS = ["get", "post", "put", "patch", "delete"];

type Json = { readonly [key: string]: unknown };

const document = openApiDocument("https://agents.example") as {
  readonly openapi: string;
  readonly info: Json;
  readonly paths: Record<string, Record<string, Json>>;
  readonly components: Readonly<Record<string, Json>>;
  readonly tags: readonly { readonly name: string }[];
};

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, path, operation }];
  }),
);

type Contents = {
  readonly content?: Record<string, { readonly example?: unknown; readonly examples?: Json }>;
};

/** The media types of a body or an answer that show no example. */
function bare(holder: unknown): string[] {
  const { content = {} } = (holder ?? {}) as Contents;
  return Object.entries(content).flatMap(([type, { example, examples = {} }]) =>
    example === undefined && Object.keys(examples).length === 0 ? [type] : [],
  );
}

function refsIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? "");
}

/** The path of each property that has no description. */
function fieldsWithoutText(value: unknown, at: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const bare =
      key === "properties" && typeof inner === "object"
        ? Object.entries(inner as Json).filter(([, field]) => !(field as Json).description)
        : [];
    return [...bare.map(([name]) => `${at}/properties/${name}`), ...fieldsWithoutText(inner, `${at}/${key}`)];
  });
}

/** Every example with the name of the schema that it is shown for. */
function examplesInUse(): { name: string; schema: string; value: unknown }[] {
  const found: { name: string; schema: string; value: unknown }[] = [];
  const held = document.components.examples as Record<string, { readonly value: unknown }>;
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { schema, examples } = value as { schema?: Json; examples?: Json };
    if (typeof schema?.$ref === "string" && examples !== undefined) {
      for (const name of Object.keys(examples)) {
        found.push({ name, schema: schema.$ref.split("/").at(-1) ?? "", value: held[name]?.value });
      }
    }
    Object.values(value).forEach(visit);
  };
  visit(document.paths);
  visit(document.components.responses);
  return found;
}

const BYTES = [
  PACK_TYPE,
  "application/octet-stream",
  "application/x-git-bundle",
  "multipart/form-data",
  "text/event-stream",
];

describe("the OpenAPI document", () => {
  let fixture: CoreFixture;

  beforeAll(async () => {
    fixture = await startFixture({ level: "core" });
  });

  afterAll(() => fixture.close());

  it("is OpenAPI 3.1.0, of the API's version 1.0.0", () => {
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info: { version: "1.0.0" },
      servers: [{ url: "https://agents.example" }],
    });
  });

  it("holds everything that it refers to", () => {
    const refs = refsIn(document);
    expect(refs.length).toBeGreaterThan(20);
    for (const ref of refs) {
      expect(ref).toMatch(/^#\//);
      const found = ref
        .slice(2)
        .split("/")
        .reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document);
      expect(found, ref).toBeDefined();
    }
  });

  it("has the routes that are served, and serves the routes that it has", () => {
    const app = createApp(fixture.core, fixture.submitter, {
      exchangeRatePerMinute: 1,
      trustedProxyHops: 0,
      corsOrigins: [],
      faces: faces.filter((face) => "addresses" in face),
    });
    const served = app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
      .filter((route) => !UNDOCUMENTED.includes(route));
    expect([...new Set(served)].sort()).toEqual(operations.map(({ name }) => name).sort());
  });

  it("declares every parameter of every path, and only those", () => {
    for (const { name, path, operation } of operations) {
      const parameters = (operation.parameters ?? []) as { name: string; in: string }[];
      const declared = parameters
        .filter((parameter) => parameter.in === "path")
        .map((parameter) => parameter.name);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      expect(declared, name).toEqual(named);
    }
  });

  it("names each operation once, and says who may call it and what it answers", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, operation } of operations) {
      expect(operation.summary, name).toEqual(expect.any(String));
      expect(operation.security, name).toEqual(expect.any(Array));
      expect(
        Object.keys(operation.responses as Json).some((status) => /^(101|2..)$/.test(status)),
        name,
      ).toBe(true);
      if ((operation.security as unknown[]).length > 0) {
        expect(Object.keys(operation.responses as Json), name).toContain("401");
      }
    }
  });

  it("is what the service gives", async () => {
    const api = await openCaller(await startFixture({ level: "core" }));
    const answer = await api.send("/openapi.json");
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(openApiDocument(fixture.core.policy.baseUrl))));
    await api.close();
  });

  it("says that every route but the operator's may answer that it was asked too often", () => {
    for (const { name, path, operation } of operations) {
      const isLimited = !["/healthz", "/readyz"].includes(path);
      expect("429" in (operation.responses as Json), name).toBe(isLimited);
    }
  });

  it("refers to everything that it holds", () => {
    const { securitySchemes: _, ...components } = document.components;
    const held = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    const used = new Set(refsIn(document));
    expect(held.filter((ref) => !used.has(ref))).toEqual([]);
  });

  it("has nothing that Redocly's rules find", async () => {
    expect(await lintOpenApi(openApiDocument("https://agent-service.example"))).toEqual([]);
  });

  it("is linted by rules that find what is wrong, and where", async () => {
    const broken = JSON.parse(JSON.stringify(openApiDocument("https://agent-service.example")));
    broken.components.examples.agent.value.created_at = 7;
    broken.paths["/healthz"].get.operationId = "agentsGet";
    const findings = await lintOpenApi(broken);
    expect(findings).toContainEqual({
      pointer: "#/components/examples/agent/value/created_at",
      rule: "no-invalid-media-type-examples",
      message: expect.stringContaining("must be string"),
    });
    expect(findings.map(({ rule }) => rule)).toContain("operation-operationId-unique");
  });

  it("shows an example of every body and every answer", () => {
    for (const { name, operation } of operations) {
      // Of bytes there is nothing to show.
      const shown = (content: unknown) => bare(content).filter((type) => !BYTES.includes(type));
      expect(shown(operation.requestBody), name).toEqual([]);
      for (const answer of Object.values(operation.responses as Json))
        expect(shown(answer), name).toEqual([]);
    }
    for (const [name, answer] of Object.entries(document.components.responses ?? {})) {
      expect(bare(answer), name).toEqual([]);
    }
  });

  it.each(examplesInUse())(
    "gives in the example $name what its schema reads, and no field more",
    ({ schema, value }) => {
      expect(components[schema]?.schema.parse(value)).toEqual(value);
    },
  );

  it("gives as events in examples only what this service writes", () => {
    const example = examplesInUse().find(({ name }) => name === "runEvents");
    const { events } = ciRunPageSchema.parse(example?.value);
    for (const { event } of events) expect(writtenEventSchema.parse(event)).toEqual(event);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  it("has an answer for every status that a refusal can have", () => {
    const answers: Readonly<Record<PublicProblem["status"], { readonly name: string }>> = problemAnswers;
    const names = [...Object.values(answers).map(({ name }) => name), headersTooLarge.name];
    expect(names).toEqual(expect.arrayContaining(Object.keys(document.components.responses ?? {})));
  });

  it("describes every field of every schema, and every parameter", () => {
    expect(fieldsWithoutText(document.components.schemas, "")).toEqual([]);
    for (const { name, operation } of operations) {
      for (const parameter of (operation.parameters ?? []) as Json[]) {
        expect(parameter.description, `${name} ${parameter.name}`).toEqual(expect.any(String));
      }
    }
  });

  it.each([
    ["SubmitRunRequest", ["message", "messages"]],
    ["SubmitFrame", ["message", "messages"]],
    ["SubscribeFrame", ["run_id", "session_id", "workspace_id"]],
    ["CreateScheduleRequest", ["fire_at", "delay_seconds"]],
  ])("says that %s needs exactly one of %j", (name, fields) => {
    const schema = document.components.schemas?.[name];
    expect(schema).toMatchObject({ oneOf: fields.map((field) => ({ required: [field] })) });
  });

  it("does not take an empty object for a run", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const check = ajv
      .addSchema(document, "api")
      .compile({ $ref: "api#/components/schemas/SubmitRunRequest" });
    const message = { role: "user", content: "hello" };
    expect([{}, { message: "hello" }, { messages: [message] }].map((body) => check(body))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("says of every path with a parameter that it may not be there", () => {
    for (const { name, path, operation } of operations) {
      if (path.includes("{")) expect(Object.keys(operation.responses as Json), name).toContain("404");
    }
  });

  it("has only patterns that JavaScript with and without the flag u, Go and Python read the same", () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
      ([, text = ""]) => String(JSON.parse(text)),
    );
    expect(patterns.length).toBeGreaterThan(3);
    for (const pattern of patterns) {
      for (const flags of ["", "u"]) expect(() => new RegExp(pattern, flags), pattern).not.toThrow();
      // RE2 has neither classes of Unicode in this spelling nor assertions.
      expect(pattern).not.toMatch(/\\p\{|\(\?[=!<]|\\u/);
    }
  });

  it("says of a query parameter without which a request is refused that it is required", () => {
    const needed = operations.flatMap(({ operation }) =>
      ((operation.parameters ?? []) as readonly Json[])
        .filter((one) => one.in === "query" && one.required === true)
        .map(({ name }) => `${operation.operationId} ${name}`),
    );
    expect(needed).toContain("filesRead path");
    expect(needed).not.toContain("filesStat path");
  });

  it("names operations by noun", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).toEqual(expect.arrayContaining(["runsSubmit", "agentsCreate", "ciExchange", "creditsGet"]));
  });

  it("says of every operation what refuses it, but of those that check health", () => {
    for (const { name, path, operation } of operations) {
      const refusals = Object.keys(operation.responses as Json).filter(
        // 431 comes before any route.
        (status) => status.startsWith("4") && status !== "431",
      );
      expect(refusals.length > 0, name).toBe(!PROBES.includes(path));
    }
  });

  it("has no schema that generators of code stumble over", () => {
    const schemas = JSON.stringify(document.components.schemas);
    expect(schemas).not.toMatch(/(?<!"properties"):\{\}|"\$id"|"\$schema"|"\$defs"|9007199254740991/);
    for (const ref of refsIn(document.components.schemas)) {
      expect(ref).toMatch(/^#\/components\/schemas\/\w+$/);
    }
  });

  it("knows no code twice", () => {
    expect(new Set(problemCodes).size).toBe(problemCodes.length);
  });
});
