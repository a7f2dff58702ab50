// Parts of a workspace's records: the one shape of every list, a page and where the next one begins; and who did something. Pure.

import * as z from "zod/mini";
import { field, object } from "../field.ts";
import { wholeNumber } from "../fields.ts";

/** `next_cursor` is empty at the end. */
export function listOf<Item extends z.ZodMiniType>(item: Item, text: string) {
  return object({
    items: field(z.array(item), text),
    next_cursor: field(z.string(), "The cursor of the next page; empty at the end."),
  });
}

/** Query parameters of a list. */
export const pageQuery = {
  cursor: field(
    z.optional(z.string().check(z.maxLength(2_000))),
    "The `next_cursor` of the page before. Left out or empty: from the start.",
  ),
  limit: field(wholeNumber({ min: 1, max: 1_000, fallback: 100 }), "Items at most."),
};

const kind = <Name extends "owner" | "ai_client" | "run" | "service">(name: Name) =>
  field(
    z.literal(name),
    "The account's owner, an AI client that acts for the owner, a run, or the service itself.",
  );

export const actorSchema = z.discriminatedUnion("type", [
  object({ type: kind("owner") }),
  object({ type: kind("ai_client"), name: field(z.nullable(z.string()), "What the AI client is called.") }),
  object({
    type: kind("run"),
    run_id: field(z.string(), "The run."),
    agent_id: field(z.uuid(), "The run's agent."),
  }),
  object({ type: kind("service") }),
]);
export type ActorView = z.infer<typeof actorSchema>;
