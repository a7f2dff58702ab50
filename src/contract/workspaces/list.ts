// The one shape of every list of a workspace's things: a page and where the next one begins. Pure.

import * as z from "zod/mini";
import { wholeNumber } from "../query.ts";

/** `next_cursor` is empty at the end. */
export function listOf<Item extends z.ZodMiniType>(item: Item) {
  return z.object({ items: z.array(item), next_cursor: z.string() });
}

/** What a list's query may name. */
export const pageQuery = {
  cursor: z.optional(z.string().check(z.maxLength(2_000))),
  limit: wholeNumber({ min: 1, max: 1_000, fallback: 100 }),
};

export const pageQueryTexts = {
  cursor: "The `next_cursor` of the page before. Left out or empty: from the start.",
  limit: "Items at most.",
};
