import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, describe, expect, it } from "vitest";
import { pipedProcess } from "../../../../../src/base/piped-process.ts";
import type { PassedLimit } from "../../../../../src/service/core/ports/agent-start.ts";
import {
  type AgentProcess,
  startAgent,
} from "../../../../../src/service/executor/backends/acp/agent-process.ts";
import { ManualClock } from "../../../../support/clocks/manual-clock.ts";
import { closeFixtures, isAlive, makeHomes } from "../../../../support/fixtures/acp-fixture.ts";

afterAll(closeFixtures);

/** A program that says when it is ready, and does not end when it is asked to. */
const deaf = `process.on("SIGTERM", () => {}); setInterval(() => {}, 60000); console.log("ready " + process.pid);`;

/** Starts it with a watch that the test decides. */
async function startDeaf(): Promise<{
  agent: AgentProcess;
  pid: number;
  watch: PromiseWithResolvers<PassedLimit | null>;
}> {
  const watch = Promise.withResolvers<PassedLimit | null>();
  const agent = await start(deaf, { watch: watch.promise });
  const [said] = await once(agent.output, "data");
  return { agent, pid: Number(String(said).split(" ")[1]), watch };
}

type Started = {
  readonly watch: Promise<PassedLimit | null>;
  readonly homeFiles?: Readonly<Record<string, string>>;
};

async function start(program: string, { watch, homeFiles = {} }: Started): Promise<AgentProcess> {
  return await startAgent({
    settings: {
      path: process.env.PATH ?? "",
      homes: await makeHomes(),
      homeFiles,
      places: null,
      confine: async ({ argv: [node, ...args], environment, home }) => ({
        ...pipedProcess(
          spawn(node, args, {
            env: { ...environment, HOME: home },
            detached: true,
            stdio: ["pipe", "pipe", "pipe"],
          }),
        ),
        watch: () => watch,
        files: null,
      }),
    },
    model: { command: [process.execPath, "-e", program], environment: {}, socket: null },
    hidden: [],
    isWriters: true,
    checkout: process.cwd(),
    egressSocket: null,
    gitFolder: null,
    covered: undefined,
    signal: new AbortController().signal,
    clock: new ManualClock(),
  });
}

describe("an agent's process", () => {
  // The clock stands still: an end that waits for a grace period would not come.
  it("is killed at once when it is over a limit", async () => {
    const { agent, pid, watch } = await startDeaf();
    expect(await isAlive(pid)).toBe(true);
    watch.resolve({ limit: "memory", allowed: 1, setting: "SANDBOX_MEMORY_MB" });
    expect(await agent.ended).toEqual({ type: "exited", exitCode: null, signal: "SIGKILL" });
    expect(await isAlive(pid)).toBe(false);
    await agent.end(600_000);
  });

  it("finds its own settings in its home", async () => {
    const program =
      'process.stdout.write(require("fs").readFileSync(process.env.HOME + "/.own/settings.json"))';
    const agent = await start(program, {
      watch: Promise.withResolvers<null>().promise,
      homeFiles: { ".own/settings.json": "its settings" },
    });
    expect(String(await once(agent.output, "data"))).toBe("its settings");
    await agent.end(600_000);
  });

  it("is killed at once when nobody can watch it any more", async () => {
    const { agent, pid, watch } = await startDeaf();
    watch.reject(new Error("The processes of the sandbox cannot be counted."));
    expect(await agent.ended).toEqual({ type: "exited", exitCode: null, signal: "SIGKILL" });
    expect(await isAlive(pid)).toBe(false);
    await expect(agent.passed).rejects.toThrow("cannot be counted");
    await agent.end(600_000);
  });
});
