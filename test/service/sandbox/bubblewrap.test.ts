import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/service/core/ports/sandbox.ts";
import { SandboxError } from "../../../src/service/sandbox/sandbox-error.ts";
import { SandboxFixture, SECRET } from "./sandbox-fixture.ts";

describe("a command in bubblewrap", { tags: ["sandbox"] }, () => {
  let fixture: SandboxFixture;
  let sandbox: Sandbox;
  beforeEach(async () => {
    fixture = new SandboxFixture();
    sandbox = await fixture.find();
  });
  afterEach(() => fixture.close());

  it("works on the checkout with the machine's tools, and answers with both streams in order", async () => {
    const result = await fixture.result(
      sandbox,
      "echo one; echo two >&2; echo three; echo x > made; pwd; git --version",
    );
    expect(result).toMatchObject({ exitCode: 0, signal: null, truncated: false, timedOut: false });
    expect(result.output).toMatch(/^one\ntwo\nthree\n\/checkout\ngit version /);
    expect(result).not.toHaveProperty("limit");
    expect((await fixture.result(sandbox, "cat made")).output).toBe("x\n");
  });

  it("tells how it ended: its code, or the code a shell gives for a signal", async () => {
    expect((await fixture.result(sandbox, "exit 7")).exitCode).toBe(7);
    expect((await fixture.result(sandbox, "kill -TERM $$")).exitCode).toBe(143);
    const missing = await fixture.result(sandbox, "no-such-program");
    expect(missing.exitCode).toBe(127);
    expect(missing.output).toContain("not found");
  });

  it("takes arguments as they are, without a shell", async () => {
    const argv = ["printf", "%s|", "$HOME", "a b", "; ls"] as const;
    const run = await sandbox.run(fixture.checkout, { ...base(), execute: { argv: [...argv] } });
    expect(run.ok && run.value.output).toBe("$HOME|a b|; ls|");
  });

  it("reads its input, or finds none", async () => {
    expect((await fixture.result(sandbox, "cat", { stdin: "given" })).output).toBe("given");
    expect((await fixture.result(sandbox, "cat")).output).toBe("");
    expect((await fixture.result(sandbox, "exit 3", { stdin: "x".repeat(1_000_000) })).exitCode).toBe(3);
  });

  it("gets the variables it asked for and those the operator passes on", async () => {
    const passing = await fixture.find({
      environment: { SANDBOX_ENV: "JAVA_HOME,UNSET", JAVA_HOME: "/opt/java" },
    });
    const result = await fixture.result(passing, "echo $JAVA_HOME $MODE; env | grep -c UNSET", {
      env: { MODE: "test" },
    });
    expect(result.output).toBe("/opt/java test\n0\n");
    const refusal = await fixture.refusal(sandbox, "true", { env: { ACTIONS_ID_TOKEN_REQUEST_TOKEN: "x" } });
    expect(refusal.reason).toBe("environment_refused");
    expect(refusal.detail).not.toContain("=x");
  });

  it("cannot replace what sets its limits by a PATH of its own", async () => {
    writeFileSync(join(fixture.checkout.root, "prlimit"), "#!/bin/sh\necho TAKEN\n", { mode: 0o755 });
    const result = await fixture.result(sandbox, "ulimit -c", { env: { PATH: "/checkout:/usr/bin:/bin" } });
    expect(result.output).toBe("0\n");
  });

  it("starts in a folder of the checkout, and nowhere else", async () => {
    mkdirSync(join(fixture.checkout.root, "sub"));
    symlinkSync("sub", join(fixture.checkout.root, "inner"));
    symlinkSync("/usr", join(fixture.checkout.root, "outer"));
    writeFileSync(join(fixture.checkout.root, "file"), "");
    expect((await fixture.result(sandbox, "pwd", { cwd: "inner" })).output).toBe("/checkout/sub\n");
    for (const cwd of ["..", "../..", "/usr", "outer", "sub/../../..", "missing", "file", "a\0b"])
      expect((await fixture.refusal(sandbox, "pwd", { cwd })).reason).toBe("cwd_refused");
  });

  it("has the beginning and the end of long output kept, and is ended when it never stops writing", async () => {
    const counted = await fixture.result(sandbox, "seq 1 100000", { maxOutputBytes: 100 });
    expect(counted.truncated).toBe(true);
    expect(counted.output).toMatch(/^1\n2\n3\n[\s\S]*\n\[588,\d{3} bytes cut\]\n[\s\S]*99999\n100000\n$/);
    const endless = await fixture.result(sandbox, "cat /dev/zero", { maxOutputBytes: 100 });
    expect(endless).toMatchObject({ limit: "output", exitCode: null, truncated: true });
  });

  it("shows what the operator made readable, and does not let it be written", async () => {
    const tool = join(fixture.dataDir, "tool");
    mkdirSync(tool);
    writeFileSync(join(tool, "version"), "1.2.3\n");
    const showing = await fixture.find({ config: { readPaths: [tool] } });
    const result = await fixture.result(
      showing,
      `cat ${tool}/version; echo x > ${tool}/version || echo REFUSED`,
    );
    expect(result.output).toMatch(/^1\.2\.3\n[\s\S]*REFUSED\n$/);
  });

  it("fails as the sandbox's fault when the sandbox cannot be made", async () => {
    symlinkSync("/usr", join(fixture.checkout.root, ".git"));
    await expect(fixture.result(sandbox, "true")).rejects.toThrow(SandboxError);
  });

  it("is not given a descriptor that the service was started with", async () => {
    const secret = join(fixture.dataDir, "agent-service.sqlite");
    const script = `
      const { SandboxFixture } = await import(${JSON.stringify(join(import.meta.dirname, "sandbox-fixture.ts"))});
      const fixture = new SandboxFixture();
      for (const mode of ["bubblewrap", "off"]) {
        const sandbox = await fixture.find({ environment: { SANDBOX: mode } });
        console.log(mode, (await fixture.result(sandbox, "cat <&200; ls -l /proc/self/fd")).output);
      }
      await fixture.close();`;
    const start = `exec 200<'${secret}'; cat <&200; exec '${process.execPath}' --input-type=module --eval "$0"`;
    const output = execFileSync("bash", ["-c", start, script], { encoding: "utf8" });
    expect(output).toMatch(new RegExp(`^${SECRET}bubblewrap [\\s\\S]*off `));
    expect(output.split(SECRET)).toHaveLength(2);
    expect(output).not.toContain("agent-service.sqlite");
  });

  it("leaves no descriptor open here", async () => {
    await fixture.result(sandbox, "true");
    const before = readdirSync("/proc/self/fd").length;
    for (let turn = 0; turn < 5; turn += 1) await fixture.result(sandbox, "echo x", { timeoutMs: 30_000 });
    // The pipes of what was ended close a moment later.
    await expect.poll(() => readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
  });
});

function base() {
  return {
    cwd: "",
    env: {},
    egressSocket: null,
    timeoutMs: 30_000,
    maxOutputBytes: 1000,
    signal: new AbortController().signal,
  };
}
