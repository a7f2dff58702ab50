import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readRunningAddress, recordRunningAddress } from "../../../src/service/wiring/running-address.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "running-address-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const address = { url: "http://127.0.0.1:8080", pagesUrl: "http://localhost:8080" };

it("is the address of the service that runs on the folder, and of its pages, until it stops", () => {
  expect(readRunningAddress(folder)).toBeNull();
  const recorded = recordRunningAddress(folder, address);
  expect(readRunningAddress(folder)).toEqual(address);
  recorded.remove();
  expect(readRunningAddress(folder)).toBeNull();
});

it("is none where the process that wrote it was killed", async () => {
  const { pid } = spawnSync(process.execPath, ["--eval", "0"]);
  await writeFile(join(folder, "agent-service.url"), `${pid} http://127.0.0.1:8080 http://localhost:8080\n`);
  expect(readRunningAddress(folder)).toBeNull();
});

it("is written nowhere where there is no folder", () => {
  const missing = join(folder, "missing");
  recordRunningAddress(missing, address).remove();
  expect(readRunningAddress(missing)).toBeNull();
});
