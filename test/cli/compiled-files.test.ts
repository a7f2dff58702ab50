// What V8 compiled for a node, kept beside the command's files: the next one loads it, and nobody depends on it.

import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startServer } from "../../scripts/served-process.ts";

const BUILT = join(import.meta.dirname, "../../npm");

let folder: string;
let command: string;
let compiled: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "compiled-files-"));
  await cp(BUILT, join(folder, "npm"), { recursive: true });
  command = join(folder, "npm/cli.mjs");
  compiled = join(folder, "npm/.compiled");
  await rm(compiled, { recursive: true, force: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Starts a node in an empty folder, reads its health, and stops it. */
async function serveOnce(env: Readonly<Record<string, string>> = {}): Promise<number> {
  const args = [command, "serve", "--port", "0", "--data-dir", await mkdtemp(join(folder, "data-"))];
  const server = await startServer({ args, env });
  const { status } = await fetch(`${server.url}/healthz`);
  await server.stop();
  return status;
}

async function compiledFiles(): Promise<string[]> {
  const entries = await readdir(compiled, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

describe("what V8 compiled", () => {
  it("is written by the first node, and used by the next", async () => {
    expect(await serveOnce()).toBe(200);
    const written = await compiledFiles();
    expect(written.length).toBeGreaterThan(2);
    const before = await Promise.all(written.map((path) => readFile(path)));
    expect(await serveOnce()).toBe(200);
    // What Node could not use, it would write anew.
    expect(await Promise.all(written.map((path) => readFile(path)))).toEqual(before);
    expect(await compiledFiles()).toEqual(written);
  });

  it("is no fault where it is damaged: it is compiled again", async () => {
    await serveOnce();
    const written = await compiledFiles();
    for (const path of written) {
      const bytes = await readFile(path);
      await writeFile(path, bytes.fill(0x5a, bytes.length >> 1));
    }
    expect(await serveOnce()).toBe(200);
  });

  it("is no fault where it cannot be written", async () => {
    await writeFile(compiled, "a file in the place of the folder");
    expect(await serveOnce()).toBe(200);
  });

  it("is not kept where Node is told not to", async () => {
    expect(await serveOnce({ NODE_DISABLE_COMPILE_CACHE: "1" })).toBe(200);
    await expect(readdir(compiled)).rejects.toThrow("ENOENT");
  });
});
