// Programs that go on beside the commands of a run, in pods of the fake cluster: their pipes, what they see, and their end.

import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunningProgram, SandboxedProgram } from "../../../../src/service/core/ports/sandbox.ts";
import { until } from "../sandbox-fixture.ts";
import { CLAIM, PodFixture } from "./pod-fixture.ts";

const TOKEN = "token-of-one-server-alone";
/** Executes each line that it reads, and answers with one line. */
const shell = `while read -r line; do printf '%s\\n' "$(eval "$line" 2>&1 | tr '\\n' ' ')"; done`;

let fixture: PodFixture;
const programs: RunningProgram[] = [];
beforeEach(async () => {
  fixture = await PodFixture.start({ pods: "bubblewrap" });
});
afterEach(async () => {
  for (const program of programs.splice(0)) await program.end();
  await fixture.close();
});

type Changes = Partial<SandboxedProgram> & { readonly isTreeShown?: boolean };

async function start({ isTreeShown = true, ...changes }: Changes = {}) {
  const started = await fixture.sandbox.start(
    { checkout: fixture.files.checkout, isTreeShown },
    { argv: ["/bin/sh", "-c", shell], env: {}, egressSocket: null, ...changes },
  );
  if (!started.ok) throw new Error(started.refusal.detail);
  const program = started.value;
  programs.push(program);
  const lines = createInterface({ input: program.output as Readable })[Symbol.asyncIterator]();
  const ask = async (line: string): Promise<string> => {
    program.input.write(`${line}\n`);
    return ((await lines.next()).value ?? "").trim();
  };
  return { program, ask };
}

const claims = () => fixture.cluster.claims.values.map(({ metadata }) => metadata.name);

describe("a program in a pod", { tags: ["sandbox"] }, () => {
  it("is spoken to through its pipes, in the files of the run, and ends with all that it started", async () => {
    await writeFile(fixture.path("package.json"), "{}");
    const { program, ask } = await start();
    expect(await ask("ls; echo by the program > made.txt")).toBe("package.json");
    expect(await ask("(sleep 1000 >/dev/null 2>&1 &) ; echo started")).toBe("started");
    expect(await ask(`printf '%s' ${"x".repeat(200_000)} | wc -c`)).toBe("200000");
    await writeFile(fixture.path("edited.txt"), "by a tool\n");
    expect((await fixture.run("cat made.txt edited.txt")).output).toBe("by the program\nby a tool\n");
    expect(await ask("cat edited.txt")).toBe("by a tool");
    expect(claims()).toEqual([CLAIM]);
    await program.end();
    expect(await program.ended).toBe("it was ended");
    expect((await fixture.run("cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' '")).output).not.toContain(
      "sleep 1000",
    );
  });

  it("says how it ended, and what it complained of last", async () => {
    const { program } = await start({ argv: ["/bin/sh", "-c", "echo no such option >&2; exit 3"] });
    expect(await program.ended).toBe("it ended with exit code 3");
    expect(program.lastComplaint()).toBe("no such option");
    expect(await (await start({ argv: ["no-such-program"] })).program.ended).toBe(
      "it was not found in the pod",
    );
  });

  it("has a pod of its own where it may have secrets: no command there sees them, and it sees no file", async () => {
    await writeFile(fixture.path("package.json"), "{}");
    const { program, ask } = await start({ isTreeShown: false, env: { SERVER_TOKEN: TOKEN } });
    expect(await ask('echo "$SERVER_TOKEN"; ls')).toBe(TOKEN);
    const { output } = await fixture.run(
      "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'",
    );
    expect(output).toContain("PATH=");
    expect(output).not.toContain(TOKEN);
    expect(claims()).toEqual([`${CLAIM}-2`, CLAIM]);
    // What the cluster keeps is a claim, which says nothing of it, and the exec's address has no variable.
    expect(JSON.stringify([fixture.cluster.claims.values, fixture.cluster.seen])).not.toContain(TOKEN);
    await program.end();
    await fixture.cluster.settled();
    expect(claims()).toEqual([CLAIM]);
  });

  it("ends with its connection, and another one may be started", async () => {
    const { program, ask } = await start();
    expect(await ask("echo on")).toBe("on");
    fixture.cluster.cutConnections();
    expect(await program.ended).toBe("the connection to its pod was cut");
    const next = await start();
    expect(await next.ask("echo on again")).toBe("on again");
    await until(
      async () => !(await fixture.run("cat /proc/*/cmdline | tr '\\0' ' '")).output.includes("on\n"),
    );
  });

  it("ends with its pod", async () => {
    const { program, ask } = await start({ isTreeShown: false });
    expect(await ask("echo on")).toBe("on");
    await fixture.cluster.evict(claims()[0] ?? "");
    expect(await program.ended).toContain("is gone");
    // The run's own is there.
    expect((await fixture.run("echo here")).output).toBe("here\n");
    expect(fixture.lost).toEqual([]);
  });

  it("is refused where no pod is to be had", async () => {
    await fixture.close();
    fixture = await PodFixture.start({ quota: 0, settings: { SANDBOX_KUBERNETES_WAIT_SECONDS: "1" } });
    await expect(start({ isTreeShown: false })).rejects.toThrow(
      "No pod of the pool agent-pods was ready within 1 s: the quota of the namespace is used up.",
    );
    expect(claims()).toEqual([]);
  });
});
