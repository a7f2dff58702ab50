// A request's body: bounded, of a type we read, decoded once by the contract.

import type * as z from "zod/mini";
import { type Result, refused } from "../../../base/result.ts";
import { decode } from "../shared/decode.ts";
import { invalidRequest, type PublicProblem } from "../shared/problems/public-problem.ts";
import type { RequestContext } from "./request-context.ts";

export { decode };

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

export type BodyOptions<Schema extends z.ZodMiniType> = {
  readonly schema: Schema;
  readonly maxBytes: number;
  /** True where a form with the same names is read as well. */
  readonly acceptsForm: boolean;
};

/** Reads and decodes the body, or says what is wrong with it. Never holds more than `maxBytes`. */
export async function readBody<Schema extends z.ZodMiniType>(
  context: RequestContext,
  options: BodyOptions<Schema>,
): Promise<Result<z.infer<Schema>, PublicProblem>> {
  const { schema, maxBytes, acceptsForm } = options;
  const type = (context.req.header("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type !== JSON_TYPE && !(acceptsForm && type === FORM)) {
    const allowed = acceptsForm ? `${JSON_TYPE} or ${FORM}` : JSON_TYPE;
    return refused({
      status: 415,
      code: "unsupported_media_type",
      message: `The body must be ${allowed}, got ${type === "" ? "no Content-Type" : `"${type}"`}.`,
    });
  }
  const text = await readText(context, maxBytes);
  if (text === undefined) return refused(invalidRequest("The body was cut off."));
  if (text === null) {
    return refused({
      status: 413,
      code: "body_too_large",
      message: `The body may have ${maxBytes} bytes at most.`,
    });
  }
  let value: unknown;
  try {
    value = type === FORM ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
  } catch {
    return refused(invalidRequest("The body is not valid JSON."));
  }
  return decode(schema, value, "The body");
}

/** As `readBody`, for a route that can do without a body: none is an empty object. */
export async function readOptionalBody<Schema extends z.ZodMiniType>(
  context: RequestContext,
  options: BodyOptions<Schema>,
): Promise<Result<z.infer<Schema>, PublicProblem>> {
  const hasBody =
    Number(context.req.header("content-length") ?? 0) > 0 ||
    context.req.header("transfer-encoding") !== undefined;
  return hasBody ? await readBody(context, options) : decode(options.schema, {}, "The body");
}

/** The body as text; null when it is larger than allowed, undefined when the client went away in the middle. */
async function readText(context: RequestContext, maxBytes: number): Promise<string | null | undefined> {
  const { incoming } = context.env;
  const declared = Number(context.req.header("content-length") ?? Number.NaN);
  if (declared > maxBytes) return null;
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
