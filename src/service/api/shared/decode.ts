// What a caller sent, decoded once by the contract, for every transport. Pure.

import type * as z from "zod/mini";
import { ok, type Result, refused } from "../../../base/result.ts";
import { invalidRequest, type PublicProblem } from "./problems/public-problem.ts";

/** Decodes a value of the request, naming the first field that is wrong. */
export function decode<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  what: string,
): Result<z.infer<Schema>, PublicProblem> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const issue = parsed.error.issues[0];
  const field = issue?.path.map(String).join(".") ?? "";
  const place = field === "" ? what : `"${field}"`;
  return refused(invalidRequest(`${place} is not as it should be: ${issue?.message ?? "invalid"}.`));
}
