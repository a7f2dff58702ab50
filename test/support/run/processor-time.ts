// Processor time by test file, where TEST_CPU names a file: one JSON line each, of the process that ran the tests and of
// the processes that it started and that have ended. `node scripts/test-cpu.ts <file>` adds them up by folder.

import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, expect } from "vitest";

const file = process.env.TEST_CPU;

if (file !== undefined) {
  const before = readTimes();
  const name = relative(`${import.meta.dirname}/../../..`, expect.getState().testPath ?? "");
  afterAll(() => {
    const after = readTimes();
    const spent = {
      ownMs: after.ownMs - before.ownMs,
      ownSystemMs: after.ownSystemMs - before.ownSystemMs,
      childMs: after.childMs - before.childMs,
      childSystemMs: after.childSystemMs - before.childSystemMs,
    };
    appendFileSync(file, `${JSON.stringify({ file: name, ...spent })}\n`);
  });
}

/** Fields 14 to 17 of proc_pid_stat(5), in ticks of 10 ms. The name before them may hold blanks. */
function readTimes(): { ownMs: number; ownSystemMs: number; childMs: number; childSystemMs: number } {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ms = (field: number) => Number(fields[field - 3]) * 10;
  return { ownMs: ms(14), ownSystemMs: ms(15), childMs: ms(16), childSystemMs: ms(17) };
}
