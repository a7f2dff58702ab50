// How somebody says that a changeset was validated. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { text } from "../../text.ts";

const MAX_EVIDENCE_CHARS = 10_000;
const MAX_EVIDENCE_ITEMS = 20;

/** Text that says something. */
export const filled = (maxChars: number) =>
  text(maxChars).check(z.refine((value) => value.trim() !== "", "must not be empty"));

const item = {
  kind: filled(100),
  text: filled(MAX_EVIDENCE_CHARS),
  run_id: z.optional(text(200)),
};

/** As answers have it. */
export const evidenceSchema = evidenceOf(z.object(item));
export type Evidence = z.infer<typeof evidenceSchema>;

export const evidenceRequestSchema = evidenceOf(strictObject(item));

function evidenceOf<Item extends z.ZodMiniType>(one: Item) {
  return z.union([
    filled(MAX_EVIDENCE_CHARS),
    z.array(one).check(z.minLength(1), z.maxLength(MAX_EVIDENCE_ITEMS)),
  ]);
}
