// The processor time of test files, as test/support/run/processor-time.ts writes it: one JSON line each.

import { readFileSync } from "node:fs";

export type CpuTimes = {
  readonly ownMs: number;
  readonly ownSystemMs: number;
  readonly childMs: number;
  readonly childSystemMs: number;
};

export function readTimes(path: string): (CpuTimes & { readonly file: string })[] {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

export function cpuMs({ ownMs, ownSystemMs, childMs, childSystemMs }: CpuTimes): number {
  return ownMs + ownSystemMs + childMs + childSystemMs;
}
