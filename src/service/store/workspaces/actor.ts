// The column of who did something. Pure.

import * as z from "zod/mini";
import type { Actor } from "../../core/workspaces/actor.ts";
import { json } from "../row-columns.ts";

const actorSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("owner") }),
  z.object({ type: z.literal("ai_client"), name: z.nullable(z.string()) }),
  z.object({ type: z.literal("run"), run_id: z.string(), agent_id: z.string() }),
  z.object({ type: z.literal("service") }),
]);

export const actor = json((stored): Actor => actorSchema.parse(JSON.parse(stored)));
