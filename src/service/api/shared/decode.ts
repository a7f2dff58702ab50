// Requests of callers, decoded once by the contract, for every transport. Pure.

import type * as z from "zod/mini";
import { ok, type Result, refused } from "../../../base/result.ts";
import { unknownFieldsOf } from "../../../base/strict-object.ts";
import { UNKNOWN_FIELD, type WrongField } from "../../../contract/problems/problem.ts";
import { invalidRequest, type PublicProblem } from "../../core/ports/problem.ts";

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
  const wrong = parsed.error.issues.flatMap(wrongFields).slice(0, MAX_FIELDS);
  const { field = "", allowed = "it is not valid" } = wrong[0] ?? {};
  const place = field === "" ? what : `"${field}"`;
  return refused({ ...invalidRequest(`${place} ${sentence(allowed)}.`), fields: { fields: wrong } });
}

function wrongFields(issue: z.core.$ZodIssue): readonly WrongField[] {
  const { path, message } = issue;
  const field = (...further: readonly string[]) => [...path.map(String), ...further].join(".");
  const unknown = unknownFieldsOf(issue);
  if (unknown === null) return [{ field: field(), allowed: message }];
  return unknown.map(({ name, text }) => ({ field: field(name), allowed: text, reason: UNKNOWN_FIELD }));
}

/** The words after the field's name. */
function sentence(allowed: string): string {
  const isWhole = allowed.startsWith("must ") || allowed.startsWith("is ");
  return isWhole ? allowed : `is not valid: ${allowed}`;
}
