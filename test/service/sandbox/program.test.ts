// A program that goes on beside commands: its pipes, its environment, what it sees, and its end.

import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import type { RunningProgram, Sandbox, SandboxedProgram } from "../../../src/service/core/ports/sandbox.ts";
import { SandboxFixture } from "./sandbox-fixture.ts";

const TOKEN = "token-of-one-server-alone";
const fixtures: SandboxFixture[] = [];
const programs: RunningProgram[] = [];

afterEach(async () => {
  for (const program of programs.splice(0)) await program.end();
  for (const fixture of fixtures.splice(0)) await fixture.close();
});

function fixtureOf(): SandboxFixture {
  const fixture = new SandboxFixture();
  fixtures.push(fixture);
  return fixture;
}

/** Executes each line that it reads, and answers with one line. */
const shell = `while read -r line; do printf '%s\\n' "$(eval "$line" 2>&1 | tr '\\n' ' ')"; done`;

type Started = { readonly program: RunningProgram; ask(line: string): Promise<string> };

async function start(
  sandbox: Sandbox,
  fixture: SandboxFixture,
  { isTreeShown = true, ...changes }: Partial<SandboxedProgram> & { isTreeShown?: boolean } = {},
): Promise<Started> {
  const started = await sandbox.start(
    { checkout: fixture.checkout, isTreeShown },
    { argv: ["/bin/sh", "-c", shell], env: {}, egressSocket: null, ...changes },
  );
  if (!started.ok) throw new Error(started.refusal.detail);
  const program = started.value;
  programs.push(program);
  const lines = createInterface({ input: program.output as Readable })[Symbol.asyncIterator]();
  return {
    program,
    ask: async (line) => {
      program.input.write(`${line}\n`);
      return ((await lines.next()).value ?? "").trim();
    },
  };
}

/** Of every process of this machine that can be read. */
function commandLines(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "latin1");
      } catch {
        return "";
      }
    })
    .join("\n");
}

describe("a program in bubblewrap", { tags: ["sandbox"] }, () => {
  it("is spoken to through its pipes, and ends with all that it started", async () => {
    const fixture = fixtureOf();
    const sandbox = await fixture.find();
    const { program, ask } = await start(sandbox, fixture);
    expect(await ask("echo one")).toBe("one");
    expect(await ask("(sleep 1000 >/dev/null 2>&1 &) ; echo started")).toBe("started");
    await program.end();
    expect(await program.ended).toBe("it was ended");
  });

  it("says how it ended, and what it complained of last", async () => {
    const fixture = fixtureOf();
    const { program } = await start(await fixture.find(), fixture, {
      argv: ["/bin/sh", "-c", "echo no such option >&2; exit 3"],
    });
    expect(await program.ended).toBe("it ended with exit code 3");
    expect(program.lastComplaint()).toBe("no such option");
  });

  it("has an environment that no command and no command line shows", async () => {
    const fixture = fixtureOf();
    const sandbox = await fixture.find();
    const { ask } = await start(sandbox, fixture, { env: { SERVER_TOKEN: TOKEN } });
    expect(await ask('echo "$SERVER_TOKEN"')).toBe(TOKEN);
    expect(commandLines()).not.toContain(TOKEN);
    const { output } = await fixture.result(
      sandbox,
      "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; ls -A / /tmp /home/*",
    );
    expect(output).toContain("PATH=");
    expect(output).not.toContain(TOKEN);
  });

  it("does not let variables of the program reach what starts the sandbox", async () => {
    const fixture = fixtureOf();
    const { ask } = await start(await fixture.find(), fixture, {
      env: { LD_PRELOAD: "/no/such/library.so", PATH: "/usr/bin:/bin", BWRAP: "x" },
    });
    expect(await ask("echo on")).toContain("on");
  });

  it("sees the checkout like a command, or nothing of it", async () => {
    const fixture = fixtureOf();
    await writeFile(join(fixture.checkout.root, "package.json"), "{}");
    await mkdir(join(fixture.checkout.root, ".git"));
    const sandbox = await fixture.find();
    const shown = await start(sandbox, fixture);
    expect(await shown.ask("ls; touch .git/x || echo read-only")).toMatch(/package\.json.*read-only/);
    const hidden = await start(sandbox, fixture, { isTreeShown: false });
    expect(await hidden.ask("echo now; ls")).toBe("now");
    await hidden.program.end();
    const homes = await readdir(join(fixture.dataDir, "homes"));
    expect(homes).toEqual([]);
  });

  it("is held to the limits of a command", async () => {
    const fixture = fixtureOf();
    const sandbox = await fixture.find({ limits: { memoryBytes: 64 * 1024 * 1024 } });
    const { program } = await start(sandbox, fixture, {
      argv: ["/bin/sh", "-c", "head -c 100000000 /dev/zero | (tail -n 1; sleep 100)"],
    });
    expect(await program.ended).toBe("it was ended at its limit of memory");
  });
});

describe("a program without a sandbox", () => {
  it("is started for a trusted repository alone", async () => {
    const fixture = fixtureOf();
    const sandbox = await fixture.find({ environment: { PATH: "/nowhere" } });
    const place = { checkout: fixture.checkout, isTreeShown: true };
    const program = { argv: ["/bin/sh"] as const, env: {}, egressSocket: null };
    const refused = await sandbox.start(place, program);
    expect(refused.ok ? null : refused.refusal.detail).toMatch(
      /^Programs are not started: this service has no sandbox/,
    );
    const trusted = await sandbox.start(
      { ...place, checkout: { ...fixture.checkout, isTrusted: true } },
      { ...program, argv: ["/bin/sh", "-c", 'cat; echo "$HOME" >&2; exit 4'] },
    );
    if (!trusted.ok) throw new Error(trusted.refusal.detail);
    trusted.value.input.end("text");
    expect(await trusted.value.ended).toBe("it ended with exit code 4");
    expect(trusted.value.lastComplaint()).toContain("agent-home-");
  });
});
