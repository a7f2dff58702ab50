// A worker node as a process of its own, whose runs take as long as a test needs: "wait" until they are told to stop,
// any other message for a few hundred milliseconds. Started by service-nodes.ts.

import { setTimeout } from "node:timers/promises";
import { pino } from "pino";
import { readConfig } from "../../src/service/config.ts";
import { startService } from "../../src/service/main.ts";
import { say, scriptedBackend, untilStopped } from "./scripted-backend.ts";

const config = readConfig({});
if (!config.ok) throw new Error(config.refusal.join("\n"));
const backend = scriptedBackend(async (task) => {
  if (task.messages[0]?.content === "wait") {
    await task.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
    return await untilStopped(task);
  }
  for (const word of ["one", "two", "three"]) {
    await say(task, word);
    await setTimeout(50, undefined, { signal: task.signal });
  }
});
const service = await startService({
  config: config.value,
  log: pino({ level: "info" }),
  // In the place of the backend that the API nodes give their agents.
  backends: [{ ...backend, name: config.value.backend }],
});
process.once("SIGTERM", () => void service.stop());
