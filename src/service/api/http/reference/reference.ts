// The API reference, made of the OpenAPI document and of what the compiler read of the client library: a page a noun, one of the
// refusals, two of the client, and which page has what. Pure.

import type { ClientLibrary } from "./client-library.ts";
import {
  type Document,
  type DocumentOperation,
  METHODS,
  type ResponseObject,
  readDocument,
  type Schemas,
} from "./openapi-document.ts";
import { isSchema, type JsonSchema, type ReferenceLinks, referredName } from "./schema-table.ts";

/** A page: operations of one noun, and the schemas that are needed there most. */
export type NounPage = {
  readonly slug: string;
  readonly title: string;
  readonly about: string;
  readonly operations: readonly DocumentOperation[];
  readonly schemas: readonly (readonly [name: string, schema: JsonSchema])[];
  /** Schemas of the page that are shown as the body of an operation, whose id they have as their value. */
  readonly bodies: ReadonlyMap<string, string>;
};

export type Reference = {
  readonly document: Document;
  readonly pages: readonly NounPage[];
  readonly refusals: readonly (readonly [name: string, refusal: ResponseObject])[];
  readonly links: ReferenceLinks;
  readonly library: ClientLibrary;
};

export const REFUSALS_SLUG = "refusals";

/** Throws on what is no OpenAPI document. */
export function readReference(openApi: unknown, library: ClientLibrary): Reference {
  const document = readDocument(openApi);
  const { tags = [], components } = document;
  const byNoun = Map.groupBy(operationsOf(document), nounOf);
  const titles = [...new Set([...tags.map(({ name }) => name), ...byNoun.keys()])];
  const placed = placeSchemas(byNoun, components.schemas);
  const pages = titles.map((title): NounPage => {
    const operations = byNoun.get(title) ?? [];
    const bodies = bodiesOf(operations, (name) => placed.get(name) === title);
    const own = [...placed].flatMap(([name, noun]) => (noun === title && !bodies.has(name) ? [name] : []));
    return {
      slug: slugOf(title),
      title,
      about: tags.find(({ name }) => name === title)?.description ?? "",
      operations,
      schemas: own.sort().map((name) => [name, components.schemas[name] ?? {}]),
      bodies,
    };
  });
  return {
    document,
    pages,
    refusals: Object.entries(components.responses ?? {}),
    library,
    links: {
      toSchema: (name) => `${pagePath(slugOf(placed.get(name) ?? ""))}#schema-${name}`,
      toRefusal: (name) => `${pagePath(REFUSALS_SLUG)}#answer-${name}`,
    },
  };
}

export function pagePath(slug: string): string {
  return `/docs/${slug}`;
}

function operationsOf({ paths }: Document): readonly DocumentOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ ...operation, method, path }];
    }),
  );
}

function nounOf({ tags }: DocumentOperation): string {
  return tags?.[0] ?? "Others";
}

function slugOf(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}

/** The noun of each schema: the one that has most operations which lead to it. */
function placeSchemas(
  byNoun: ReadonlyMap<string, readonly DocumentOperation[]>,
  schemas: Schemas,
): ReadonlyMap<string, string> {
  const most = new Map<string, { readonly noun: string; readonly uses: number }>();
  for (const [noun, operations] of byNoun) {
    const used = operations.flatMap((operation) => [...schemasUsed(operation, schemas)]);
    for (const [name, { length: uses }] of Map.groupBy(used, (name) => name)) {
      if (uses > (most.get(name)?.uses ?? 0)) most.set(name, { noun, uses });
    }
  }
  return new Map([...most].map(([name, { noun }]) => [name, noun]));
}

function bodiesOf(
  operations: readonly DocumentOperation[],
  isOwn: (schema: string) => boolean,
): ReadonlyMap<string, string> {
  const bodies = new Map<string, string>();
  for (const { operationId, requestBody } of operations) {
    for (const { schema } of Object.values(requestBody?.content ?? {})) {
      const name = schema === undefined ? null : referredName(schema);
      if (name !== null && isOwn(name) && !bodies.has(name)) bodies.set(name, operationId);
    }
  }
  return bodies;
}

/** Names of the schemas that an operation refers to, and of those that these refer to. */
function schemasUsed(operation: DocumentOperation, schemas: Schemas): ReadonlySet<string> {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const one of value) visit(one);
      return;
    }
    if (!isSchema(value)) return;
    const name = referredName(value);
    if (name !== null && name in schemas && !used.has(name)) {
      used.add(name);
      visit(schemas[name]);
    }
    for (const one of Object.values(value)) visit(one);
  };
  visit(operation);
  return used;
}
