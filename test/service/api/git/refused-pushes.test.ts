// Pushes that no workspace takes: what git's client prints, and that nothing has moved.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SERVED_LIMITS } from "../../../support/fixtures/core-fixture.ts";
import { sqliteStore } from "../../../support/stores/stores.ts";
import { GitFixture } from "./git-fixture.ts";

const MAX_PACK_BYTES = 3_000_000;

describe("pushes that are refused", () => {
  let at: GitFixture;

  beforeAll(async () => {
    const push = { ...SERVED_LIMITS.push, maxBytes: MAX_PACK_BYTES, maxObjects: 500, maxCommits: 20 };
    at = await GitFixture.start({
      store: sqliteStore,
      gitLimits: { ...SERVED_LIMITS, push },
      maxFileBytes: 1_000_000,
    });
  });
  afterAll(() => at.close());

  const pushOf = async (cwd: string, from: string, copyId: string) =>
    await at.git.run(["push", "origin", `${from}:refs/heads/copies/${copyId}`], { cwd });

  it.each([
    [{ mode: "100644", name: "..", content: "x" }, "a malformed object"],
    [{ mode: "100644", name: ".git", content: "x" }, "a malformed object"],
    [{ mode: "100644", name: ".GIT", content: "x" }, "a malformed object"],
    [{ mode: "100644", name: "a/b", content: "x" }, "a malformed object"],
    [{ mode: "120000", name: "link", content: "../outside" }, "must lead to a relative path"],
    [{ mode: "120000", name: "link", content: "/etc/passwd" }, "must lead to a relative path"],
    [{ mode: "100644", name: "con.txt", content: "x" }, "is the name of a device"],
    [{ mode: "100644", name: "trail.", content: "x" }, 'with "." or a space at its end'],
  ])("for a path: %j", async (entry, text) => {
    const { workspaceId, copyId, cwd, base } = await at.workspace();
    const commit = await at.commitOfEntry(cwd, entry);
    const { code, stderr } = await pushOf(cwd, commit, copyId);
    expect(stderr).toContain(text);
    expect(code).toBe(1);
    expect(await at.baseOf(workspaceId, copyId)).toBe(base);
  });

  it("for names that are one on some systems", async () => {
    const { copyId, cwd } = await at.workspace();
    await at.write(cwd, "readme.MD", "two\n");
    await at.commit(cwd);
    expect((await pushOf(cwd, "HEAD", copyId)).stderr).toContain("are one file on Windows and macOS");
  });

  it("for bytes, unfolded bytes, objects, commits and files that are too many", async () => {
    const { workspaceId, copyId, cwd, base } = await at.workspace();
    const random = execFileSync("head", ["-c", "4000000", "/dev/urandom"], { maxBuffer: 5_000_000 });
    await at.write(cwd, "random.bin", random);
    await at.commit(cwd);
    expect((await pushOf(cwd, "HEAD", copyId)).stderr).toMatch(/more than the 3 MB|larger than this service/);
    await at.git.git(["reset", "--quiet", "--hard", base], { cwd });
    await at.write(cwd, "zeros.bin", Buffer.alloc(70_000_000));
    await at.commit(cwd);
    expect((await pushOf(cwd, "HEAD", copyId)).stderr).toContain("unfolds");
    await at.git.git(["reset", "--quiet", "--hard", base], { cwd });
    await at.write(cwd, "large.bin", Buffer.alloc(1_000_001));
    await at.commit(cwd);
    expect((await pushOf(cwd, "HEAD", copyId)).stderr).toContain("WORKSPACE_MAX_FILE_MB");
    await at.git.git(["reset", "--quiet", "--hard", base], { cwd });
    for (let n = 0; n < 501; n += 1) await at.write(cwd, `many/${n}.txt`, `${n}`);
    await at.commit(cwd);
    expect((await pushOf(cwd, "HEAD", copyId)).stderr).toContain("objects, this service takes 500");
    await at.git.git(["reset", "--quiet", "--hard", base], { cwd });
    for (let n = 0; n < 21; n += 1)
      await at.git.git(["commit", "--quiet", "--allow-empty", "-m", `${n}`], { cwd });
    expect((await pushOf(cwd, "HEAD", copyId)).stderr).toContain("More than 20 commits are new");
    expect(await at.baseOf(workspaceId, copyId)).toBe(base);
  });

  it("for packs that are damaged, incomplete, or built on what is not held", async () => {
    const place = await at.workspace({ "lines.txt": lines(0) });
    const { cwd, workspaceId, copyId, base } = place;
    const pack = (args: readonly string[], input: string) =>
      execFileSync("git", ["pack-objects", "--stdout", "--quiet", ...args], {
        cwd: join(at.git.folder, cwd),
        input,
        stdio: ["pipe", "pipe", "pipe"],
      });
    await at.write(cwd, "lines.txt", lines(1));
    const elsewhere = await at.commit(cwd, "Nobody has it");
    await at.write(cwd, "lines.txt", lines(2));
    const tip = await at.commit(cwd, "On it");
    const whole = pack(["--revs"], `${tip}\n^${base}\n`);
    const damaged = Buffer.from(whole);
    damaged[40] = (damaged[40] ?? 0) ^ 0xff;
    expect((await at.pushPack(place, tip, damaged)).text).toContain("contents are not what its size says");
    expect((await at.pushPack(place, tip, whole.subarray(0, -30))).text).toContain("damaged or cut off");
    expect((await at.pushPack(place, tip, Buffer.from("PACK of nothing at all"))).text).toContain(
      "The body is no git pack.",
    );
    const withoutFile = pack([], `${tip}\n${elsewhere}\n${await tree(tip)}\n${await tree(elsewhere)}\n`);
    expect((await at.pushPack(place, tip, withoutFile)).text).toContain("neither in the pack nor held");
    const thin = pack(["--revs", "--thin"], `${tip}\n^${elsewhere}\n`);
    expect((await at.pushPack(place, tip, thin)).text).toMatch(/builds on objects|neither in the pack/);
    expect((await at.pushPack(place, "1".repeat(40), whole)).text).toContain("does not hold commit 1111");
    expect(await at.baseOf(workspaceId, copyId)).toBe(base);
    // The same, whole: twice, as a proxy may send it again.
    for (const _time of [1, 2])
      expect((await at.pushPack(place, tip, whole)).text).toContain(`ok ${place.ref}`);
    expect(await at.baseOf(workspaceId, copyId)).toBe(tip);

    async function tree(commit: string): Promise<string> {
      return await at.git.git(["rev-parse", `${commit}^{tree}`], { cwd });
    }
  });

  it("to a copy that a run holds, and to a workspace that is being deleted", async () => {
    const { workspaceId, copyId, cwd } = await at.workspace();
    await at.write(cwd, "new.txt", "new\n");
    await at.commit(cwd);
    const { store: opened } = at.fixture.core;
    await opened.transact((tx) => tx.copies.hold(copyId, { runId: workspaceId, fence: 1 }));
    expect((await pushOf(cwd, "HEAD", copyId)).stderr).toContain(`is at work in copy ${copyId}`);
    await opened.transact((tx) => tx.copies.release(copyId, { runId: workspaceId, fence: 1 }));
    await at.client.workspaces.delete({ workspaceId });
    const { stderr } = await pushOf(cwd, "HEAD", copyId);
    expect(stderr).toMatch(/remote: (There is no workspace|Workspace .* is being deleted)/);
    expect((await at.git.run(["fetch"], { cwd })).stderr).toMatch(/remote: (There is no|Workspace)/);
  });

  it("leave nothing on the disk", async () => {
    expect(await at.calls()).toEqual([]);
  });
});

function lines(version: number): string {
  return Array.from({ length: 2_000 }, (_, at) => `line ${at} ${at === 1_000 ? version : ""}\n`).join("");
}
