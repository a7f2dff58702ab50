// GET /v1/ci/runs/{runID}: the durable events of one CI run, read by cursor and long poll; and POST …/page: where people read
// the run. Pure.

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";
import { wholeNumber } from "../fields.ts";
import { runSchema } from "../runs/run.ts";
import { storedRunEventSchema } from "../runs/run-event.ts";

const MAX_WAIT_SECONDS = 30;
const MAX_PAGE_EVENTS = 1000;
const DEFAULT_PAGE_EVENTS = 500;

/** Query text in, numbers out. */
export const ciRunQuerySchema = strictObject({
  after: field(
    wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
    "Events with a higher `seq`.",
  ),
  wait: field(
    wholeNumber({ min: 0, max: MAX_WAIT_SECONDS, fallback: 0 }),
    "Seconds to wait for the first new event.",
  ),
  limit: field(
    wholeNumber({ min: 1, max: MAX_PAGE_EVENTS, fallback: DEFAULT_PAGE_EVENTS }),
    "Events at most.",
  ),
});

/** `next` is the cursor for the next call; `done` is true once the run has ended and every event was read. */
export const ciRunPageSchema = object({
  run: field(runSchema, "The run as it stands."),
  events: field(z.array(storedRunEventSchema), "Events after the cursor, in their order."),
  next: field(z.int(), "The cursor for the next request."),
  done: field(z.boolean(), "True once the run has ended and every event was read."),
});

/**
 * A page of a run's events after a cursor. `next` is the cursor of the next call; `done` is true once the run has
 * ended and all was read.
 */
export type CiRunPage = z.infer<typeof ciRunPageSchema>;

export const runPageLinkSchema = object({
  page_url: field(z.string(), "The address of the run's page."),
  shared: field(
    z.boolean(),
    "True where everybody who has the address reads the run; false: only the agent's owner.",
  ),
});
