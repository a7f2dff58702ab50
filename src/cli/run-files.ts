// The files that a run leaves for later steps and artifacts: one folder, the same files with every CI provider.

import { mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "./command-error.ts";

/** In a CI job without --output-dir. */
export const DEFAULT_OUTPUT_DIR = "agent-service-output";

export type RunFiles = {
  /** As it was given; null where nothing is kept. */
  readonly folder: string | null;
  /** Adds whole lines to events.ndjson. */
  appendEvents(lines: string): Promise<void>;
  write(name: RunFileName, text: string): Promise<void>;
  /** Safe to repeat. */
  close(): Promise<void>;
};

const names = [
  "reply.md",
  "summary.md",
  "changes.patch",
  "output.json",
  "result.json",
  // GitLab reads these two as reports.
  "agent-service.env",
  "annotations.json",
] as const;
type RunFileName = (typeof names)[number];

/** Removes what an earlier run left there. Rejects with CommandError. */
export async function openRunFiles(folder: string): Promise<RunFiles> {
  try {
    await mkdir(folder, { recursive: true });
    await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
    // Keeps the folder out of the changes of an agent that works on this checkout.
    await writeFile(join(folder, ".gitignore"), "*\n");
    const events = await open(join(folder, "events.ndjson"), "w");
    let isOpen = true;
    return {
      folder,
      appendEvents: (lines) => events.appendFile(lines),
      write: (name, text) => writeFile(join(folder, name), text),
      close: async () => {
        if (isOpen) await events.close();
        isOpen = false;
      },
    };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "unknown";
    throw new CommandError(`The folder of --output-dir, "${folder}", cannot be written: ${why}`, { cause });
  }
}

/** Keeps nothing beyond what a run prints. */
export const noFiles: RunFiles = {
  folder: null,
  appendEvents: async () => {},
  write: async () => {},
  close: async () => {},
};
