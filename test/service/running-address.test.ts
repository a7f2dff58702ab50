import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readRunningAddress, recordRunningAddress } from "../../src/service/running-address.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "running-address-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("is the address of the service that runs on the folder, until it stops", () => {
  expect(readRunningAddress(folder)).toBeNull();
  const address = recordRunningAddress(folder, "http://127.0.0.1:8080");
  expect(readRunningAddress(folder)).toBe("http://127.0.0.1:8080");
  address.remove();
  expect(readRunningAddress(folder)).toBeNull();
});

it("is none where the process that wrote it was killed", async () => {
  const { pid } = spawnSync(process.execPath, ["--eval", "0"]);
  await writeFile(join(folder, "agent-service.url"), `${pid} http://127.0.0.1:8080\n`);
  expect(readRunningAddress(folder)).toBeNull();
});

it("is written nowhere where there is no folder", () => {
  const missing = join(folder, "missing");
  recordRunningAddress(missing, "http://127.0.0.1:8080").remove();
  expect(readRunningAddress(missing)).toBeNull();
});
