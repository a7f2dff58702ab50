// Vitest's global set-up of the coding agent of tests, test/support/acp-agent.ts: one file with the protocol in it, which
// starts in a third of the processor time that its source takes.

import { rename } from "node:fs/promises";
import { join } from "node:path";

const PROJECT = join(import.meta.dirname, "../../..");
/** Beside the project's packages, which a sandbox shows to what it starts. */
const FOLDER = join(PROJECT, "node_modules/.cache/agent-service-tests");

/** The program: `node <path>`. */
export const ACP_AGENT = join(FOLDER, "acp-agent.mjs");

export async function setup(): Promise<void> {
  const { build } = await import("esbuild");
  // Another run of tests may be reading it.
  const unfinished = `${ACP_AGENT}.${process.pid}`;
  await build({
    entryPoints: [join(PROJECT, "test/support/acp-agent.ts")],
    outfile: unfinished,
    bundle: true,
    platform: "node",
    format: "esm",
    // A library of MCP's client is CommonJS.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  await rename(unfinished, ACP_AGENT);
}
