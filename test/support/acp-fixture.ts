// Runs the acp backend on a scripted agent in a folder, and tells all that came of it.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunEvent } from "../../src/contract/runs/run-event.ts";
import type { Checkout } from "../../src/service/core/ports/checkout.ts";
import {
  BackendFailure,
  type BackendOutcome,
  type RepositoryTask,
} from "../../src/service/executor/backend.ts";
import { acpBackend } from "../../src/service/executor/backends/acp/acp.ts";
import type { AcpSettings, AgentHomes } from "../../src/service/executor/backends/acp/settings.ts";
import { makeHome, removeHome } from "../../src/service/sandbox/agent-homes.ts";
import { folderCheckout } from "../service/executor/tools/folder-checkout.ts";
import { TaskRecorder } from "../service/executor/tools/task-recorder.ts";
import type { AgentScript, AgentStep } from "./acp-agent.ts";
import { expectValidStream } from "./service-streams.ts";

const program = fileURLToPath(new URL("./acp-agent.ts", import.meta.url));

/** What the agent was asked or answered. */
export type Heard = { readonly what: string; readonly value: unknown };

export type AcpRun = {
  /** What the backend resolved with, the message it failed with, or whatever else it rejected with. */
  readonly outcome:
    | BackendOutcome
    | { readonly failed: string; readonly isRetryable: boolean }
    | { readonly stopped: unknown };
  readonly events: readonly RunEvent[];
  readonly heard: readonly Heard[];
  readonly recorder: TaskRecorder;
  readonly checkout: Checkout;
  /** What the agent heard under that name, the first time. */
  answer(what: string): unknown;
};

export type AcpBedOptions = {
  readonly script?: AgentScript;
  readonly turn?: readonly AgentStep[];
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: Partial<AcpSettings>;
  readonly task?: Partial<RepositoryTask>;
  /** Makes what no text file is. */
  readonly prepare?: (root: string) => Promise<void>;
};

/** Homes in a folder of their own, removed with the fixtures. */
export async function makeHomes(): Promise<AgentHomes> {
  const folder = await mkdtemp(join(tmpdir(), "acp-fixture-homes-"));
  folders.push(() => rm(folder, { recursive: true, force: true }));
  return { make: () => makeHome(folder), remove: removeHome };
}

const folders: (() => Promise<unknown>)[] = [];

/** Removes what the runs left to be looked at. */
export async function closeBeds(): Promise<void> {
  await Promise.all(folders.splice(0).map((close) => close()));
}

export async function runAgent(options: AcpBedOptions): Promise<AcpRun> {
  const checkout = await folderCheckout(options.files ?? {});
  // In the checkout: an agent in a sandbox sees no other folder.
  const folder = join(checkout.root, ".acp-fixture");
  await mkdir(folder);
  folders.push(checkout.close);
  await options.prepare?.(checkout.root);
  const heardFile = join(folder, "heard");
  const scriptFile = join(folder, "script.json");
  const inRoot = (text: string) => text.replaceAll("$ROOT", checkout.root);
  const script: AgentScript = {
    ...options.script,
    ...(options.turn === undefined ? {} : { turn: options.turn }),
  };
  await writeFile(scriptFile, inRoot(JSON.stringify(script)));
  const { settings = {} } = options;
  const backend = acpBackend({
    command: [process.execPath, program],
    path: process.env.PATH ?? "",
    authMethod: null,
    permissions: "allow",
    startTimeoutMs: 30_000,
    stopGraceMs: 5_000,
    idleTimeoutMs: 30_000,
    confine: null,
    homes: await makeHomes(),
    ...settings,
    environment: {
      ACP_HEARD: heardFile,
      ACP_SCRIPT: scriptFile,
      ...settings.environment,
    },
  });
  const recorder = new TaskRecorder();
  const messages = [{ role: "user" as const, content: "Do the task." }];
  const task = recorder.task({ messages, ...options.task });
  if (!backend.needsCheckout) throw new Error("The acp backend needs a checkout.");
  const outcome = await backend.run(task, checkout).catch((cause: unknown) => {
    if (!(cause instanceof BackendFailure)) return { stopped: cause };
    return { failed: cause.message, isRetryable: cause.isRetryable };
  });
  const lines = (await readFile(heardFile, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  const heard = lines.map((line) => JSON.parse(line) as Heard);
  await expectWhole(recorder.events);
  return {
    outcome,
    events: recorder.events,
    heard,
    recorder,
    checkout,
    answer: (what) => heard.find((line) => line.what === what)?.value,
  };
}

/** The events between the executor's own make a valid stream. */
async function expectWhole(events: readonly RunEvent[]): Promise<void> {
  const ids = { threadId: "thread-1", runId: "run-1" };
  const whole: RunEvent[] = [
    { type: "RUN_STARTED", ...ids },
    ...events,
    { type: "RUN_FINISHED", ...ids, outcome: { type: "success" } },
  ];
  const at = "2026-01-15T10:00:00.000Z";
  await expectValidStream(whole.map((event, index) => ({ seq: index + 1, at, event })));
}

/** Whether a process of that id is there, and no zombie. */
export async function isAlive(pid: unknown): Promise<boolean> {
  const status = await readFile(`/proc/${String(pid)}/status`, "utf8").catch(() => "State:\tX");
  return !/^State:\t[XZ]/m.test(status);
}
