// Empties the environment of this process as the system shows it, so that no process that it starts reads tokens of the job
// there. Linux alone: elsewhere nothing is done.
// Why: docs/decisions/098-the-environment-of-the-step-is-emptied.md

import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** Of /proc/self/stat, counted from 1 as proc_pid_stat(5) does: where the environment began, and where it ended. */
const ENV_START = 50;
const ENV_END = 51;
/** The fields behind the name of the program, which may hold blanks and brackets. */
const FIRST_BEHIND_NAME = 3;

/**
 * Keeps every variable in `process.env` and writes zeros over the block that /proc/<pid>/environ shows, which stays as it was at
 * the start whatever is deleted later. False where that is not possible. Safe to repeat.
 */
export function emptyInitialEnvironment(): boolean {
  if (process.platform !== "linux") return false;
  try {
    const block = readFileSync("/proc/self/environ");
    const [start, end] = placeOfBlock(readFileSync("/proc/self/stat", "latin1"));
    if (start === 0 || end - start !== block.length) return false;
    keepVariables();
    const memory = openSync("/proc/self/mem", "r+");
    try {
      for (const { at, length } of textEntries(block))
        writeSync(memory, Buffer.alloc(length), 0, length, start + at);
    } finally {
      closeSync(memory);
    }
    return true;
  } catch {
    // No such files, or a kernel that forbids it: the variables stay where they are.
    return false;
  }
}

function placeOfBlock(stat: string): readonly [number, number] {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const field = (number: number) => Number(fields[number - FIRST_BEHIND_NAME] ?? 0);
  return [field(ENV_START), field(ENV_END)];
}

/** Copies all that is set: the C library then holds no pointer into the block. */
function keepVariables(): void {
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) process.env[name] = value;
}

/** Entries whose text survives the way through `process.env`; another one, which no token is, stays. */
function textEntries(block: Buffer): readonly { readonly at: number; readonly length: number }[] {
  const entries: { at: number; length: number }[] = [];
  for (let at = 0; at < block.length; ) {
    const end = block.indexOf(0, at);
    const length = (end < 0 ? block.length : end) - at;
    const entry = block.subarray(at, at + length);
    if (length > 0 && entry.includes("=") && Buffer.from(entry.toString("utf8")).equals(entry))
      entries.push({ at, length });
    at += length + 1;
  }
  return entries;
}
