// What a caller sent, decoded once by the contract, for every transport. Pure.

import type * as z from "zod/mini";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { WrongField } from "../../../contract/problems/problem.ts";
import { invalidRequest, type PublicProblem } from "./problems/public-problem.ts";

/** Fields that a problem names at most. */
const MAX_FIELDS = 20;

/** Decodes a value of the request. The problem names the fields that are wrong, and its message the first of them. */
export function decode<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  what: string,
): Result<z.output<Schema>, PublicProblem> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const wrong = parsed.error.issues
    .slice(0, MAX_FIELDS)
    .map(({ path, message }): WrongField => ({ field: path.map(String).join("."), allowed: message }));
  const { field = "", allowed = "it is not valid" } = wrong[0] ?? {};
  const place = field === "" ? what : `"${field}"`;
  const message = allowed.startsWith("must ") ? `${place} ${allowed}.` : `${place} is not valid: ${allowed}.`;
  return refused({ ...invalidRequest(message), fields: { fields: wrong } });
}
