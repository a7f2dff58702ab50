// The package as npm packs it, in a project that has nothing else installed.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PROJECT = join(import.meta.dirname, "..");
const COMPILER = join(PROJECT, "node_modules/typescript/bin/tsc");
const run = promisify(execFile);

const program = `
import { ApiError, type Client, createClient, type Run } from "agent-service/client";

export const client: Client = createClient({ baseUrl: "http://127.0.0.1:1", credential: () => "svc_sk_of_nobody" });
export const isOver = (run: Run): boolean => run.status === "completed";
// @ts-expect-error: the types are known, not any.
export const wrong: number = (run: Run) => run.status;
export const fault: typeof ApiError = ApiError;
`;

async function bundledByEsbuild(input: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [input],
    bundle: true,
    format: "esm",
    platform: "browser",
    logLevel: "silent",
    write: false,
  });
  return outputFiles.map(({ text }) => text).join("\n");
}

/** The bundler of Vite. */
async function bundledByRolldown(input: string): Promise<string> {
  await using bundle = await rolldown({ input, platform: "browser", logLevel: "silent" });
  const { output } = await bundle.generate({ format: "es" });
  return output.map((file) => (file.type === "chunk" ? file.code : "")).join("\n");
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "package-test-"));
  const installed = join(folder, "node_modules/agent-service");
  await mkdir(installed, { recursive: true });
  const shell = process.platform === "win32";
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: PROJECT,
    shell,
  });
  const { filename } = JSON.parse(stdout.slice(stdout.indexOf("\n[") + 1))[0];
  await run("tar", ["-xzf", join(folder, filename), "--strip-components=1", "-C", installed]);
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the package", () => {
  it("needs no other package", async () => {
    const text = await readFile(join(folder, "node_modules/agent-service/package.json"), "utf8");
    expect(JSON.parse(text)).not.toHaveProperty("dependencies");
  });

  it("has a client whose types compile by themselves, for Node and for browsers", async () => {
    await writeFile(join(folder, "program.ts"), program);
    const options = { strict: true, noEmit: true, module: "nodenext", target: "es2022", types: [] };
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...options, lib: ["es2022", "dom"] }, files: ["program.ts"] }),
    );
    const { stdout } = await run(process.execPath, [COMPILER, "-p", folder]).catch((cause) => cause);
    expect(stdout).toBe("");
  });

  it("has a client that loads", async () => {
    const script = 'import * as client from "agent-service/client"; console.log(typeof client.createClient);';
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: folder,
    });
    expect(stdout).toBe("function\n");
  });

  it.each(["esbuild", "rolldown"])(
    "has a client that %s bundles for browsers, without a module of Node",
    async (name) => {
      await writeFile(join(folder, "page.js"), 'export { createClient } from "agent-service/client";\n');
      const input = join(folder, "page.js");
      const text = name === "esbuild" ? await bundledByEsbuild(input) : await bundledByRolldown(input);
      expect(text).toContain("/v1/ws");
      expect(text).not.toMatch(/["']node:|\brequire\(|\bimport\(/);
    },
  );

  it("has the command", async () => {
    const command = join(folder, "node_modules/agent-service/npm/cli.mjs");
    const { stdout } = await run(process.execPath, [command, "--version"], { cwd: folder });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
