// Verdicts of a review on the findings of earlier ones, decoded from its reply as data. Pure.

import { isObject } from "../base/json.ts";
import { singleLine } from "../base/untrusted-text.ts";
import type { RunReport } from "./run-report.ts";

export const verdicts = ["fixed", "still_there", "withdrawn"] as const;

/** The text is untrusted. */
export type EarlierVerdict = {
  readonly id: string;
  readonly verdict: (typeof verdicts)[number];
  /** "" where it gives none. */
  readonly reason: string;
};

const MAX_VERDICTS = 200;
const MAX_SHOWN_CHARS = 60;

/** The last word on each of `ids`, and a sentence for each answer that is none. */
export function readVerdicts(
  output: RunReport["output"],
  ids: ReadonlySet<string>,
): { readonly verdicts: ReadonlyMap<string, EarlierVerdict>; readonly faults: readonly string[] } {
  const reply = isObject(output?.value) ? output.value : null;
  const items: readonly unknown[] = Array.isArray(reply?.earlier) ? reply.earlier : [];
  const found = new Map<string, EarlierVerdict>();
  const faults: string[] = [];
  for (const item of items.slice(0, MAX_VERDICTS)) {
    const read = readVerdict(item, ids);
    if (typeof read === "string") faults.push(read);
    else found.set(read.id, read);
  }
  return { verdicts: found, faults };
}

function readVerdict(item: unknown, ids: ReadonlySet<string>): EarlierVerdict | string {
  const { id, verdict, reason }: Record<string, unknown> = isObject(item) ? item : {};
  if (typeof id !== "string" || !ids.has(id)) {
    return `"id" must be one of ${[...ids].join(", ") || "none"}, got ${shown(id)}`;
  }
  const word = verdicts.find((one) => one === verdict);
  if (word === undefined) {
    return `"verdict" on ${id} must be one of ${verdicts.join(", ")}, got ${shown(verdict)}`;
  }
  const why = typeof reason === "string" ? reason.trim() : "";
  if (word === "withdrawn" && why === "") return `"reason" must say why ${id} is withdrawn, got nothing`;
  return { id, verdict: word, reason: why };
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : singleLine(JSON.stringify(value) ?? "nothing", MAX_SHOWN_CHARS);
}
