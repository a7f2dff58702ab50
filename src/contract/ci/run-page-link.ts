// POST /v1/ci/runs/{runID}/page: where people read a run. Pure.

import * as z from "zod/mini";

export const runPageLinkSchema = z.object({
  page_url: z.string(),
  /** True where everybody who has the address reads the run, false where only the agent's owner does. */
  shared: z.boolean(),
});

export type RunPageLink = z.infer<typeof runPageLinkSchema>;
