// agent-service run --embedded, as a child process in a real checkout, on a scripted model.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CheckoutBed } from "../service/workspace/checkout-bed.ts";
import { byTurn } from "../support/model-script.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { editTestFix, storyTools, sumProject } from "../support/model-stories.ts";
import { call, stall } from "../support/model-turn.ts";

const MAIN = new URL("../../src/cli/main.ts", import.meta.url).pathname;
const KEY = "sk-the-models-key-0123456789";
const tools = { ...storyTools, run: (command: string) => call("shell", { command }) };

let bed: CheckoutBed;
let temp: string;
let model: ModelServer | null = null;
beforeEach(async () => {
  bed = await CheckoutBed.make(sumProject);
  temp = await mkdtemp(join(tmpdir(), "run-test-"));
});
afterEach(async () => {
  await model?.close();
  model = null;
  await bed.close();
  await rm(temp, { recursive: true, force: true });
});

function start(args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, [MAIN, "run", ...args], {
    cwd: options.cwd ?? bed.root,
    env: { PATH: process.env.PATH, TMPDIR: temp, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  return { child, ended: ended.then(([[code], stdout, stderr]) => ({ code, stdout, stderr })) };
}

const modelFlags = (server: ModelServer) => ["--model", "scripted-model", "--model-base-url", server.baseUrl];

describe("agent-service run", () => {
  it("says what it can do today", async () => {
    const { code, stderr } = await start(["Mend it"]).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Jobs of other CI systems .* today: agent-service run --embedded <prompt>\n/);
  });

  it("wants a prompt, a checkout, and settings that are right", async () => {
    expect(await start(["--embedded"]).ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("<prompt> is missing"),
    });
    const elsewhere = join(temp, "empty");
    await mkdir(elsewhere);
    expect(await start(["--embedded", "x"], { cwd: elsewhere }).ended).toMatchObject({
      code: 1,
      stderr: "There is no git checkout in this folder, nor above it. Change to one.\n",
    });
    expect(await start(["--embedded", "x", "--model", "m"]).ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("MODEL_BASE_URL must be set for BACKEND model"),
    });
  });

  it("briefs where no model is configured, from any folder of the checkout", async () => {
    const cwd = join(bed.root, "deep");
    await mkdir(cwd);
    const { code, stdout, stderr } = await start(["--embedded", "Brief me"], { cwd }).ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^No model is configured, .*--model-base-url\.\n$/);
    expect(stdout).toContain("Briefing of `octo/fixture`");
    expect(stdout).not.toMatch(/credits/i);
    expect(await readdir(temp)).toEqual([]);
  });

  it("mends the checkout with a model, whose key goes nowhere else", async () => {
    model = await startModelServer({ script: editTestFix(tools), apiKey: KEY });
    const env = { MODEL_API_KEY: KEY };
    const { code, stdout, stderr } = await start(["--embedded", "Mend it", ...modelFlags(model)], { env })
      .ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/completed, \d+ tokens\n$/);
    expect(stdout).toContain("sum.mjs");
    expect(await readFile(join(bed.root, "sum.mjs"), "utf8")).toContain("a + b");
    expect(stdout + stderr).not.toContain(KEY);
    expect(await readdir(temp)).toEqual([]);
  });

  it("writes events as JSON, one a line", async () => {
    const { code, stdout } = await start(["--embedded", "Brief me", "--json"]).ended;
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).event);
    expect(events[0].type).toBe("RUN_STARTED");
    expect(events.at(-1).type).toBe("RUN_FINISHED");
    expect(events.map(({ name }) => name)).not.toContain("quota");
  });

  it("cancels its run when it is interrupted", async () => {
    const script = byTurn([tools.write("half.txt", "done\n"), stall()]);
    model = await startModelServer({ script });
    const { child, ended } = start(["--embedded", "Mend it", ...modelFlags(model)]);
    await model.arrival(2);
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain("Cancelling the run.");
    expect(stdout).toMatch(/cancelled, \d+ tokens\n$/);
    expect(await readFile(join(bed.root, "half.txt"), "utf8")).toBe("done\n");
    expect(await readdir(temp)).toEqual([]);
  });
});
