// The search of the API reference: names of operations, schemas, their fields and refusals. Pure.

import { pagePath, type Reference } from "./reference.ts";
import { fieldNames } from "./schema-table.ts";

export type FoundName = {
  readonly kind: "operation" | "schema" | "field" | "refusal";
  readonly name: string;
  readonly href: string;
  readonly summary: string;
};

export const MAX_QUERY_CHARS = 100;
const MAX_FOUND = 100;

/** Those that have every word of the query in their name, whichever the case; operations first. At most 100. */
export function searchNames(reference: Reference, query: string): readonly FoundName[] {
  const words = query
    .slice(0, MAX_QUERY_CHARS)
    .toLowerCase()
    .split(" ")
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const hasAll = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  return namesOf(reference)
    .filter(({ searched }) => hasAll(searched))
    .slice(0, MAX_FOUND)
    .map(({ found }) => found);
}

type Name = { readonly found: FoundName; readonly searched: string };

function namesOf({ document, pages, refusals, links }: Reference): readonly Name[] {
  const schemas = Object.entries(document.components.schemas);
  return [
    ...pages.flatMap(({ slug, operations }) =>
      operations.map(({ operationId, method, path, summary }): Name => {
        const name = `${method.toUpperCase()} ${path}`;
        const href = `${pagePath(slug)}#${operationId}`;
        return {
          found: { kind: "operation", name, href, summary },
          searched: `${name} ${operationId} ${summary}`,
        };
      }),
    ),
    ...schemas.map(([name, { description }]): Name => {
      const summary = typeof description === "string" ? description : "";
      return { found: { kind: "schema", name, href: links.toSchema(name), summary }, searched: name };
    }),
    ...refusals.map(
      ([name, { description }]): Name => ({
        found: { kind: "refusal", name, href: links.toRefusal(name), summary: description },
        searched: name,
      }),
    ),
    ...schemas.flatMap(([schema, value]) =>
      fieldNames(value).map((field): Name => {
        const name = `${schema}.${field}`;
        return { found: { kind: "field", name, href: links.toSchema(schema), summary: "" }, searched: name };
      }),
    ),
  ];
}
