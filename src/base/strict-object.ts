// Objects that refuse fields which they do not have: the fault names the nearest one and those that are allowed. Pure.
// Why: docs/decisions/115-unknown-fields-are-refused.md

import * as z from "zod/mini";
import { nearestName } from "./nearest-name.ts";

const UNKNOWN = "is not a known field.";

export type StrictTexts = {
  /** The fault of any other value. */
  readonly fault?: string;
  /** The advice about an unknown field, as a sentence without its point. */
  readonly hint?: string;
};

/** An object whose unknown fields are refused. */
export function strictObject<const Shape extends z.core.$ZodShape>(shape: Shape, texts: StrictTexts = {}) {
  return z.strictObject(shape, { error: (issue) => textOfUnknown(issue, texts) ?? texts.fault });
}

/** A line for each unknown field. Reads the names of the schema that found them: one that extends or picks has its own. */
function textOfUnknown({ code, keys, inst }: z.core.$ZodRawIssue, { hint }: StrictTexts): string | undefined {
  if (code !== "unrecognized_keys" || !Array.isArray(keys) || !(inst instanceof z.ZodMiniObject)) return;
  const known = Object.keys(inst.shape).sort();
  const advice = hint === undefined ? "" : `. ${hint}`;
  return keys.map((name) => sayUnknown(String(name), known) + advice).join("\n");
}

function sayUnknown(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known) ?? known.find((one) => isPartOf(name, one));
  const advice = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  const allowed = known.map((one) => JSON.stringify(one)).join(", ");
  return `${UNKNOWN}${advice} ${allowed === "" ? "None is allowed" : `Allowed: ${allowed}`}`;
}

/** "budget" of "budget_credits". */
function isPartOf(name: string, known: string): boolean {
  return known.startsWith(`${name}_`) || known.endsWith(`_${name}`) || name.startsWith(`${known}_`);
}

/** An unknown field, and the text that completes the sentence which begins with it. */
type UnknownField = { readonly name: string; readonly text: string };

/** The unknown fields that an issue names. Null for an issue of another kind. */
export function unknownFieldsOf(issue: z.core.$ZodIssue): readonly UnknownField[] | null {
  if (issue.code !== "unrecognized_keys") return null;
  const lines = issue.message.startsWith(UNKNOWN) ? issue.message.split("\n") : [];
  // Maps of fixed names have no text of ours.
  return issue.keys.map((name, at) => ({ name, text: lines[at] ?? UNKNOWN.slice(0, -1) }));
}
