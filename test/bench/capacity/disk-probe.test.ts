import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  countedSyncs,
  countingSyncs,
  occupiedBytes,
  writtenBytes,
} from "../../../bench/capacity/disk-probe.ts";
import { runProcess } from "../../../src/base/run-process.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agent-service-bench-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("counts the fsyncs of a node that imports its functions by name", async () => {
  const file = join(folder, "syncs");
  const program = `
    import { closeSync, fdatasync, fsyncSync, openSync } from "node:fs";
    const file = openSync(${JSON.stringify(join(folder, "data"))}, "w");
    fsyncSync(file);
    fdatasync(file, () => fdatasync(file, () => closeSync(file)));`;
  const ended = await runProcess({
    command: process.execPath,
    args: ["--input-type=module", "--eval", program],
    folder,
    env: { ...countingSyncs(file) },
    timeoutMs: 30_000,
    maxOutputBytes: 10_000,
  });
  expect(ended).toMatchObject({ type: "exited", exitCode: 0 });
  expect(countedSyncs(file)).toBe(3);
});

it("tells what a folder occupies, and nothing of a process that is not there", async () => {
  writeFileSync(join(folder, "file"), Buffer.alloc(100_000, 1));
  expect(await occupiedBytes(folder)).toBeGreaterThanOrEqual(100_000);
  expect(await occupiedBytes(join(folder, "none"))).toBe(0);
  expect(writtenBytes(2 ** 30)).toBe(0);
});
