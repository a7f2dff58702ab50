import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../../src/base/clock.ts";
import { makeHome, removeHome } from "../../../../../src/service/sandbox/agent-homes.ts";
import { confineAgent } from "../../../../../src/service/sandbox/confine-agent.ts";
import type { SandboxLimits } from "../../../../../src/service/sandbox/sandbox-config.ts";
import type { AgentStep } from "../../../../support/acp-agent.ts";
import {
  type AcpFixtureOptions,
  type AcpRun,
  closeFixtures,
  runAgent,
} from "../../../../support/fixtures/acp-fixture.ts";
import { processesWith, SandboxFixture } from "../../../sandbox/sandbox-fixture.ts";

const project = resolve(dirname(fileURLToPath(import.meta.url)), "../../../../..");
const shown = ["src", "test", "node_modules"].map((folder) => `${project}/${folder}`);
type GreedyStep = Extract<AgentStep, { do: "take" }>;
const text: AgentStep = {
  do: "update",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } },
};

const MEGABYTE = 1024 * 1024;

let fixture: SandboxFixture;
beforeEach(() => {
  fixture = new SandboxFixture();
});
afterEach(() => fixture.close());
afterAll(closeFixtures);

/** Runs a confined agent under these limits, the usual ones unless told. */
async function runConfined(
  limits: Partial<SandboxLimits>,
  { settings, ...options }: AcpFixtureOptions,
): Promise<AcpRun> {
  const config = fixture.config({ config: { readPaths: [...shown, dirname(process.execPath)] } });
  const agentLimits = { ...config.agentLimits, ...limits };
  const confine = await confineAgent({ ...config, agentLimits }, { clock: systemClock });
  return await runAgent({ ...options, settings: { confine, ...settings } });
}

