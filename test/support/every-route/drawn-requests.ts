// Requests of every operation of the document, drawn from its own schemas: allowed ones, and such with one change. Pure.

import fc from "fast-check";
import { type DocumentedRoute, documentedSchemas, type JsonObject } from "../document-checker.ts";
import type { Asked } from "../documented-api.ts";
import { changed, oddTexts } from "./changed-values.ts";
import { valuesOf } from "./schema-values.ts";
import { placeholdersOf } from "./standing-things.ts";
import type { Params } from "./workspace-maker.ts";

export type DrawnRequest = {
  readonly operationId: string;
  /** Instead of the parameters that name what is there. */
  readonly params: Params;
  readonly asked: Pick<Asked, "query" | "headers" | "raw" | "form">;
};

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Requests of the route, with placeholders for what is there. */
export function requestsOf({
  path,
  operation: { operationId, parameters = [], requestBody },
}: DocumentedRoute): fc.Arbitrary<DrawnRequest> {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const inQuery = parameters.filter(({ in: where }) => where === "query");
  const inHeader = parameters.filter(({ in: where }) => where === "header");
  return fc
    .record({
      params: mostly(fc.constant({}), inPath.length === 0 ? fc.constant({}) : oddParams(inPath)),
      query: queryOf(inQuery),
      headers: headersOf(inHeader),
      body: requestBody === undefined ? fc.constant<Body>({}) : bodiesOf(requestBody.content),
    })
    .map(({ params, query, headers, body }) => ({
      operationId,
      params,
      asked: {
        ...body,
        ...(query === "" ? {} : { query }),
        headers: { ...body.headers, ...headers },
      },
    }));
}

/** One in eight is odd: most requests have at most one change. */
function mostly<Value>(usual: fc.Arbitrary<Value>, odd: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 7, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

function oddParams(names: readonly string[]): fc.Arbitrary<Params> {
  return fc
    .tuple(fc.constantFrom(...names), oddTexts)
    .map(([name, text]) => ({ [name]: encodeURIComponent(text.toWellFormed().slice(0, 5_000)) }));
}

type Parameters = NonNullable<DocumentedRoute["operation"]["parameters"]>;

function queryOf(parameters: Parameters): fc.Arbitrary<string> {
  if (parameters.length === 0) return mostly(fc.constant(""), fc.constant("made_up=1"));
  const values = parameters.map(({ name, schema }) => {
    const allowed = valuesOf(schema, placeholdersOf, { field: name, depth: 0 }).map(String);
    // Nobody moves the clock: what waits would wait for ever.
    if (name === "wait") return [name, fc.constantFrom("0", "-1", "x", "31")] as const;
    return [name, mostly(allowed, oddTexts)] as const;
  });
  // A file is always named.
  const requiredKeys = parameters.map(({ name }) => name).filter((name) => name === "path");
  return fc.record(Object.fromEntries(values), { requiredKeys }).map((query) =>
    Object.entries(query)
      .map(([name, text]) => `${name}=${encodeURIComponent(String(text).toWellFormed())}`)
      .join("&"),
  );
}

function headersOf(parameters: Parameters): fc.Arbitrary<Readonly<Record<string, string>>> {
  const values = parameters.map(({ name, schema }) => {
    const own = {
      Range: ["bytes=0-1", "bytes=-1", "bytes=5-", "bytes=1-0", "bytes=99-", "lines=1"],
      "If-Match": ['"x"', "*"],
    };
    const known = own[name as keyof typeof own] ?? [];
    const texts = valuesOf(schema, placeholdersOf, { field: name, depth: 0 }).map((text) =>
      String(text).replace(/[^\x21-\x7e]/g, "-"),
    );
    return [name, known.length === 0 ? texts : fc.oneof(fc.constantFrom(...known), texts)] as const;
  });
  return fc
    .record(Object.fromEntries(values), { requiredKeys: [] })
    .map((headers) => JSON.parse(JSON.stringify(headers)) as Readonly<Record<string, string>>);
}

type Body = Pick<Asked, "raw" | "form" | "headers">;
type Contents = NonNullable<DocumentedRoute["operation"]["requestBody"]>["content"];

function bodiesOf(content: Contents): fc.Arbitrary<Body> {
  return fc.oneof(...Object.entries(content).map(([type, { schema }]) => bodiesOfType(type, schema)));
}

function bodiesOfType(type: string, schema: JsonObject | undefined): fc.Arbitrary<Body> {
  if (schema === undefined)
    return fc.string({ unit: "binary", maxLength: 200 }).map((raw) => ofType(type, raw.toWellFormed()));
  const reference = String(schema.$ref).split("/").at(-1) ?? "";
  const allowed = valuesOf(documentedSchemas[reference] ?? {}, placeholdersOf);
  if (type === FORM_TYPE)
    return allowed.map((value) => ({
      form: Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, String(one)])),
    }));
  return fc.oneof(
    { weight: 2, arbitrary: allowed.map(jsonOf) },
    { weight: 3, arbitrary: allowed.chain(changed).map(jsonOf) },
  );
}

function jsonOf(value: unknown): Body {
  return ofType(JSON_TYPE, JSON.stringify(value) ?? "");
}

function ofType(type: string, raw: string): Body {
  return { raw, headers: { "content-type": type } };
}
