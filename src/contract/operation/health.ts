// GET /healthz and /readyz. Pure.

import * as z from "zod/mini";

export const healthSchema = z.object({
  status: z.enum(["ok", "draining", "unavailable", "storage_full", "blobs_missing"]),
  storage: z.optional(z.enum(["ok", "unavailable"])),
  event_loop_delay_ms: z.optional(z.number()),
});
export type Health = z.infer<typeof healthSchema>;