describe("an agent in bubblewrap", { tags: ["sandbox"] }, () => {
  it("works in its checkout, sees no other, and ends with what it started", async () => {
    const { outcome, heard, checkout } = await runConfined(
      {},
      {
        files: { "a.txt": "one" },
        turn: [
          { do: "look", path: "$ROOT/a.txt" },
          { do: "look", path: fixture.otherRun },
          { do: "look", path: `${project}/package.json` },
          { do: "leave", detached: true },
          text,
        ],
      },
    );
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(heard.filter(({ what }) => what === "look").map(({ value }) => value)).toEqual([
      true,
      false,
      false,
    ]);
    expect(await processesWith(checkout.root)).toEqual([]);
  });

  it("works where the service's data lie below a folder of tools, and sees its own part of them alone", async () => {
    const tools = await realpath(await mkdtemp(join("/opt", "confined-test-")));
    try {
      const config = fixture.config({
        config: { readPaths: [...shown, dirname(process.execPath)], hiddenPaths: [tools] },
      });
      await writeFile(join(tools, "database"), "not for agents");
      const confine = await confineAgent(config, { clock: systemClock });
      const { outcome, answer } = await runAgent({
        turn: [
          { do: "execute", command: `echo x > $HOME/a; ls -R ${tools}; touch ${tools}/b || echo REFUSED` },
          text,
        ],
        settings: {
          confine,
          homes: { make: () => makeHome(join(tools, "homes")), remove: removeHome },
        },
      });
      expect(outcome).toEqual({ stopReason: "end_turn" });
      expect(answer("executed")).toMatch(/agent-home-\w+:\na\nREFUSED\n$/);
      expect(answer("executed")).not.toContain("database");
    } finally {
      await rm(tools, { recursive: true, force: true });
    }
  });

  it("cannot change the kernel's settings, nor fill the machine's memory through a folder", async () => {
    const { answer } = await runConfined(
      { temporaryBytes: 8 * MEGABYTE },
      {
        turn: [
          {
            do: "execute",
            command:
              "for place in /tmp /dev/shm /dev; do head -c 16000000 /dev/zero > $place/big; stat -c %s $place/big; done;" +
              "echo x > /proc/sys/kernel/core_pattern || echo REFUSED; nice; ulimit -c",
          },
          text,
        ],
      },
    );
    const lines = String(answer("executed")).trim().split("\n");
    const sizes = lines.filter((line) => /^\d{4,}$/.test(line)).map(Number);
    expect(sizes).toEqual([8 * MEGABYTE, 8 * MEGABYTE]);
    // Ten less urgent than whoever runs the tests.
    const niceness = Math.min(getPriority() + 10, 19);
    expect(lines.slice(-3)).toEqual(["REFUSED", String(niceness), "0"]);
  });

  it("makes no namespace of its own, in which it would have every capability", async () => {
    const nested = "bwrap --unshare-user --unshare-net --ro-bind / / echo NESTED";
    const { answer } = await runConfined(
      {},
      { turn: [{ do: "execute", command: `grep CapEff /proc/self/status; ${nested} 2>&1` }, text] },
    );
    expect(answer("executed")).toMatch(/^CapEff:\t0{16}\nbwrap: Creating new namespace failed/);
    expect(answer("executed")).not.toContain("NESTED");
  });

  it.each<[GreedyStep["what"], Partial<SandboxLimits>, RegExp]>([
    [
      "memory",
      { memoryBytes: 300 * MEGABYTE },
      /^The agent "node" was ended: with what it started, it used more than 300 MB of memory \(SANDBOX_MEMORY_MB\)\. Ask for less/,
    ],
    [
      "processes",
      { processes: 150 },
      /was ended: it started more than 150 processes and threads \(SANDBOX_PROCESSES\)\./,
    ],
    [
      "disk",
      { diskBytes: 64 * MEGABYTE },
      /was ended: its checkout or its home grew beyond 64 MB \(SANDBOX_DISK_MB\), or it took/,
    ],
  ])("that takes too much %s is ended with all that it started, and named", async (what, limits, message) => {
    const { outcome, checkout } = await runConfined(limits, {
      turn: [text, { do: "take", what, folder: "$ROOT" }, { do: "hang" }],
    });
    expect(outcome).toEqual({ failed: expect.stringMatching(message), isRetryable: false });
    expect(await processesWith(checkout.root)).toEqual([]);
  });

  it("that fills its home is ended, too", async () => {
    const { outcome, checkout } = await runConfined(
      { diskBytes: 64 * MEGABYTE },
      { turn: [text, { do: "take", what: "disk", folder: "$HOME" }, { do: "hang" }] },
    );
    expect(outcome).toEqual({ failed: expect.stringContaining("SANDBOX_DISK_MB"), isRetryable: false });
    expect(await processesWith(checkout.root)).toEqual([]);
  });

  it("that passes a limit while it opens its session is named by it", async () => {
    const { outcome } = await runConfined(
      { memoryBytes: 300 * MEGABYTE },
      { script: { start: [{ do: "take", what: "memory", folder: "$ROOT" }, { do: "hang" }] } },
    );
    expect(outcome).toMatchObject({ failed: expect.stringContaining("SANDBOX_MEMORY_MB") });
  });
});

describe("the watch over an agent", { tags: ["sandbox"] }, () => {
  it("that fails ends the agent and its run: nothing goes on without limits", async () => {
    const config = fixture.config({ config: { readPaths: [...shown, dirname(process.execPath)] } });
    const confine = await confineAgent(config, { clock: systemClock });
    const homes: string[] = [];
    const folder = join(fixture.dataDir, "agents");
    const stopped = new AbortController();
    const { outcome, checkout } = await runAgent({
      turn: [text, { do: "hang" }],
      settings: {
        confine,
        homes: {
          make: async () => {
            homes.push(await makeHome(folder));
            return homes.at(-1) ?? "";
          },
          remove: removeHome,
        },
      },
      task: {
        signal: stopped.signal,
        // The agent works. What is watched goes away under the watch.
        emit: async () => void (await rm(homes[0] ?? "", { recursive: true, force: true })),
      },
    });
    expect(outcome).toEqual({ stopped: expect.objectContaining({ code: "ENOENT" }) });
    expect(await processesWith(checkout.root)).toEqual([]);
  });
});
