// Settings whose text is JSON, decoded by a schema of zod/mini. Each fault is named by its place. Pure.

import * as z from "zod/mini";
import { ok, type Result, refused } from "../result.ts";
import { unknownFieldsOf } from "../strict-object.ts";
import type { Kind } from "./setting.ts";

/** The schema's own messages complete the sentence "[0].issuer …": `must be a URL`. */
export function json<Value>(options: {
  readonly allowed: string;
  readonly schema: z.ZodMiniType<Value>;
  readonly isSecret?: boolean;
}): Kind<Value> {
  const { allowed, schema, isSecret = false } = options;
  return {
    allowed,
    isSecret,
    decode: (text) => {
      const value = parseJson(text);
      return value.ok
        ? decodeBySchema(schema, value.value)
        : refused([`must be ${allowed}, got text that is not JSON`]);
    },
  };
}

/** A program and its arguments. */
export function commandLine(example: string): Kind<readonly [string, ...string[]]> {
  const allowed = `a JSON list of strings, such as ${example}`;
  const withoutNul = z.refine<string>((text) => !text.includes("\0"), "must not contain a NUL character");
  const argument = z.string("must be a string").check(withoutNul);
  const program = z.string("must name a program").check(z.minLength(1, "must name a program"), withoutNul);
  return json({ allowed, schema: z.tuple([program], argument, `must be ${allowed}`) });
}

/** An integer inside JSON. */
export function jsonInteger({ min, max }: { readonly min: number; readonly max: number }): z.ZodMiniInt {
  const message = `must be an integer from ${min} to ${max}`;
  return z.int(message).check(z.minimum(min, message), z.maximum(max, message));
}

/** A refusal is every fault found, each one line that begins with its place: `[0].jwks_uri must be …`. */
export function decodeBySchema<Value>(
  schema: z.ZodMiniType<Value>,
  value: unknown,
): Result<Value, readonly string[]> {
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : refused(parsed.error.issues.flatMap(describeIssue));
}

function describeIssue(issue: z.core.$ZodIssue): readonly string[] {
  const place = issue.path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("");
  const unknown = unknownFieldsOf(issue);
  if (unknown !== null) return unknown.map(({ name, text }) => `${place}.${name} ${text}`);
  return [`${place} ${faultOf(issue)}`.trim()];
}

function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_key") return issue.issues.map(({ message }) => message).join(", ");
  const isNoObject = issue.code === "invalid_type" && issue.expected === "object";
  return isNoObject ? "must be an object" : issue.message;
}

function parseJson(text: string): Result<unknown, null> {
  try {
    return ok(JSON.parse(text));
  } catch {
    return refused(null);
  }
}
