// How somebody says that a changeset was validated. Pure.

import * as z from "zod/mini";
import { text } from "../../text.ts";

const MAX_EVIDENCE_CHARS = 10_000;
const MAX_EVIDENCE_ITEMS = 20;

/** Text that says something. */
export const filled = (maxChars: number) =>
  text(maxChars).check(z.refine((value) => value.trim() !== "", "must not be empty"));

export const evidenceSchema = z.union([
  filled(MAX_EVIDENCE_CHARS),
  z
    .array(
      z.object({
        kind: filled(100),
        text: filled(MAX_EVIDENCE_CHARS),
        run_id: z.optional(text(200)),
      }),
    )
    .check(z.minLength(1), z.maxLength(MAX_EVIDENCE_ITEMS)),
]);
export type Evidence = z.infer<typeof evidenceSchema>;
