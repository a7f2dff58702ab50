// The service is killed at any moment of a sandbox's life, its first milliseconds included: nothing inside goes on.

import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { systemRandom } from "../../../src/base/ids.ts";
import { crashGuard } from "../../../src/service/sandbox/crash-guard.ts";
import { amount } from "../../support/run/long.ts";
import { processesWith } from "./sandbox-fixture.ts";

const WORKER = fileURLToPath(new URL("../../support/sandbox-worker.ts", import.meta.url));
/** Turns of the event loop after which the process is killed: most moments are within a sandbox's start. */
const MAX_TURNS = 3_000;
const rounds = amount({ short: 10, long: 200 });

it(`kill -9 leaves no process of a sandbox, in ${rounds} rounds`, {
  tags: ["sandbox"],
  timeout: 60_000 + rounds * 5_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "crash-guard-"));
  for (let round = 0; round < rounds; round += 1) {
    const dataDir = await mkdtemp(join(folder, "round-"));
    const seconds = `1000.${process.pid}${round}`;
    const worker = spawn(process.execPath, [WORKER, dataDir, seconds], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(worker.stdout, "data");
    await turns(randomInt(MAX_TURNS));
    worker.kill("SIGKILL");
    await once(worker, "exit");
  }
  // Each sandbox has its folder among its arguments, and each command the seconds that it sleeps.
  await expect.poll(() => processesWith(folder)).toEqual([]);
  await expect.poll(() => processesWith(`1000.${process.pid}`)).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

it("ends with the last sandbox, also where the next one begins while it ends", async () => {
  const guard = crashGuard({ path: process.env.PATH, random: systemRandom });
  let mark = "";
  for (let round = 0; round < 100; round += 1) {
    const guarded = await guard.enter();
    mark = Object.values(guarded.mark).join();
    await turns(randomInt(200));
    guarded.leave();
  }
  await expect.poll(() => processesWith(mark)).toEqual([]);
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}
