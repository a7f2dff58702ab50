// The service with a backend that only says when it spoke: run by the poller benchmark as a process of its own.
// As many runs at once as the benchmark asks for; from SIGUSR2 on, events in turn among them, so many a second. Beside
// an API node of its own (ROLE=worker) it is the other side of the database.

import { pino } from "pino";
import type { Backend, BackendTask } from "../src/service/executor/backend.ts";
import { startService } from "../src/service/main.ts";
import { readConfig } from "../src/service/settings/config.ts";

const RUNS = Number(process.argv[2]);
const EVENTS_A_SECOND = Number(process.argv[3]);

const speakers: BackendTask[] = [];

const config = readConfig({});
if (!config.ok) throw new Error(config.refusal.join("\n"));
const backend: Backend = {
  // In the place of the backend that API nodes give their agents.
  name: config.value.backend,
  needsCheckout: false,
  run: async (task) => {
    await task.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
    speakers.push(task);
    await new Promise((resolve) => task.signal.addEventListener("abort", resolve, { once: true }));
    return { stopReason: "end_turn", usage: { tokens: 0, calls: 0 } };
  },
};

const service = await startService({
  config: { ...config.value, maxRunningRuns: RUNS },
  log: pino({ level: "warn" }),
  backends: [backend],
});
process.stdout.write(`${JSON.stringify({ url: service.url })}\n`);

let spoken = 0;
let startedAt: number | null = null;
process.once("SIGUSR2", () => {
  startedAt = performance.now();
});
setInterval(() => {
  if (startedAt === null) return;
  const due = ((performance.now() - startedAt) / 1000) * EVENTS_A_SECOND;
  for (; spoken < due; spoken += 1) {
    const delta = String(performance.timeOrigin + performance.now());
    const speaker = speakers[spoken % speakers.length];
    speaker?.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta }).catch(() => {});
  }
}, 1);

process.once("SIGTERM", () => process.exit(0));
