// Vitest's global set-up of the folder that tests work in: never the checkout of this project, whose files a command
// of a test could otherwise change.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The working directory of every test file. */
    readonly workingFolder: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-tests-"));
  project.provide("workingFolder", folder);
  return async () => await rm(folder, { recursive: true, force: true });
}
