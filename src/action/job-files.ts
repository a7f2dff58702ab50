// The files that a step leaves for the next: RUNNER_TEMP/agent-service/<step>/reply.md, events.ndjson and changes.patch.

import { mkdir, open, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../base/environment.ts";

export type JobFiles = {
  readonly replyPath: string;
  readonly eventsPath: string;
  /** Adds whole lines to the events file. */
  appendEvents(lines: string): Promise<void>;
  writeReply(reply: string): Promise<void>;
  /** Returns the path of the patch; "" when there is nothing in it. */
  writePatch(patch: string): Promise<string>;
  close(): Promise<void>;
};

/** Makes the folder and an empty events file. */
export async function openJobFiles(env: Environment): Promise<JobFiles> {
  const step = (env.GITHUB_ACTION ?? "").replace(/[^\w.-]+/g, "_").replace(/^\.+/, "_") || "step";
  const folder = join(env.RUNNER_TEMP ?? tmpdir(), "agent-service", step);
  await mkdir(folder, { recursive: true });
  const replyPath = join(folder, "reply.md");
  const eventsPath = join(folder, "events.ndjson");
  const events = await open(eventsPath, "w");
  return {
    replyPath,
    eventsPath,
    appendEvents: (lines) => events.appendFile(lines),
    writeReply: (reply) => writeFile(replyPath, reply),
    writePatch: async (patch) => {
      if (patch === "") return "";
      const path = join(folder, "changes.patch");
      await writeFile(path, patch);
      return path;
    },
    close: () => events.close(),
  };
}
