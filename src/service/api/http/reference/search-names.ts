// The search of the API reference: names of operations, schemas, their fields and refusals, and of the client library. Pure.

import { CLIENT_SLUG, METHODS_SLUG, memberId, methodId } from "./client-library.ts";
import { pagePath, type Reference } from "./reference.ts";
import { fieldNames } from "./schema-table.ts";

type FoundName = {
  readonly kind:
    | "operation"
    | "client method"
    | "schema"
    | "client export"
    | "refusal"
    | "client member"
    | "field";
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

function namesOf({ document, pages, refusals, links, library }: Reference): readonly Name[] {
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
    ...library.methods.map((method): Name => {
      const name = `client.${method.noun}.${method.name}`;
      const href = `${pagePath(METHODS_SLUG)}#${methodId(method)}`;
      return { found: { kind: "client method", name, href, summary: "" }, searched: name };
    }),
    ...library.exports.map(({ name, about }): Name => {
      const href = `${pagePath(CLIENT_SLUG)}#${memberId(name)}`;
      return { found: { kind: "client export", name, href, summary: about }, searched: name };
    }),
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
    ...library.exports.flatMap(({ name: owner, members }) =>
      members.map(({ name: member, about }): Name => {
        const name = `${owner}.${member}`;
        const href = `${pagePath(CLIENT_SLUG)}#${memberId(owner)}`;
        return { found: { kind: "client member", name, href, summary: about }, searched: name };
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
