// File descriptors that this process inherited and would pass on. Node closes its own and the first few on exec;
// those that a supervisor left open above them would reach every command.

import type { StdioOptions } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { devNull } from "node:os";

const CLOSED_ON_EXEC = 0o2000000;

/** Listed once, at start: later ones are Node's own. Above the standard three. */
export async function inheritedDescriptors(): Promise<readonly number[]> {
  const names = await readdir("/proc/self/fdinfo").catch(() => []);
  const numbers = names.map(Number).filter((descriptor) => descriptor > 2);
  const isPassedOn = await Promise.all(
    numbers.map(async (descriptor) => {
      const info = await readFile(`/proc/self/fdinfo/${descriptor}`, "latin1").catch(() => "");
      const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
      return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
    }),
  );
  return numbers.filter((_, index) => isPassedOn[index]);
}

export type Stdio = readonly ("pipe" | "ignore")[];

/** Starts a process by `start` with `stdio`, and with nothing in place of the inherited descriptors. */
export function withoutInherited<Child>(
  stdio: Stdio,
  inherited: readonly number[],
  start: (stdio: StdioOptions) => Child,
): Child {
  const nothing = openSync(devNull, "r");
  try {
    const length = Math.max(stdio.length, ...inherited.map((descriptor) => descriptor + 1));
    return start(
      Array.from({ length }, (_, index) => stdio[index] ?? (inherited.includes(index) ? nothing : "ignore")),
    );
  } finally {
    closeSync(nothing);
  }
}
