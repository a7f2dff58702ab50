// GET /v1/ci/runs/{runID}: the durable events of one CI run, read by cursor and long poll; and POST …/page: where people read
// the run. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { wholeNumber } from "../fields.ts";
import { runSchema } from "../runs/run.ts";
import { storedRunEventSchema } from "../runs/run-event.ts";

export const MAX_WAIT_SECONDS = 30;
export const MAX_PAGE_EVENTS = 1000;
export const DEFAULT_PAGE_EVENTS = 500;

/** Query text in, numbers out. */
export const ciRunQuerySchema = strictObject({
  after: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
  wait: wholeNumber({ min: 0, max: MAX_WAIT_SECONDS, fallback: 0 }),
  limit: wholeNumber({ min: 1, max: MAX_PAGE_EVENTS, fallback: DEFAULT_PAGE_EVENTS }),
});

/** `next` is the cursor for the next call; `done` is true once the run has ended and every event was read. */
export const ciRunPageSchema = z.object({
  run: runSchema,
  events: z.array(storedRunEventSchema),
  next: z.int(),
  done: z.boolean(),
});

export type CiRunPage = z.infer<typeof ciRunPageSchema>;

export const runPageLinkSchema = z.object({
  page_url: z.string(),
  /** True where everybody who has the address reads the run, false where only the agent's owner does. */
  shared: z.boolean(),
});

export type RunPageLink = z.infer<typeof runPageLinkSchema>;
