// Settings that an agent finds in its home, also in one that an earlier process of it has filled.

import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeHomeFiles } from "../../../../../src/service/executor/backends/acp/home-files.ts";
import {
  bringHomeBack,
  keepHome,
} from "../../../../../src/service/executor/backends/acp/taken-up/kept-home.ts";

const PATH = ".own/settings.json";
let folder: string;
let left: string;
let outside: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "home-files-"));
  [left, outside] = [join(folder, "left"), join(folder, "outside")];
  await mkdir(left);
  await mkdir(outside);
  await writeFile(join(outside, "settings.json"), "somebody else's");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A new home with what was left in the earlier one. */
async function takenUp(): Promise<string> {
  const home = join(folder, "home");
  await mkdir(home);
  const kept = await keepHome(left, { isIn: () => false });
  if (kept === null) throw new Error("The home was not kept.");
  await bringHomeBack(home, kept);
  await writeHomeFiles(home, { [PATH]: "its settings" });
  return home;
}

describe("the settings in a home", () => {
  it("are written, and what else is in their folder stays", async () => {
    await mkdir(join(left, ".own"));
    await writeFile(join(left, ".own/history"), "said before");
    await writeFile(join(left, PATH), "changed by the agent");
    const home = await takenUp();
    expect(await readFile(join(home, PATH), "utf8")).toBe("its settings");
    expect(await readFile(join(home, ".own/history"), "utf8")).toBe("said before");
  });

  it.each([
    ["their folder is a link", () => symlink(outside, join(left, ".own"))],
    [
      "they are a link",
      async () => {
        await mkdir(join(left, ".own"));
        await symlink(join(outside, "settings.json"), join(left, PATH));
      },
    ],
    ["their folder is a file", () => writeFile(join(left, ".own"), "a file")],
    ["they are a folder", () => mkdir(join(left, PATH), { recursive: true })],
  ])("are written in the home alone where %s", async (_case, leave) => {
    await leave();
    const home = await takenUp();
    expect(await readFile(join(home, PATH), "utf8")).toBe("its settings");
    expect((await lstat(join(home, ".own"))).isDirectory()).toBe(true);
    expect((await lstat(join(home, PATH))).isFile()).toBe(true);
    expect(await readFile(join(outside, "settings.json"), "utf8")).toBe("somebody else's");
  });
});
