// What the disk alone takes: so many bytes at the end of a file, as a small commit leaves them in a log, and their way to the disk.

import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { opened } from "../../scripts/opened.ts";
import { median, quantile } from "../statistics.ts";

const BYTES = 16 * 1024;
const WRITES = 100;

export async function measureDiskWrite(): Promise<{ readonly medianMs: number; readonly p90Ms: number }> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const remove = opened(() => rm(folder, { recursive: true, force: true }));
  const file = await open(join(folder, "log"), "w");
  const took: number[] = [];
  for (let write = 0; write < WRITES; write += 1) {
    const startedAt = performance.now();
    await file.write(Buffer.alloc(BYTES, write), 0, BYTES, write * BYTES);
    await file.datasync();
    took.push(performance.now() - startedAt);
  }
  await file.close();
  await remove();
  return { medianMs: median(took), p90Ms: quantile(took, 0.9) };
}
