// Who did something in a workspace. Pure.

import * as z from "zod/mini";

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
