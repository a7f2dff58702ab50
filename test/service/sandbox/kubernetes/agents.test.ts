// Coding agents in pods of the fake cluster: their pipes, their files and home, what may not configure them, and their limits.

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentStart, StartedAgent } from "../../../../src/service/core/ports/agent-start.ts";
import { until } from "../sandbox-fixture.ts";
import { CLAIM, PodFixture } from "./pod-fixture.ts";

/** Executes each line that it reads, and answers with one line. */
const shell = `while read -r line; do printf '%s\\n' "$(eval "$line" 2>&1 | tr '\\n' ' ')"; done`;

/** Says that it was asked to end, and does not. */
const deafProgram = `process.on("SIGTERM", () => console.log("asked"));
require("node:child_process").spawn("sleep", ["1000"], { detached: true });
console.log("on");`;

let fixture: PodFixture;
let home: string;
const started: StartedAgent[] = [];
beforeEach(async () => {
  fixture = await PodFixture.start({ pods: "bubblewrap", settings: { SANDBOX_DISK_MB: "64" } });
  home = await mkdtemp(join(tmpdir(), "agents-home-"));
});
afterEach(async () => {
  for (const agent of started.splice(0)) agent.signal("SIGKILL");
  await fixture.close();
  await rm(home, { recursive: true, force: true });
});

const signal = () => AbortSignal.timeout(60_000);

async function start(changes: Partial<AgentStart> = {}) {
  const { agents } = fixture.sandbox;
  if (agents === undefined) throw new Error("It has no places for agents.");
  const agent = await agents.start({
    argv: ["/bin/sh", "-c", shell],
    path: "/none",
    environment: { AGENT_SETTING: "set" },
    checkout: fixture.files.checkout.root,
    home,
    homeRules: {
      passedOver: new Set([".cache"]),
      isLeftOut: (path) => path.endsWith("auth.json"),
      maxBytes: 1024 * 1024,
    },
    gitFolder: null,
    covered: undefined,
    isWriters: true,
    modelSocket: null,
    egressSocket: null,
    gateway: null,
    identity: null,
    signal: signal(),
    ...changes,
  });
  started.push(agent);
  const lines = createInterface({ input: agent.output })[Symbol.asyncIterator]();
  const ask = async (line: string): Promise<string> => {
    agent.input.write(`${line}\n`);
    return ((await lines.next()).value ?? "").trim();
  };
  const { files } = agent;
  if (files === null) throw new Error("It works in the files of this machine.");
  return { agent, ask, files };
}

