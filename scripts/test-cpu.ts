// Adds up the processor time of tests by folder and by file. Usage: TEST_CPU=/tmp/cpu.jsonl npm test; node
// scripts/test-cpu.ts /tmp/cpu.jsonl

import { type CpuTimes, cpuMs, readTimes } from "./test-times.ts";

const FILES_SHOWN = 40;

function main(path: string | undefined): void {
  if (path === undefined) throw new Error("Name the file that TEST_CPU named.");
  const rows = readTimes(path);
  const folders = tableOf("folder", add(rows, folderOf), Number.POSITIVE_INFINITY);
  const files = add(rows, ({ file }) => file);
  process.stdout.write(folders + tableOf("file", files, FILES_SHOWN));
}

function folderOf({ file }: { file: string }): string {
  const parts = file.split("/").slice(0, -1);
  return parts.slice(0, parts[1] === "service" ? 3 : 2).join("/");
}

function add<Row extends CpuTimes>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, CpuTimes> {
  const sums = new Map<string, CpuTimes>();
  for (const row of rows) {
    for (const key of [keyOf(row), "all"]) {
      const sum = sums.get(key) ?? { ownMs: 0, ownSystemMs: 0, childMs: 0, childSystemMs: 0 };
      sums.set(key, {
        ownMs: sum.ownMs + row.ownMs,
        ownSystemMs: sum.ownSystemMs + row.ownSystemMs,
        childMs: sum.childMs + row.childMs,
        childSystemMs: sum.childSystemMs + row.childSystemMs,
      });
    }
  }
  return sums;
}

function tableOf(kind: string, sums: Map<string, CpuTimes>, shown: number): string {
  const rows = [...sums].sort(([, a], [, b]) => cpuMs(b) - cpuMs(a)).slice(0, shown);
  const lines = rows.map(([name, one]) => {
    const columns = [cpuMs(one), one.ownMs, one.ownSystemMs, one.childMs, one.childSystemMs];
    return `${columns.map((ms) => (ms / 1000).toFixed(1).padStart(8)).join("")}  ${name}\n`;
  });
  return `${kind}: all, own user, own kernel, processes user, processes kernel (seconds)\n${lines.join("")}`;
}

main(process.argv[2]);
