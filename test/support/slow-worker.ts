// A node as a process of its own, whose runs do what their last message says: "wait" until they are told to stop,
// "load" for a few hundred milliseconds, "fail" at once, "delegate" to a child that waits, "recall" what was said before; any other is answered at once.
// Each execution is a line of `executions` in the data folder. Started by service-nodes.ts.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pino } from "pino";
import type { Backend, BackendTask } from "../../src/service/executor/backend.ts";
import { startService } from "../../src/service/main.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { say, untilStopped } from "./scripted-backend.ts";

const read = readConfig({});
if (!read.ok) throw new Error(read.refusal.join("\n"));
const config = read.value;
const executions = join(config.dataDir, "executions");

// In the place of the backend that the API nodes give their agents.
const backend: Backend = {
  name: config.backend,
  needsCheckout: false,
  run: async (task) => {
    appendFileSync(executions, `${task.runId}\n`);
    await play(task);
    task.meter.count({ role: "executor", tokens: 7, microUsd: 0 });
    return { stopReason: "end_turn" };
  },
};

async function play(task: BackendTask): Promise<void> {
  const message = task.messages.at(-1)?.content ?? "";
  switch (message) {
    case "wait":
      await task.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
      return await untilStopped(task);
    case "load":
      for (const word of ["one", "two", "three"]) {
        await say(task, word);
        await setTimeout(50, undefined, { signal: task.signal });
      }
      return;
    case "fail":
      throw new Error("The backend was told to fail.");
    case "delegate":
      await task.delegate({ message: "wait", maxTurnTokens: 0 });
      return;
    case "recall":
      return await say(task, (await task.history(10_000)).map(({ content }) => content).join(" | "));
    default:
      return await say(task, "You said: ", message);
  }
}

const service = await startService({ config, log: pino({ level: "info" }), backends: [backend] });
process.once("SIGTERM", () => void service.stop());
