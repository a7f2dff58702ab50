// Where a coding agent's program is found, and where not.

import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findAgentProgram } from "../../../src/service/sandbox/agent-program.ts";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "programs-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function install(path: string, link: string | null = null): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "#!/bin/sh\n");
  await chmod(file, 0o755);
  if (link === null) return;
  await mkdir(dirname(join(folder, link)), { recursive: true });
  await symlink(file, join(folder, link));
}

const find = (folders: readonly string[], outside: string | null = null) =>
  findAgentProgram(folders.map((name) => join(folder, name)).join(":"), {
    program: "gemini",
    outside: outside === null ? null : join(folder, outside),
  });

describe("the program of a coding agent", () => {
  it("is where its link in PATH leads, with the packages that it was installed with", async () => {
    await install("own/node_modules/@google/gemini-cli/index.js", "own/node_modules/.bin/gemini");
    expect(await find(["empty", "own/node_modules/.bin"])).toEqual({
      path: join(folder, "own/node_modules/@google/gemini-cli/index.js"),
      folder: join(folder, "own/node_modules"),
    });
  });

  it("is a single file, too", async () => {
    await install("bin/gemini");
    expect(await find(["bin"])).toEqual({ path: join(folder, "bin/gemini"), folder: join(folder, "bin") });
  });

  it("is never one that the checkout brings, by a folder or by a link", async () => {
    await install("checkout/node_modules/x/index.js", "checkout/node_modules/.bin/gemini");
    await symlink(join(folder, "checkout/node_modules/.bin"), join(folder, "elsewhere"));
    expect(await find(["checkout/node_modules/.bin", "elsewhere"], "checkout")).toBeNull();
    await install("own/gemini");
    expect(await find(["checkout/node_modules/.bin", "elsewhere", "own"], "checkout")).toMatchObject({
      path: join(folder, "own/gemini"),
    });
  });

  it("is not there where nothing of that name can be executed", async () => {
    await install("bin/gemini");
    await chmod(join(folder, "bin/gemini"), 0o644);
    expect(await find(["bin"])).toBeNull();
  });
});
