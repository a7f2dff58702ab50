// What the OpenAPI document declares, compared with what is answered: status, content type and body.

import { expect } from "vitest";
import { components as schemas } from "../../src/contract/openapi/components.ts";
import { openApiDocument } from "../../src/contract/openapi/document.ts";
import type { Answer } from "./service-client.ts";

export type Operation = {
  readonly operationId: string;
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, Declared>>;
};
type Declared = { readonly $ref?: string; readonly content?: Readonly<Record<string, Content>> };
type Content = { readonly schema?: { readonly $ref?: string } };
export type DocumentedRoute = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
};

const { paths, components } = (await openApiDocument("http://service.example")) as {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly responses: Record<string, Declared> };
};

/** Every operation of the document. */
export const documentedRoutes: readonly DocumentedRoute[] = Object.entries(paths).flatMap(
  ([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
);

/** Fails unless the document declares the answer: its status, its content type and the shape of its body. Never a 500. */
export function expectDeclared(what: string, { responses }: Operation, answer: Answer): void {
  const answered = `${what} answered ${answer.status} ${answer.text.slice(0, 300)}`;
  expect(answer.status, answered).not.toBe(500);
  const listed = responses[String(answer.status)];
  const declared = components.responses[nameOf(listed) ?? ""] ?? listed;
  if (declared === undefined) throw new Error(`${answered}, which is not in the document.`);
  if (declared.content === undefined) {
    expect(answer.text, answered).toBe("");
    return;
  }
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "none";
  expect(Object.keys(declared.content), `The content type of: ${answered}`).toContain(type);
  const name = nameOf(declared.content[type]?.schema);
  if (name === undefined) return;
  expect(schemas[name]?.schema.safeParse(answer.body).error?.message, answered).toBeUndefined();
}

function nameOf(reference: { readonly $ref?: string } | undefined): string | undefined {
  return reference?.$ref?.split("/").at(-1);
}
