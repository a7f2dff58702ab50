// GET /v1/ci/runs/{runID}: the durable events of one CI run, read by cursor and long poll. Pure.

import * as z from "zod/mini";
import { runSchema } from "../runs/run.ts";
import { storedRunEventSchema } from "../runs/run-event.ts";

/** `next` is the cursor for the next call; `done` is true once the run has ended and every event was read. */
export const ciRunPageSchema = z.object({
  run: runSchema,
  events: z.array(storedRunEventSchema),
  next: z.int(),
  done: z.boolean(),
});

export type CiRunPage = z.infer<typeof ciRunPageSchema>;
