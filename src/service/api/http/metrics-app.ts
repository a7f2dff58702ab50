// Metrics for a Prometheus scraper, on a port of its own: whoever reaches the API does not reach it.

import { Hono } from "hono";
import type { Exposition } from "../../core/ports/meter.ts";

export function createMetricsApp(read: () => Promise<Exposition>): Hono {
  const app = new Hono();
  app.get("/metrics", async (context) => {
    const { contentType, text } = await read();
    context.header("Cache-Control", "no-store");
    context.header("Content-Type", contentType);
    return context.body(text);
  });
  return app;
}
