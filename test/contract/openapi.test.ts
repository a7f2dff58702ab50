// The OpenAPI document: whole in itself, and of the routes that the service serves, no more and no fewer.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lintOpenApi } from "../../scripts/lint-openapi.ts";
import { documentExamples } from "../../src/contract/openapi/examples.ts";
import { problemAnswers } from "../../src/contract/openapi/problem-answers.ts";
import { documentSchemas } from "../../src/contract/openapi/schemas.ts";
import { openApiDocument } from "../../src/contract/openapi.ts";
import { problemCodes } from "../../src/contract/problems/problem.ts";
import { createApp } from "../../src/service/api/http/app.ts";
import type { PublicProblem } from "../../src/service/api/shared/problems/public-problem.ts";
import { openCaller } from "../support/service-account.ts";
import { CoreFixture } from "../support/service-core.ts";

/** Pages for people, and the document itself. */
const UNDOCUMENTED = ["GET /claim/{token}", "GET /confirm/{scheduleId}", "GET /docs", "GET /openapi.json"];
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

describe("the OpenAPI document", () => {
  let fixture: CoreFixture;

  beforeAll(async () => {
    fixture = await CoreFixture.start();
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
    const app = createApp(fixture.core, { exchangeRatePerMinute: 1, trustedProxyHops: 0 });
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
    const api = await openCaller(await CoreFixture.start());
    const answer = await api.send("/openapi.json");
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(openApiDocument(fixture.core.policy.baseUrl))));
    await api.close();
  });

  it("says that every route but the operator's may answer that it was asked too often", () => {
    for (const { name, path, operation } of operations) {
      const isLimited = !["/metrics", "/healthz", "/readyz"].includes(path);
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
    broken.paths["/healthz"].get.operationId = "getAgent";
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
      expect(bare(operation.requestBody), name).toEqual([]);
      for (const answer of Object.values(operation.responses as Json)) expect(bare(answer), name).toEqual([]);
    }
    for (const [name, answer] of Object.entries(document.components.responses ?? {})) {
      expect(bare(answer), name).toEqual([]);
    }
  });

  it.each(Object.entries(documentExamples))(
    "gives in the example %s what the contract reads, and no field more",
    (_, { schema, value }) => {
      expect(documentSchemas[schema].parse(value)).toEqual(value);
    },
  );

  it("gives as events in examples only what this service writes", () => {
    const { events } = documentExamples.runEvents.value;
    for (const { event } of events) expect(documentSchemas.RunEvent.parse(event)).toEqual(event);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  it("has an answer for every status that a refusal can have", () => {
    const answers: Readonly<Record<PublicProblem["status"], { readonly name: string }>> = problemAnswers;
    expect(Object.values(answers).map(({ name }) => name)).toEqual(
      Object.keys(document.components.responses ?? {}),
    );
  });

  it("says of every operation what refuses it, but of those that check health", () => {
    for (const { name, path, operation } of operations) {
      const refusals = Object.keys(operation.responses as Json).filter((status) => status.startsWith("4"));
      expect(refusals.length > 0, name).toBe(!PROBES.includes(path));
    }
  });

  it("has no schema that generators of code stumble over", () => {
    const schemas = JSON.stringify(document.components.schemas);
    expect(schemas).not.toMatch(/:\{\}|"\$id"|"\$schema"|"\$defs"|9007199254740991/);
    for (const ref of refsIn(document.components.schemas)) {
      expect(ref).toMatch(/^#\/components\/schemas\/\w+$/);
    }
  });

  it("knows no code twice", () => {
    expect(new Set(problemCodes).size).toBe(problemCodes.length);
  });
});
