// Vitest's global set-up of what Node compiles: the command and the nodes that tests start are compiled once a run, not
// once a process. The next run compiles them again.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Names the folder to the processes that run tests. Not Node's own variable: it would hold for those too. */
const VARIABLE = "TEST_COMPILE_CACHE";

export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-compiled-"));
  process.env[VARIABLE] = folder;
  return async () => await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** What a process of the command, or of a node, gets in its environment to share what is compiled. */
export function compileCache(): Readonly<Record<string, string>> {
  const folder = process.env[VARIABLE];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
