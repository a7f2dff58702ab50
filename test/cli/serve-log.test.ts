// A log that cannot be written: its reader is slow or gone, or its disk is full. The service goes on, and can be stopped.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readRunningAddress } from "../../src/service/wiring/running-address.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { call } from "../support/service-client.ts";
import { SmallDisk } from "../support/small-disk.ts";

/** Together far more than a pipe and what waits for it take. */
const REQUESTS = 400;
const LONG_PATH = `/${"x".repeat(8_000)}`;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-service-log-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const args = (dataDir = folder) => ["serve", "--port", "0", "--data-dir", dataDir];
const settings = { LOG_LEVEL: "debug" };

async function makeLines(url: string): Promise<void> {
  for (let request = 0; request < REQUESTS; request += 1)
    expect((await call(url + LONG_PATH)).status).toBe(404);
}

it("does not wait for a reader that stopped reading, and says how much it dropped", async () => {
  const service = new ServiceProcess(args(), settings);
  const url = await service.ready();
  service.ignoreLog();
  await makeLines(url);
  expect((await call(`${url}/readyz`)).status).toBe(200);
  service.readLog();
  // The pipe empties while these are answered.
  await makeLines(url);
  service.signal("SIGTERM");
  const { code, stdout } = await service.ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/"lines":\d+,"msg":"log lines were dropped"/);
  for (const line of stdout.split("\n")) expect(() => JSON.parse(line)).not.toThrow();
});

it("stops although nobody reads its log", async () => {
  const service = new ServiceProcess(args(), settings);
  const url = await service.ready();
  service.ignoreLog();
  await makeLines(url);
  service.signal("SIGTERM");
  await service.exited;
  service.readLog();
  expect((await service.ended).code).toBe(0);
});

it("goes on when the reader of its log has gone", async () => {
  const service = new ServiceProcess(args(), settings);
  const url = await service.ready();
  service.closeLog();
  await makeLines(url);
  expect((await call(`${url}/readyz`)).status).toBe(200);
  service.signal("SIGTERM");
  expect((await service.ended).code).toBe(0);
});

it("goes on when the disk of its log is full", { tags: ["small-disk"] }, async () => {
  const disk = SmallDisk.mount(1);
  if (disk === null) throw new Error("No disk could be mounted.");
  try {
    const logPath = join(disk.folder, "service.log");
    const service = new ServiceProcess(args(), settings, { logPath });
    await expect.poll(() => readRunningAddress(folder)).not.toBeNull();
    const url = readRunningAddress(folder)?.url ?? "";
    disk.fill();
    await makeLines(url);
    expect((await call(`${url}/readyz`)).status).toBe(200);
    disk.makeRoom();
    await call(`${url}/readyz`);
    service.signal("SIGTERM");
    expect((await service.ended).code).toBe(0);
    const lines = (await readFile(logPath, "utf8")).trim().split("\n");
    expect(lines.some((line) => /"lines":\d+,"msg":"log lines were dropped"/.test(line))).toBe(true);
    expect(lines.at(-1)).toContain('"msg":"stopped"');
  } finally {
    disk.unmount();
  }
});
