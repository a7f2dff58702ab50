// Commands in pods of the fake cluster: what they see, what they leave, and how they end.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeCluster } from "../../../../fakes/kubernetes/cluster.ts";
import type { Sandbox } from "../../../../src/service/core/ports/sandbox.ts";
import { marked, processesWith, SandboxFixture, until } from "../sandbox-fixture.ts";

let fixture: SandboxFixture;
let cluster: FakeCluster;
let sandbox: Sandbox;
let leave: () => Promise<void>;
beforeEach(async () => {
  fixture = new SandboxFixture();
  cluster = await FakeCluster.start();
  sandbox = await fixture.find({ environment: cluster.environment });
  leave =
    sandbox.places?.enter({ runId: "01RUN", root: fixture.checkout.root, onLost: () => {} }) ??
    (async () => {});
});
afterEach(async () => {
  await leave();
  await cluster.close();
  await fixture.close();
});

describe("a command in a pod", () => {
  it("works on the checkout, and answers with both streams in order", async () => {
    writeFileSync(join(fixture.checkout.root, "given"), "here\n");
    const result = await fixture.result(
      sandbox,
      "echo one; echo two >&2; cat given; echo x > made; basename $PWD",
    );
    expect(result).toMatchObject({ exitCode: 0, signal: null, truncated: false, timedOut: false });
    expect(result.output).toBe("one\ntwo\nhere\ntree\n");
    expect(result).not.toHaveProperty("limit");
    expect(readFileSync(join(fixture.checkout.root, "made"), "utf8")).toBe("x\n");
    writeFileSync(join(fixture.checkout.root, "made"), "changed here\n");
    expect((await fixture.result(sandbox, "cat made")).output).toBe("changed here\n");
  });

  it("tells how it ended", async () => {
    expect((await fixture.result(sandbox, "exit 7")).exitCode).toBe(7);
    expect(await fixture.result(sandbox, "kill -TERM $$")).toMatchObject({
      exitCode: null,
      signal: "SIGTERM",
    });
    expect((await fixture.result(sandbox, "no-such-program")).exitCode).toBe(127);
  });

  it("reads its input, or finds none", async () => {
    expect((await fixture.result(sandbox, "cat", { stdin: "given" })).output).toBe("given");
    expect((await fixture.result(sandbox, "cat")).output).toBe("");
    expect((await fixture.result(sandbox, "exit 3", { stdin: "x".repeat(1_000_000) })).exitCode).toBe(3);
  });

  it("has the beginning and the end of long output kept", async () => {
    const counted = await fixture.result(sandbox, "seq 1 100000", { maxOutputBytes: 100 });
    expect(counted.truncated).toBe(true);
    expect(counted.output).toMatch(/^1\n2\n3\n[\s\S]*\n\[588,\d{3} bytes cut\]\n[\s\S]*99999\n100000\n$/);
  });

  it("brings back what was removed and replaced, and follows no link", async () => {
    const { root } = fixture.checkout;
    mkdirSync(join(root, "folder/deep"), { recursive: true });
    writeFileSync(join(root, "folder/deep/file"), "");
    symlinkSync("/etc", join(root, "outside"));
    await fixture.result(
      sandbox,
      "rm -r folder; rm outside; mkdir outside; echo in > outside/passwd; ln -s /etc linked; mkdir -p a/b; echo x >a/b/c; chmod 755 a/b/c",
    );
    expect(readFileSync(join(root, "outside/passwd"), "utf8")).toBe("in\n");
    expect(readFileSync(join(root, "a/b/c"), "utf8")).toBe("x\n");
    const next = await fixture.result(sandbox, "ls; test -x a/b/c && echo executable");
    expect(next.output).toBe("a\nlinked\noutside\nexecutable\n");
    // And the other way: what a tool removes and replaces here.
    rmSync(join(root, "a"), { recursive: true });
    rmSync(join(root, "outside"), { recursive: true });
    writeFileSync(join(root, "outside"), "a file now\n");
    mkdirSync(join(root, "linked-too"));
    rmSync(join(root, "linked"));
    mkdirSync(join(root, "linked"));
    writeFileSync(join(root, "linked/file"), "x");
    const last = await fixture.result(sandbox, "find . | sort; cat outside; ls -la /etc/file 2>/dev/null");
    expect(last.output).toBe(".\n./linked\n./linked-too\n./linked/file\n./outside\na file now\n");
  });

  it("is ended at its limits of time and of output", async () => {
    expect(await fixture.result(sandbox, "sleep 100", { timeoutMs: 200 })).toMatchObject({
      limit: "time",
      timedOut: true,
      exitCode: null,
    });
    const endless = await fixture.result(sandbox, "cat /dev/zero", { maxOutputBytes: 100 });
    expect(endless).toMatchObject({ limit: "output", exitCode: null, truncated: true });
  });

  it("is ended when its files grow too large, and so is what it leaves behind", async () => {
    const small = await fixture.find({ environment: cluster.environment, limits: { diskBytes: 4_000_000 } });
    const left = marked("left");
    const result = await fixture.result(small, `head -c 8000000 /dev/zero > large; sleep 100`);
    expect(result).toMatchObject({ limit: "disk", exitCode: null });
    await fixture.result(sandbox, `setsid sh -c 'sleep 100; :' ${left} >/dev/null 2>&1 & echo started`);
    expect(await processesWith(left)).toEqual([]);
  });

  it("that is stopped ends with what it started, and leaves what it had changed", async () => {
    const stopping = new AbortController();
    const word = marked("stopped");
    const running = fixture.result(sandbox, `echo x > begun; sh -c 'sleep 100; :' ${word}`, {
      signal: stopping.signal,
    });
    running.catch(() => {});
    await until(async () => (await processesWith(word)).length > 0);
    stopping.abort(new Error("cancelled"));
    await expect(running).rejects.toThrow("cancelled");
    expect(await processesWith(word)).toEqual([]);
    expect(readFileSync(join(fixture.checkout.root, "begun"), "utf8")).toBe("x\n");
  });

  it("reads git, and finds neither a credential nor a hook there; what git ignores stays in the pod", async () => {
    const { root } = fixture.checkout;
    const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args]);
    git("init", "-q");
    writeFileSync(join(root, ".gitignore"), "node_modules\n");
    writeFileSync(join(root, "file"), "one\n");
    git("add", ".");
    git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "first");
    git("config", "http.extraheader", "AUTHORIZATION: basic c2VjcmV0");
    writeFileSync(join(root, ".git/hooks/post-commit"), "#!/bin/sh\n", { mode: 0o755 });
    const shell =
      "git log --format=%s; cat .git/config; ls .git/hooks; mkdir node_modules; echo y > node_modules/kept; echo two > file; git diff --stat";
    const result = await fixture.result(sandbox, shell);
    expect(result.output).toMatch(/^first\n/);
    expect(result.output).toContain("1 file changed");
    expect(result.output).not.toMatch(/AUTHORIZATION|post-commit/);
    expect(readFileSync(join(root, "file"), "utf8")).toBe("two\n");
    expect(existsSync(join(root, "node_modules"))).toBe(false);
    expect((await fixture.result(sandbox, "cat node_modules/kept")).output).toBe("y\n");
    // What a pod does to git's folder is its own.
    await fixture.result(sandbox, "chmod -R u+w .git; echo evil > .git/config");
    expect(readFileSync(join(root, ".git/config"), "utf8")).toContain("AUTHORIZATION");
  });

  it("has a home of its own, or the run's, which stays", async () => {
    await fixture.result(sandbox, "echo x > ~/kept");
    expect((await fixture.result(sandbox, "ls ~")).output).toBe("");
    const home = join(fixture.dataDir, "home");
    await fixture.result(sandbox, "echo x > ~/kept", { checkout: { home } });
    expect((await fixture.result(sandbox, "ls ~", { checkout: { home } })).output).toBe("kept\n");
  });

  it("of no run has a pod of its own, which is gone after it, and so has a program", async () => {
    await leave();
    expect((await fixture.result(sandbox, "echo alone")).output).toBe("alone\n");
    expect(cluster.claims.values).toEqual([]);
    const started = await sandbox.start(
      { checkout: fixture.checkout, isTreeShown: true },
      { argv: ["cat"], env: {}, egressSocket: null },
    );
    if (!started.ok) throw new Error(started.refusal.detail);
    expect(cluster.claims.values).toHaveLength(1);
    await started.value.end();
    await cluster.settled();
    expect(cluster.claims.values).toEqual([]);
  });
});
