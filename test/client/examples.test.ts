// The examples of docs/client.md: each compiles against the client, and the first one runs against the built service.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { runCommand } from "../support/run/run-command.ts";

const PROJECT = join(import.meta.dirname, "../..");
const SOURCE = join(PROJECT, "src/client/client.ts");
const BUILT = join(PROJECT, "npm/client.mjs");
const run = promisify(execFile);

let folder: string;
let examples: readonly string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "client-examples-"));
  const page = await readFile(join(PROJECT, "docs/client.md"), "utf8");
  examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the examples of docs/client.md", () => {
  it("compile", async () => {
    expect(examples.length).toBeGreaterThan(3);
    const files = examples.map((_, index) => `example-${index}.ts`);
    await Promise.all(files.map((name, index) => writeFile(join(folder, name), examples[index] ?? "")));
    const compilerOptions = {
      paths: { "agent-service/client": [SOURCE] },
      typeRoots: [join(PROJECT, "node_modules/@types")],
    };
    const config = { extends: join(PROJECT, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const tsc = join(PROJECT, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch((cause) => cause);
    expect(stdout).toBe("");
  });

  it("begin with one that runs", async () => {
    const dataDir = join(folder, "data");
    const service = new ServiceProcess(["serve", "--port", "0", "--data-dir", dataDir]);
    try {
      const url = await service.ready();
      const made = await runCommand(["keys", "create", "--json", "--data-dir", dataDir]);
      const { secret } = JSON.parse(made.stdout);
      const code = (examples[0] ?? "").replace("agent-service/client", pathToFileURL(BUILT).href);
      const env = { PATH: process.env.PATH, AGENT_SERVICE_URL: url, AGENT_SERVICE_KEY: secret };
      const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", code], { env });
      expect(stdout).toMatch(/completed, 0 credits\n$/);
    } finally {
      service.signal("SIGTERM");
      await service.ended;
    }
  });
});
