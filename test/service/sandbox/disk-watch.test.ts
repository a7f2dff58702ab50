// The watch of a checkout's size, on trees that cannot be walked as a whole.

import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { runProcess } from "../../../src/base/run-process.ts";
import { prepareDiskWatch } from "../../../src/service/sandbox/disk-watch.ts";
import { ManualClock } from "../../support/clocks/manual-clock.ts";

/** However little the disk's free space says, a tree is measured by then. */
const WEIGHED_WITHIN_MS = 5_000;

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

it("lets a tree that was above the limit at the start be as large as it was, and no larger", async () => {
  const clock = new ManualClock();
  await writeFile(join(root, "before"), Buffer.alloc(400_000));
  const watch = await prepareDiskWatch({ root, maxBytes: 100_000, clock });
  const end = new AbortController();
  let said: string | null | undefined;
  const watching = watch(end.signal).then((limit) => {
    said = limit;
  });
  await clock.whenSleeping();
  clock.advance(WEIGHED_WITHIN_MS);
  await Promise.race([watching, clock.whenSleeping()]);
  expect(said).toBeUndefined();

  await writeFile(join(root, "more"), Buffer.alloc(20_000));
  clock.advance(WEIGHED_WITHIN_MS);
  await watching;
  expect(said).toBe("disk");
});
