// The watch of a checkout's size, on trees that cannot be walked as a whole.

import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { runProcess } from "../../../src/base/run-process.ts";
import { prepareDiskWatch } from "../../../src/service/sandbox/disk-watch.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "disk-watch-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A path of 5,000 characters, which no system call takes; a shell gets there in steps. */
async function digDeep(): Promise<void> {
  const script = 'd=$(printf "%0200d" 0); for i in $(seq 25); do mkdir "$d" && cd -P "./$d" || exit 1; done';
  const args = ["-c", script];
  const ended = await runProcess({
    command: "bash",
    args,
    folder: root,
    env: { PATH: process.env.PATH },
    timeoutMs: 30_000,
  });
  expect(ended).toMatchObject({ type: "exited", exitCode: 0 });
}

it("measures what it can reach of a tree whose paths are too long", async () => {
  await digDeep();
  await mkdir(join(root, "beside"));
  const watch = await prepareDiskWatch({ root, maxBytes: 1_000_000_000, clock: systemClock });
  const end = new AbortController();
  const watching = watch(end.signal);
  await writeFile(join(root, "beside", "file"), "x");
  end.abort();
  expect(await watching).toBeNull();
});
