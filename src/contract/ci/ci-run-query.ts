// The query of GET /v1/ci/runs/{runID}. Pure.

import { strictObject } from "../../base/strict-object.ts";
import { wholeNumber } from "../query.ts";

export const MAX_WAIT_SECONDS = 30;
export const MAX_PAGE_EVENTS = 1000;
export const DEFAULT_PAGE_EVENTS = 500;

/** Query text in, numbers out. */
export const ciRunQuerySchema = strictObject({
  after: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
  wait: wholeNumber({ min: 0, max: MAX_WAIT_SECONDS, fallback: 0 }),
  limit: wholeNumber({ min: 1, max: MAX_PAGE_EVENTS, fallback: DEFAULT_PAGE_EVENTS }),
});
