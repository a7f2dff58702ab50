// The conformance suite of MCP against our client: what it has of authorization for 2026-07-28. Our grades are played in every run of the
// tests, the rest, in which a test stands for a person at a browser, in the long one.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../../../..");
const SUITE = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const REVISION = "2026-07-28";
/** Those that the suite has for the revision, the extensions among them. */
const SCENARIOS = 31;
const LEAST_PASSING = 27;
const LIMIT_MS = 60_000;
const grades = ["auth/client-credentials-basic", "auth/client-credentials-jwt", "auth/wif-jwt-bearer"];

let folder: string;
let client: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "client-conformance-"));
  client = join(folder, "client.mjs");
  // One file starts sooner than its sources, which each scenario would read anew.
  await build({
    entryPoints: [join(root, "test/support/mcp/conformance-client.ts")],
    outfile: client,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    logLevel: "error",
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Null where it passes; else what the suite said. */
async function play(scenario: string): Promise<string | null> {
  const args = [
    ...[SUITE, "client", "--command", `${process.execPath} ${client}`, "--scenario", scenario],
    ...["--spec-version", REVISION, "--force", "--timeout", String(LIMIT_MS), "-o", folder],
  ];
  try {
    await promisify(execFile)(process.execPath, args, { maxBuffer: 64 << 20 });
    return null;
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { stdout?: string; stderr?: string };
    return `${stdout}\n${stderr}`;
  }
}

describe("the conformance suite of MCP against our client", () => {
  it.each(grades)("passes %s", { timeout: 2 * LIMIT_MS }, async (scenario) => {
    expect(await play(scenario)).toBeNull();
  });

  it(`passes all of authorization but what is named`, {
    tags: ["long"],
    timeout: SCENARIOS * LIMIT_MS,
  }, async () => {
    const required = await readFile(join(dirname(SUITE), `../requirements/${REVISION}.yaml`), "utf8");
    const scenarios = [...new Set([...required.matchAll(/auth\/[a-z0-9-]+/g)].map(([name]) => name))];
    const listed = await readFile(join(here, "client-conformance.yml"), "utf8");
    const expected = [...listed.matchAll(/^- (\S+)$/gm)].map(([, name]) => name);
    const failed: string[] = [];
    for (const scenario of scenarios) if ((await play(scenario)) !== null) failed.push(scenario);
    expect(scenarios).toHaveLength(SCENARIOS);
    expect(failed.sort()).toEqual(expected.sort());
    expect(scenarios.length - failed.length).toBeGreaterThanOrEqual(LEAST_PASSING);
  });
});
