// The OpenAPI document: whole in itself, and of the routes that the service serves, no more and no fewer.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/contract/openapi.ts";
import { problemCodes } from "../../src/contract/problem.ts";
import { createApp } from "../../src/service/http/app.ts";
import { CoreBed } from "../support/service-core.ts";

/** Pages for people, and the document itself. */
const UNDOCUMENTED = ["GET /claim/{token}", "GET /confirm/{scheduleId}", "GET /docs", "GET /openapi.json"];
const METHODS = ["get", "post", "put", "patch", "delete"];

type Json = { readonly [key: string]: unknown };

const document = openApiDocument("https://agents.example") as {
  readonly openapi: string;
  readonly info: Json;
  readonly paths: Record<string, Record<string, Json>>;
  readonly components: { readonly schemas: Json; readonly securitySchemes: Json };
};

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, path, operation }];
  }),
);

describe("the OpenAPI document", () => {
  let bed: CoreBed;

  beforeAll(async () => {
    bed = await CoreBed.start();
  });

  afterAll(() => bed.close());

  it("is OpenAPI 3.1.0, of the API's version 1.0.0", () => {
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info: { version: "1.0.0" },
      servers: [{ url: "https://agents.example" }],
    });
  });

  it("holds everything that it refers to", () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? "");
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
    const app = createApp(bed.core, { ratePerMinute: 1, trustedProxyHops: 0 });
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
    const app = createApp(bed.core, { ratePerMinute: 1, trustedProxyHops: 0 });
    const response = await app.request("/openapi.json");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(
      JSON.parse(JSON.stringify(openApiDocument(bed.core.policy.baseUrl))),
    );
  });

  it("knows no code twice", () => {
    expect(new Set(problemCodes).size).toBe(problemCodes.length);
  });
});