describe("a coding agent in a pod", { tags: ["sandbox"] }, () => {
  it("works in the files of its run, which come back, and has the pod's path and a home of its own", async () => {
    await writeFile(fixture.path("a.txt"), "one\n");
    await writeFile(join(home, "session.json"), "kept\n");
    const { ask, files } = await start();
    expect(await ask('cat a.txt $HOME/session.json; pwd; echo "$AGENT_SETTING $HOME $PATH"')).toBe(
      "one kept /workspace/tree set /workspace/agent-home /pod:/usr/local/bin:/usr/bin:/bin",
    );
    await ask(
      "echo two > a.txt; mkdir -p $HOME/.cache; echo x > $HOME/.cache/x; echo s > $HOME/auth.json; echo more >> $HOME/session.json",
    );
    expect(await readFile(fixture.path("a.txt"), "utf8")).toBe("one\n");
    expect(await files.takeTree(signal())).toBe(true);
    expect(await files.takeHome(signal())).toBe(true);
    expect(await readFile(fixture.path("a.txt"), "utf8")).toBe("two\n");
    expect(await readFile(join(home, "session.json"), "utf8")).toBe("kept\nmore\n");
    // What is not its own work stays in the pod.
    for (const name of ["auth.json", ".cache/x"])
      await expect(readFile(join(home, name))).rejects.toThrow("ENOENT");
    await ask("head -c 2000000 /dev/zero > $HOME/bulk");
    expect(await files.takeHome(signal())).toBe(false);
    expect(await files.takeTree(signal())).toBe(true);
  });

  it("finds nothing beside the checkout that setup has made to configure it, where writers did not make the tree", async () => {
    const { root } = fixture.files.checkout;
    await writeFile(join(root, ".gitignore"), ".claude/\nvendor/\nCLAUDE.md\n");
    execFileSync("git", ["init", "-q", root]);
    const setup =
      "mkdir -p .claude vendor/x/.claude; echo hook > .claude/settings.json; echo do > vendor/x/CLAUDE.md; echo ok > vendor/x/code; echo do > ../CLAUDE.md; mkdir ../agent-home; echo do > ../agent-home/.claude.json; chmod -w .claude";
    expect(await fixture.run(setup)).toMatchObject({ exitCode: 0 });
    const ofWriters = await start();
    expect(await ofWriters.ask("find . -name .git -prune -o -type f -print | sort; ls ..; ls -A $HOME")).toBe(
      "./.claude/settings.json ./.gitignore ./vendor/x/CLAUDE.md ./vendor/x/code agent-home homes tree",
    );
    ofWriters.agent.signal("SIGKILL");
    await ofWriters.agent.exited;
    const { ask } = await start({ isWriters: false });
    expect(await ask("find . -name .git -prune -o -type f -print | sort")).toBe(
      "./.gitignore ./vendor/x/code",
    );
  });

  it("is asked to end, and then ended with all that it started", async () => {
    const deaf = await start({
      argv: ["node", "-e", deafProgram],
    });
    expect(await deaf.ask("")).toBe("on");
    deaf.agent.signal("SIGTERM");
    expect(await deaf.ask("")).toBe("asked");
    deaf.agent.signal("SIGKILL");
    expect(await deaf.agent.exited).toEqual({ type: "exited", exitCode: null, signal: "SIGKILL" });
    expect((await fixture.run("cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' '")).output).not.toContain(
      "sleep 1000",
    );
    const calm = await start({ argv: ["/bin/sh", "-c", "exit 3"] });
    expect(await calm.agent.exited).toEqual({ type: "exited", exitCode: 3, signal: null });
    const missing = await start({ argv: ["no-such-agent"] });
    expect(await missing.agent.exited).toEqual({ type: "not_started", code: "ENOENT in the pod" });
  });

  it("is ended by a cut connection, after which its files can still be had, and goes on by itself in none", async () => {
    const { agent, ask, files } = await start();
    expect(
      await ask(
        "(while true; do echo x >> ticking; sleep 0.02; done) > /dev/null 2>&1 & echo begun > begun; sleep 0.2; echo on",
      ),
    ).toBe("on");
    fixture.cluster.cutConnections();
    expect(await agent.exited).toEqual({ type: "cut" });
    expect(await files.takeTree(signal())).toBe(true);
    expect(await readFile(fixture.path("begun"), "utf8")).toBe("begun\n");
    const last = await readFile(fixture.path("ticking"), "utf8");
    const next = await start();
    expect(await next.ask("wc -c < ticking")).toBe(`${last.length}`);
    expect(fixture.lost).toEqual([]);
  });

  it("ends with its pod, and so does its run here", async () => {
    const { agent, ask, files } = await start();
    await ask("true");
    await fixture.cluster.evict(CLAIM);
    expect(await agent.exited).toEqual({ type: "cut" });
    expect(fixture.lost).toEqual([expect.stringContaining("Evicted")]);
    await expect(files.takeTree(signal())).rejects.toThrow("is gone");
    await expect(start()).rejects.toThrow("is gone");
  });

  it("that fills the disk of its pod is ended, and says so", async () => {
    const { agent } = await start({
      argv: ["/bin/sh", "-c", "head -c 90000000 /dev/zero > ../agent-home/big; sleep 1000"],
    });
    const over = new AbortController();
    expect(await agent.watch(over.signal)).toEqual({
      limit: "disk",
      allowed: 64,
      setting: "SANDBOX_DISK_MB",
    });
    expect(await agent.exited).toMatchObject({ type: "exited", signal: "SIGKILL" });
  });

  it("has no place where no pod is to be had, and waits no longer than its run", async () => {
    await fixture.close();
    fixture = await PodFixture.start({ quota: 0, settings: { SANDBOX_KUBERNETES_WAIT_SECONDS: "1" } });
    await mkdir(home, { recursive: true });
    await expect(start()).rejects.toMatchObject({
      code: "no_place",
      message: expect.stringMatching(/^No pod of the pool agent-pods was ready within 1 s: the quota/),
    });
    const stopped = new AbortController();
    const waiting = start({ signal: stopped.signal });
    await until(async () => fixture.seen("sandboxclaims", "create").length > 0);
    stopped.abort(new Error("cancelled"));
    await expect(waiting).rejects.toThrow("cancelled");
  });
});
