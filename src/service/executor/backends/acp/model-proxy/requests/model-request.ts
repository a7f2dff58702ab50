// A request of an agent to its model, decoded: its fields, and the body that is sent in its place. Pure.

import type * as z from "zod/mini";
import { isObject } from "../../../../../../base/json.ts";
import { ProxyRefusal } from "../proxy-refusal.ts";

type SentRequest = {
  /** The one that was priced. */
  readonly model: string;
  /** The longest answer. Null: the request has none. */
  readonly maxOutputTokens: number | null;
};

export type DecodedRequest = {
  /** Null where the path names it. */
  readonly model: string | null;
  /** The length of the answer that is asked for. Null: the request does not say. */
  readonly maxOutputTokens: number | null;
  /** Made of what was decoded alone: nothing of the agent's own body is in it. */
  body(sent: SentRequest): Readonly<Record<string, unknown>>;
};

export type RequestDecoder = (body: unknown) => DecodedRequest;

/** The part of the body that the schema keeps. Throws a `ProxyRefusal` that names the field, what is wrong and what to do. */
export function keptOf<Schema extends z.ZodMiniType>(schema: Schema, body: unknown): z.output<Schema> {
  if (!isObject(body)) throw new ProxyRefusal(400, "The body must be a JSON object.");
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = fieldOf(issue?.path ?? []);
  const message = issue?.code === "custom" ? issue.message : "is not of the form that the API documents.";
  throw new ProxyRefusal(400, `"${field}" ${message}`, field);
}

/** A length that can be one. */
export function lengthIn(...named: readonly unknown[]): number | null {
  const size = named.find((value) => typeof value === "number" && Number.isSafeInteger(value) && value > 0);
  return typeof size === "number" ? size : null;
}

function fieldOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((field, part) => {
    if (typeof part === "number") return `${field}[${part}]`;
    return field === "" ? String(part) : `${field}.${String(part)}`;
  }, "");
}
