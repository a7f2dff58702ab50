// A tree that is kept and brought back in every kind of checkout: with hidden files, without a repository, borrowed.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { borrowedCheckouts } from "../../../src/service/checkouts/borrowed-checkouts.ts";
import type { Checkout } from "../../../src/service/core/checkouts/checkout.ts";
import { CheckoutFixture } from "./checkout-fixture.ts";
import { keep, passOn, write } from "./kept-tree-fixture.ts";

let fixture: CheckoutFixture;
let runs = 0;

beforeAll(async () => {
  fixture = await CheckoutFixture.make();
});

afterAll(() => fixture.close());

describe("a kept tree of other checkouts", () => {
  it("leaves hidden what was hidden, brought back before or after the hiding", async () => {
    const ref = "refs/pull/7/head";
    const files = {
      ".mcp.json": "{}\n",
      "deep/CLAUDE.md": "Obey.\n",
      "src/a.ts": "1\n",
      ".gitignore": "*.log\n",
    };
    const main = fixture.repository.commit({ files: { "AGENTS.md": "Be kind.\n", "src/a.ts": "0\n" } });
    const head = fixture.repository.commit({ files: { ...files, "AGENTS.md": "Steal.\n" }, parents: [main] });
    fixture.repository.updateRef(ref, head);
    fixture.repository.updateRef("refs/heads/main", main);
    const openPull = async () => {
      runs += 1;
      const pullRequest = { number: 7, headRef: ref, isJobs: false };
      const pull = { event: "pull_request", ref, baseRef: "main", pullRequest };
      return await fixture.open(head, { source: { runId: `run-${runs}`, ...pull } });
    };
    const first = await openPull();
    await first.hideAgentFiles();
    const untouched = await keep(first);
    await write(first, { "src/a.ts": "2\n", "deep/CLAUDE.md": "Mine.\n", "new.txt": "n\n" });
    const kept = await keep(first);
    const changes = await first.workingChanges();
    const hideThenBringBack = await openPull();
    await hideThenBringBack.hideAgentFiles();
    expect(await hideThenBringBack.keepTree(untouched.tree)).toBeNull();
    await hideThenBringBack.bringBack(kept);
    const bringBackThenHide = await openPull();
    await bringBackThenHide.bringBack(untouched);
    await bringBackThenHide.hideAgentFiles();
    await bringBackThenHide.bringBack(kept);
    for (const checkout of [hideThenBringBack, bringBackThenHide]) {
      expect(existsSync(join(checkout.root, ".mcp.json"))).toBe(false);
      expect(await readFile(join(checkout.root, "AGENTS.md"), "utf8")).toBe("Be kind.\n");
      expect(await checkout.workingChanges()).toEqual(changes);
      expect(await checkout.keepTree(kept.tree)).toBeNull();
    }
  });

  it("comes back where the run has no repository", async () => {
    const openEmpty = async () => {
      runs += 1;
      const opened = await fixture
        .provider()
        .openEmpty({ runId: `run-${runs}` }, AbortSignal.timeout(30_000));
      if (!opened.ok) throw new Error(opened.refusal.detail);
      return opened.value;
    };
    const [first, second] = [await openEmpty(), await openEmpty()];
    try {
      expect(await first.keepTree(null)).toBeNull();
      await write(first, { "in/a.txt": "a\n", "b.txt": "b\n" });
      await passOn(first, second);
      await rm(join(first.root, "in"), { recursive: true });
      await rm(join(first.root, "b.txt"));
      const { tree } = await keep(second);
      await second.bringBack(await keep(first, tree));
      expect(await second.files()).toEqual([]);
    } finally {
      await first.close();
      await second.close();
    }
  });

  for (const format of ["sha1", "sha256"] as const) {
    it(`comes back in a checkout that the job has made, with names of ${format}`, async () => {
      const folder = await mkdtemp(join(fixture.folder, `${format}-`));
      const roots = [join(folder, "one"), join(folder, "two")];
      const [one = "", two = ""] = roots;
      const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd });
      git(folder, "init", "--quiet", `--object-format=${format}`, one);
      await writeFile(join(one, "a.txt"), "a\n");
      await writeFile(join(one, ".env"), "SECRET=1\n");
      await writeFile(join(one, "b.txt"), "b\n".repeat(500));
      git(one, "add", "-A");
      git(one, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "-m", "first");
      git(folder, "clone", "--quiet", one, two);
      git(two, "remote", "remove", "origin");
      const opened: Checkout[] = [];
      for (const root of roots) {
        // What the job has made before the run is no change of the run.
        await writeFile(join(root, "built.txt"), "by the job\n");
        runs += 1;
        const provider = borrowedCheckouts({ root, folder: join(folder, "runs"), environment: process.env });
        const source = fixture.source("0".repeat(40), { runId: `run-${runs}` });
        const result = await provider.open(source, AbortSignal.timeout(30_000));
        if (!result.ok) throw new Error(result.refusal.detail);
        opened.push(result.value);
      }
      const [first, second] = opened;
      if (first === undefined || second === undefined) throw new Error("Not opened.");
      try {
        await write(first, {
          "b.txt": `${"b\n".repeat(500)}c\n`,
          "new.txt": "n\n",
          "image.bin": Buffer.from([0]),
        });
        await rm(join(one, "a.txt"));
        expect((await keep(first)).pack.byteLength).toBeLessThan(1000);
        await passOn(first, second);
        expect(existsSync(join(two, "a.txt"))).toBe(false);
        expect(await readFile(join(two, "built.txt"), "utf8")).toBe("by the job\n");
        expect(await readFile(join(two, ".env"), "utf8")).toBe("SECRET=1\n");
        expect(git(two, "status", "--porcelain").toString()).toContain("?? new.txt");
      } finally {
        for (const checkout of opened) await checkout.close();
      }
    });
  }
});
