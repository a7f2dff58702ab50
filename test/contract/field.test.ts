// Fields and their texts: a field without one does not compile; the compiler is what tests it.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { component } from "../../src/contract/component.ts";
import { extend, field, object, schemaOf, strictObject, textOf } from "../../src/contract/field.ts";
import { toJsonSchemas } from "../../src/contract/openapi/json-schema.ts";
import { defineRoute, owners } from "../../src/contract/route.ts";
import { listOf } from "../../src/contract/workspaces/record.ts";

const nameSchema = object({ first: field(z.string(), "The first name.") });

describe("a field", () => {
  it("takes and gives what its schema does, and has a text of its own", () => {
    const one = field(nameSchema, "Who asked.");
    const other = field(z.optional(nameSchema), "Who answered.");
    expect(z.parse(object({ one, other }), { one: { first: "Ada" } })).toEqual({ one: { first: "Ada" } });
    expect([textOf(one), textOf(other), textOf(nameSchema)]).toEqual([
      "Who asked.",
      "Who answered.",
      undefined,
    ]);
    expect(schemaOf(one)).toBe(nameSchema);
  });

  it("shows its text first, beside the name of its schema", () => {
    const pair = object({
      one: field(nameSchema, "Who asked."),
      more: field(z.array(nameSchema), "The rest."),
    });
    const schemas = toJsonSchemas({ Name: component(nameSchema, "A name."), Pair: component(pair, "Two.") });
    expect(JSON.stringify(schemas.Pair)).toBe(
      '{"description":"Two.","type":"object","properties":{"one":{"description":"Who asked.","$ref":"#/components/schemas/Name"},"more":{"description":"The rest.","type":"array","items":{"$ref":"#/components/schemas/Name"}}},"required":["one","more"]}',
    );
  });

  it("does not compile without a text", () => {
    // Each line is what somebody may forget. A directive that meets no error is an error itself, so that the check of types fails once
    // one of them compiles.
    const forgotten = [
      // @ts-expect-error A field of an answer has no text.
      object({ first: z.string() }),
      // @ts-expect-error A field of a request has no text.
      strictObject({ first: z.string() }),
      // @ts-expect-error A field that is added has no text.
      extend(nameSchema, { last: z.string() }),
      // @ts-expect-error A field of an object within a field has no text.
      object({ name: field(object({ first: z.string() }), "The name.") }),
      // @ts-expect-error The text is left out.
      object({ first: field(z.string()) }),
    ];
    // @ts-expect-error The items have no text.
    expect([...forgotten, listOf(nameSchema)]).toHaveLength(6);
  });
});

describe("a route", () => {
  const detail = { callers: owners, repeat: "safe", answer: nameSchema, answers: { 200: "It." } } as const;

  it("does not compile without a text, or with a parameter that has none", () => {
    // As above: the check of types fails once one of them compiles.
    const forgotten = [
      // @ts-expect-error It has no summary.
      defineRoute("GET /v1/agents", detail),
      // @ts-expect-error The parameter has no description.
      defineRoute("GET /v1/agents/{agentNumber}", { ...detail, summary: "Read an agent" }),
      // @ts-expect-error An AI client may call it, and nothing says what its token needs.
      defineRoute("GET /v1/agents", { ...detail, summary: "List agents", callers: ["ai_client"] }),
    ];
    expect(forgotten).toHaveLength(3);
  });
});

it("is in every object of the contract, since none is made in another way", () => {
  const root = join(import.meta.dirname, "../../src/contract");
  const others = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && path !== "field.ts")
    .filter((path) =>
      /\bz\.(?:object|strictObject|extend)\(|base\/strict-object/.test(
        readFileSync(join(root, path), "utf8"),
      ),
    );
  expect(others).toEqual([]);
});
