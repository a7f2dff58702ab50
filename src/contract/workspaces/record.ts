// Parts of a workspace's records: the one shape of every list, a page and where the next one begins; and who did something. Pure.

import * as z from "zod/mini";
import { wholeNumber } from "../fields.ts";

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

export const actorSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("owner") }),
  z.object({ type: z.literal("ai_client"), name: z.nullable(z.string()) }),
  z.object({ type: z.literal("run"), run_id: z.string(), agent_id: z.uuid() }),
  z.object({ type: z.literal("service") }),
]);
export type ActorView = z.infer<typeof actorSchema>;

/** What its fields mean, in whichever component it is. */
export const actorTexts = {
  type: "The account's owner, an AI client that acts for the owner, a run, or the service itself.",
  name: "What the AI client is called.",
  run_id: "The run.",
  agent_id: "The run's agent.",
} as const;
