// The conformance suite of MCP against our server, with the suite's own tools: the frozen sets of both revisions, and the
// scenarios of tasks.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startConformanceServer } from "../../../support/mcp/conformance-server.ts";

const here = dirname(fileURLToPath(import.meta.url));
const SUITE = join(here, "../../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");

/** How many scenarios a revision requires, and how many of them pass. */
const revisions = [
  { revision: "2026-07-28", required: 37, passing: 37 },
  { revision: "2025-11-25", required: 30, passing: 21 },
];

describe("the conformance suite of MCP", () => {
  it.each(revisions)("passes $passing of the $required scenarios of $revision", async (row) => {
    const { revision, required, passing } = row;
    const server = await startConformanceServer();
    const folder = await mkdtemp(join(tmpdir(), "agent-service-conformance-"));
    try {
      const said = await runSuite([
        "server",
        "--url",
        server.url,
        "--requirements",
        revision,
        "--expected-failures",
        join(here, `conformance-${revision}.yml`),
        "-o",
        folder,
      ]);
      expect(said.code, said.text).toBe(0);
      const scored = await scoredOf(said.text, revision);
      expect([scored.length, scored.filter(({ hasPassed }) => hasPassed).length]).toEqual([
        required,
        passing,
      ]);
    } finally {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function runSuite(args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [SUITE, ...args], { maxBuffer: 64 << 20 });
    return { code: 0, text: stdout };
  } catch (cause) {
    const { code, stdout = "" } = cause as { code?: number; stdout?: string };
    return { code: code ?? 1, text: stdout };
  }
}

/** The summary's line of each scenario that the revision requires. */
async function scoredOf(
  text: string,
  revision: string,
): Promise<readonly { readonly name: string; readonly hasPassed: boolean }[]> {
  const [, summary = ""] = text.split("=== SUMMARY ===");
  const file = await readFile(join(dirname(SUITE), `../requirements/${revision}.yaml`), "utf8");
  const [, list = ""] = /^server:\n((?: {2}- .*\n)+)/m.exec(file) ?? [];
  const required = new Set([...list.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name));
  return [...summary.matchAll(/^([✓✗]) ([^:\s]+): (\d+) passed/gm)]
    .map(([, mark, name = "", passed]) => ({ name, hasPassed: mark === "✓" && passed !== "0" }))
    .filter(({ name }) => required.has(name));
}
