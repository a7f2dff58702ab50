// What the fields of health mean. Pure.

import { type Components, component } from "../component.ts";
import { healthSchema } from "./health.ts";

export const operationComponents: Components = {
  Health: component(healthSchema, "Whether the service works.", {
    status:
      "`ok`, `draining` while it stops, `unavailable` while its store does not answer, `storage_full` while it has no room for what it has to write, `blobs_missing` while it does not see the blobs of its store: other nodes keep them elsewhere, or they are lost.",
    storage:
      "Of `/readyz`, where large contents are in a bucket: `unavailable` after three calls in a row that failed, until it answers again. The node still serves what is in its store.",
    event_loop_delay_ms:
      "Of `/readyz`: how late the node was at most in the last seconds to do what was ready. Far above 100 it has too much to do.",
  }),
};
