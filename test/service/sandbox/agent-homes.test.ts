import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeHome, removeHome, sweepHomes } from "../../../src/service/sandbox/agent-homes.ts";
import { isAlive } from "../../support/fixtures/acp-fixture.ts";
import { SandboxFixture, until } from "./sandbox-fixture.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "homes-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A process that nobody would find but by its home. */
function dweller(home: string) {
  const child = spawn("sleep", ["1000"], { env: { PATH: process.env.PATH, HOME: home }, detached: true });
  return { child, ended: once(child, "exit") };
}

describe("a home", () => {
  it("goes with what is read-only in it, and with whoever lives there", async () => {
    const home = await makeHome(join(folder, "homes"));
    await mkdir(join(home, "cache", "module"), { recursive: true });
    await writeFile(join(home, "cache", "module", "file"), "x");
    await chmod(join(home, "cache", "module"), 0o500);
    const { ended } = dweller(home);
    await removeHome(home);
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(existsSync(home)).toBe(false);
    await removeHome(home);
  });

  it("that nobody removed is swept with whoever lives there, and nothing else is", async () => {
    const homes = join(folder, "homes");
    const [left, other] = [await makeHome(homes), await makeHome(join(folder, "others"))];
    await writeFile(join(other, "kept"), "x");
    await mkdir(join(homes, "agent-home-of-mine"));
    await symlink(other, join(homes, "agent-home-abcdef"));
    const [guest, neighbour] = [dweller(left), dweller(other)];
    await sweepHomes(homes);
    expect(await guest.ended).toEqual([null, "SIGKILL"]);
    expect((await readdir(homes)).toSorted()).toEqual(["agent-home-abcdef", "agent-home-of-mine"]);
    expect(existsSync(join(other, "kept"))).toBe(true);
    expect(neighbour.child.exitCode ?? neighbour.child.signalCode).toBeNull();
    neighbour.child.kill("SIGKILL");
    await neighbour.ended;
    await sweepHomes(join(folder, "missing"));
  });

  it("of a command without a sandbox takes along what left the command's group", async () => {
    const fixture = new SandboxFixture();
    const sandbox = await fixture.find({ environment: { SANDBOX: "off" } });
    const { output } = await fixture.result(
      sandbox,
      "setsid sh -c 'touch left; exec sleep 1000' > /dev/null & until [ -e left ]; do :; done; echo $HOME $!",
    );
    const [home = "", pid] = output.trim().split(" ");
    expect(home.startsWith(join(fixture.dataDir, "homes"))).toBe(true);
    expect(existsSync(home)).toBe(false);
    await until(async () => !(await isAlive(pid)));
    await fixture.close();
  });
});
