// Who did something, as JSON in a column. Pure.

import * as z from "zod/mini";
import type { Actor } from "../../core/workspaces/actor.ts";

const actorSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("owner") }),
  z.object({ type: z.literal("ai_client"), name: z.nullable(z.string()) }),
  z.object({ type: z.literal("run"), run_id: z.string(), agent_id: z.string() }),
  z.object({ type: z.literal("service") }),
]);

/** Throws on what no version of this service wrote. */
export function parseActor(json: string): Actor {
  return actorSchema.parse(JSON.parse(json));
}
