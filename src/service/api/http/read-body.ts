// A request's body: bounded, of a type we read, decoded once by the contract.

import type { Clock } from "../../../base/clock.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { JsonBody } from "../../../contract/route.ts";
import { invalidRequest, type PublicProblem } from "../../core/ports/problem.ts";
import { decode } from "../shared/decode.ts";
import type { Env, RequestContext } from "./request-context.ts";

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
/** The server allows more, for bodies that are streamed. */
const LONGEST_BODY_MS = 5 * 60 * 1000;

export type BodyContext = {
  /** With the header Idempotency-Key, which wins, the body's key is not read. */
  readonly hasKey: boolean;
  readonly clock: Clock;
};

/** Reads and decodes the body, or says what is wrong with it. Never holds more than its `maxBytes`. */
export async function readBody(
  context: RequestContext,
  body: JsonBody,
  { hasKey, clock }: BodyContext,
): Promise<Result<unknown, PublicProblem>> {
  const value = body.isOptional && !hasBody(context) ? ok({}) : await readValue(context, body, clock);
  if (!value.ok) return value;
  return decode(body.schema, hasKey ? withoutKey(value.value) : value.value, "The body");
}

function hasBody(context: RequestContext): boolean {
  const length = Number(context.req.header("content-length") ?? 0);
  return length > 0 || context.req.header("transfer-encoding") !== undefined;
}

async function readValue(
  context: RequestContext,
  { acceptsForm, maxBytes }: JsonBody,
  clock: Clock,
): Promise<Result<unknown, PublicProblem>> {
  const allowed = acceptsForm ? [JSON_TYPE, FORM] : [JSON_TYPE];
  const type = typeOf(context);
  if (!allowed.includes(type)) return refused(unsupportedType(type, allowed));
  const text = await withinTime(context, clock, () => readText(context, maxBytes));
  if (text === undefined) return refused(invalidRequest("The body was cut off."));
  if (text === null) return refused(bodyTooLarge(maxBytes));
  if (type === FORM) return ok(Object.fromEntries(new URLSearchParams(text)));
  try {
    return ok(JSON.parse(text));
  } catch {
    return refused(invalidRequest("The body is not valid JSON."));
  }
}

/** Ends the connection of a body that does not come. One that is there already takes no timer. */
async function withinTime<Value>(
  context: RequestContext,
  clock: Clock,
  read: () => Promise<Value>,
): Promise<Value> {
  const { incoming } = context.env;
  if (incoming.readableLength >= Number(context.req.header("content-length") ?? Number.NaN))
    return await read();
  const isRead = new AbortController();
  void clock.sleep(LONGEST_BODY_MS, isRead.signal).then(
    () => incoming.destroy(),
    () => {},
  );
  return await read().finally(() => isRead.abort());
}

export function typeOf(context: RequestContext): string {
  return (context.req.header("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

export function unsupportedType(type: string, allowed: readonly string[]): PublicProblem {
  const got = type === "" ? "no Content-Type" : `"${type}"`;
  return {
    status: 415,
    code: "unsupported_media_type",
    message: `The body must be ${allowed.join(" or ")}, got ${got}.`,
  };
}

export function bodyTooLarge(maxBytes: number): PublicProblem {
  return { status: 413, code: "body_too_large", message: `The body may have ${maxBytes} bytes at most.` };
}

function withoutKey(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { idempotency_key: _, ...rest } = value as Readonly<Record<string, unknown>>;
  return rest;
}

/** The body as text; null when it is larger than allowed, undefined when the client went away in the middle. */
export async function readText(
  context: Pick<RequestContext, "env"> & { readonly req: { header(name: string): string | undefined } },
  maxBytes: number,
): Promise<string | null | undefined> {
  const { incoming } = context.env;
  const declared = Number(context.req.header("content-length") ?? Number.NaN);
  if (declared > maxBytes) return null;
  if (!Number.isNaN(declared)) return await readDeclared(incoming);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of incoming) {
      const buffer = Buffer.from(chunk);
      bytes += buffer.length;
      if (bytes > maxBytes) return null;
      chunks.push(buffer);
    }
  } catch (cause) {
    if (incoming.complete) throw cause;
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** A body whose length the parser keeps to. By events: an iterator costs as much as the rest of a small request's reading. */
function readDeclared(incoming: Env["Bindings"]["incoming"]): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    if (incoming.destroyed) return resolve(undefined);
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    incoming.once("close", () => resolve(undefined));
    incoming.once("error", (cause: Error) => (incoming.complete ? reject(cause) : resolve(undefined)));
  });
}
