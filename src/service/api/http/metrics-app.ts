// What a Prometheus scraper reads, on a port of its own: whoever reaches the API does not reach it.

import { Hono } from "hono";
import type { Meter } from "../../core/ports/meter.ts";

export function createMetricsApp(meter: Meter): Hono {
  const app = new Hono();
  app.get("/metrics", async (context) => {
    const exposition = await meter.exposition();
    if (exposition === null) return context.notFound();
    context.header("Cache-Control", "no-store");
    context.header("Content-Type", exposition.contentType);
    return context.body(exposition.text);
  });
  return app;
}
