// What the OpenAPI document declares, compared with what is answered: status, content type and body.

import { expect } from "vitest";
import { components as schemas } from "../../src/contract/openapi/components.ts";
import { openApiDocument } from "../../src/contract/openapi/document.ts";
import type { Answer } from "./service-client.ts";

/** A JSON Schema, or another object of the document. */
export type JsonObject = { readonly [key: string]: unknown };
export type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, BodyContent>> };
  readonly responses: Readonly<Record<string, Declared>>;
  readonly security: readonly JsonObject[];
};
type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: JsonObject;
};
type BodyContent = Content & { readonly examples?: Readonly<Record<string, { readonly $ref: string }>> };
type Declared = { readonly $ref?: string; readonly content?: Readonly<Record<string, Content>> };
type Content = { readonly schema?: { readonly $ref?: string } };
export type DocumentedRoute = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
};

const { paths, components } = openApiDocument("http://service.example") as {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly responses: Record<string, Declared>;
    readonly examples: Record<string, { readonly value: unknown }>;
    readonly schemas: Readonly<Record<string, JsonObject>>;
  };
};

/** The document's schemas by name. */
export const documentedSchemas: Readonly<Record<string, JsonObject>> = components.schemas;

/** Bodies in JSON that the document shows of an operation. */
export function exampleBodies({ requestBody }: Operation): readonly unknown[] {
  const examples = requestBody?.content["application/json"]?.examples ?? {};
  return Object.values(examples).map((one) => components.examples[nameOf(one) ?? ""]?.value);
}

/** Every operation of the document. */
export const documentedRoutes: readonly DocumentedRoute[] = Object.entries(paths).flatMap(
  ([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
);

/** Whose credential an operation takes first of all. */
export function mainCallerOf({ security }: Operation): "owner" | "job" | "everybody" {
  if (security.some((key) => "apiKey" in key)) return "owner";
  return security.length === 0 ? "everybody" : "job";
}

/** What an answer is declared by. */
export type DeclaredAnswer = { readonly status: number; readonly type: string };

/** The answers that were seen, each an operation, a status and a content type. */
export class SeenAnswers {
  readonly #seen = new Set<string>();

  add(operationId: string, { status, type }: DeclaredAnswer): void {
    this.#seen.add(`${operationId} ${status} ${type}`);
  }

  /** Ids of the operations that were never answered with success, in order. */
  withoutSuccess(): readonly string[] {
    const ids = new Set(
      declaredAnswers
        .filter(({ status }) => status >= 200 && status < 300)
        .filter((one) => this.#has(one))
        .map(({ operationId }) => operationId),
    );
    return documentedRoutes
      .map(({ operation }) => operation.operationId)
      .filter((id) => !ids.has(id))
      .sort();
  }

  /** What the document declares and nobody saw. */
  missing(): readonly (DeclaredAnswer & { readonly operationId: string })[] {
    return declaredAnswers.filter((one) => !this.#has(one));
  }

  #has({ operationId, status, type }: DeclaredAnswer & { readonly operationId: string }): boolean {
    return this.#seen.has(`${operationId} ${status} ${type}`);
  }
}

/** Of an answer without a body. */
const NO_TYPE = "no body";

/** Every status and content type that an operation declares. */
export const declaredAnswers: readonly (DeclaredAnswer & { readonly operationId: string })[] =
  documentedRoutes.flatMap(({ operation: { operationId, responses } }) =>
    Object.entries(responses).flatMap(([status, listed]) => {
      const { content } = declaredBy(listed) ?? {};
      const types = content === undefined ? [NO_TYPE] : Object.keys(content);
      return types.map((type) => ({ operationId, status: Number(status), type }));
    }),
  );

/**
 * Fails unless the document declares the answer: its status, its content type and the shape of its body. Never a 500. Returns
 * what declares it.
 */
export function expectDeclared(what: string, { responses }: Operation, answer: Answer): DeclaredAnswer {
  const answered = `${what} answered ${answer.status} ${answer.text.slice(0, 300)}`;
  expect(answer.status, answered).not.toBe(500);
  const { status } = answer;
  const declared = declaredBy(responses[String(status)]);
  if (declared === undefined) throw new Error(`${answered}, which is not in the document.`);
  if (declared.content === undefined) {
    expect(answer.text, answered).toBe("");
    return { status, type: NO_TYPE };
  }
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "none";
  expect(Object.keys(declared.content), `The content type of: ${answered}`).toContain(type);
  const name = nameOf(declared.content[type]?.schema);
  if (name !== undefined)
    expect(schemas[name]?.schema.safeParse(answer.body).error?.message, answered).toBeUndefined();
  return { status, type };
}

/** What an operation lists, itself or by its name. */
function declaredBy(listed: Declared | undefined): Declared | undefined {
  return components.responses[nameOf(listed) ?? ""] ?? listed;
}

function nameOf(reference: { readonly $ref?: string } | undefined): string | undefined {
  return reference?.$ref?.split("/").at(-1);
}
