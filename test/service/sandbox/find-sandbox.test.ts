import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mayExecute } from "../../../src/service/core/runs/shell-policy.ts";
import { marked, processesWith, SandboxFixture, SECRET, until } from "./sandbox-fixture.ts";

let fixture: SandboxFixture;
beforeEach(() => {
  fixture = new SandboxFixture();
});
afterEach(() => fixture.close());

/** A folder that is all of PATH, with a program of this name and nothing else in it. */
function pathWith(name: string, script: string): string {
  const folder = join(fixture.dataDir, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  return folder;
}

describe("the policy", () => {
  it("lets nobody execute without a sandbox but the trusted, unless the operator says so", () => {
    const none = { kind: "none", isSandboxOff: false, isTrusted: false } as const;
    expect(mayExecute(none)).toBe(false);
    expect(mayExecute({ ...none, isTrusted: true })).toBe(true);
    expect(mayExecute({ ...none, isSandboxOff: true })).toBe(true);
    expect(mayExecute({ ...none, kind: "bubblewrap" })).toBe(true);
    expect(mayExecute({ ...none, kind: "container" })).toBe(true);
  });
});

describe("where no sandbox can be had", () => {
  it("says at start what is missing and how to get it, and refuses repositories it does not trust", async () => {
    const sandbox = await fixture.find({ environment: { PATH: pathWith("other", "") } });
    expect(sandbox.kind).toBe("none");
    if (process.platform === "linux")
      expect(fixture.lines).toEqual([
        expect.stringMatching(/^warn No sandbox: .*apt-get install bubblewrap/),
      ]);
    const refusal = await fixture.refusal(sandbox, "touch made");
    expect(refusal.reason).toBe("shell_refused");
    expect(refusal.detail).toMatch(/not trusted.*SANDBOX/);
  });

  it("executes for a trusted repository, with a scrubbed environment", async () => {
    const sandbox = await fixture.find({
      config: { environment: { PATH: pathWith("other", ""), KEY: SECRET } },
    });
    const command = "/bin/sleep 1000 & /usr/bin/env; exit 4";
    const result = await fixture.result(sandbox, command, { checkout: { isTrusted: true } });
    expect(result.exitCode).toBe(4);
    expect(result.output).toContain("HOME=");
    expect(result.output).not.toContain(SECRET);
  });

  it("does not start when the operator asked for bubblewrap", async () => {
    const environment = { SANDBOX: "bubblewrap", PATH: pathWith("other", "") };
    await expect(fixture.find({ environment })).rejects.toThrow(/bubblewrap/);
  });

  it("tells what bubblewrap complained of", { tags: ["sandbox"] }, async () => {
    const bin = pathWith("bwrap", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1");
    const sandbox = await fixture.find({ environment: { PATH: `${bin}:${process.env.PATH}` } });
    expect(sandbox.kind).toBe("none");
    expect(fixture.lines[0]).toContain("No permissions to create new namespace");
    expect(fixture.lines[0]).toMatch(/user namespaces|AppArmor/i);
  });
});

describe("SANDBOX off", () => {
  it("is warned of, and executes for everyone", async () => {
    const sandbox = await fixture.find({ environment: { SANDBOX: "off" } });
    expect(fixture.lines).toEqual([expect.stringMatching(/^warn SANDBOX is off/)]);
    expect((await fixture.result(sandbox, "echo x")).output).toBe("x\n");
  });

  it("ends the command and what it started at its time limit, and what it leaves in its group", async () => {
    const sandbox = await fixture.find({ environment: { SANDBOX: "off" } });
    const result = await fixture.result(sandbox, `sh -c 'sleep 1000; :' ${marked("off")} & sleep 1000`, {
      timeoutMs: 200,
    });
    expect(result).toMatchObject({ limit: "time", timedOut: true, exitCode: null });
    await fixture.result(sandbox, `sh -c 'sleep 1000; :' ${marked("off")} & echo left`);
    await until(async () => (await processesWith(marked("off"))).length === 0);
  });
});

describe("SANDBOX_NETWORK allowed", () => {
  it("is warned of, and named for what it is", { tags: ["sandbox"] }, async () => {
    await fixture.find({ environment: { SANDBOX_NETWORK: "allowed" } });
    expect(fixture.lines.join("\n")).toMatch(/warn SANDBOX_NETWORK is allowed: .*metadata/);
  });
});

describe("a container", () => {
  const template = (program: string) =>
    JSON.stringify([
      program,
      "run",
      "--name={name}",
      "-v={checkout}:/work",
      "-w=/work/{cwd}",
      "-m={memory}",
      "{command}",
    ]);
  /** In the engine's place: tells what it was given, then executes the command here. */
  const engine = 'echo "$@" | head -n 1; env; for last; do :; done; exec sh -c "$last"';

  it("is started by the operator's command, without a variable of the service", async () => {
    const environment = {
      PATH: `${pathWith("engine", engine)}:${process.env.PATH}`,
      SANDBOX: "container",
      SANDBOX_COMMAND: template("engine"),
      SANDBOX_STOP_COMMAND: JSON.stringify(["true", "{name}"]),
    };
    mkdirSync(join(fixture.checkout.root, "sub"));
    const sandbox = await fixture.find({ environment });
    expect(sandbox.kind).toBe("container");
    const options = { cwd: "sub", env: { WORD: "it's {name}" } };
    const result = await fixture.result(sandbox, 'echo "got $WORD"; exit 5', options);
    expect(result.exitCode).toBe(5);
    expect(result.output).toMatch(
      /^run --name=agent-[0-9a-f]{24} -v=\S+\/tree:\/work -w=\/work\/sub -m=\d+ export/,
    );
    expect(result.output).toContain("got it's {name}\n");
    expect(result.output).not.toContain(SECRET);
  });

  it("is stopped by the operator's command when it has to end: its client's end is not its own", async () => {
    const stopped = join(fixture.dataDir, "stopped");
    const environment = {
      PATH: `${pathWith("engine", engine)}:${process.env.PATH}`,
      SANDBOX: "container",
      SANDBOX_COMMAND: template("engine"),
      SANDBOX_STOP_COMMAND: JSON.stringify(["sh", "-c", `echo "$0" > ${stopped}`, "{name}"]),
    };
    const sandbox = await fixture.find({ environment });
    const result = await fixture.result(sandbox, "sleep 1000", { timeoutMs: 200 });
    expect(result.limit).toBe("time");
    const name = /--name=(\S+)/.exec(result.output)?.[1];
    expect(readFileSync(stopped, "utf8")).toBe(`${name}\n`);
  });
});
