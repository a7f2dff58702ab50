import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { commandNames } from "../../src/cli/catalogue.ts";
import type { Command, CommandGroup } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import { COMMAND, NODE } from "../support/fixtures/service-process.ts";
import { runCommand } from "../support/run/run-command.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

async function allCommands(): Promise<readonly (readonly [string, Command])[]> {
  const below = (name: string, declared: Command | CommandGroup): (readonly [string, Command])[] => [
    ...("execute" in declared ? [[name, declared] as const] : []),
    ...Object.entries(declared.commands ?? {}).flatMap(([word, one]) => below(`${name} ${word}`, one)),
  ];
  const loaded = commandNames.map(async (name) => below(name, await commands[name]()));
  return (await Promise.all(loaded)).flat();
}

describe("agent-service", () => {
  it.each([[[]], [["--help"]], [["-h"]], [["help"]]])("lists its commands on %j", async (args) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stderr]).toEqual([0, ""]);
    for (const name of commandNames) expect(stdout).toMatch(new RegExp(`^  ${name} +[A-Z]`, "m"));
    expect(stdout).toContain("Exit codes:");
  });

  it.each([[["--help"]], [["run", "--help"]], [["runs", "--help"]]])(
    "says nothing when whoever reads it on %j has gone",
    async (args) => {
      const child = spawn(NODE, [COMMAND, ...args], { stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.destroy();
      const said = text(child.stderr);
      const [code] = await once(child, "exit");
      expect([code, await said]).toEqual([args[0] === "run" ? 0 : 141, ""]);
    },
  );

  it.each([
    [["serve", "--help"]],
    [["serve", "-h"]],
    [["help", "serve"]],
    [["serve", "--port", "1", "--help"]],
  ])("explains one command on %j, and no other", async (args) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: agent-service serve \[options\]\n/);
    for (const flag of ["--port", "--host", "--data-dir", "--base-url"]) expect(stdout).toContain(flag);
    expect(stdout).not.toContain("keys");
  });

  it("gives every command a description and an example", async () => {
    for (const [name, declared] of await allCommands()) {
      expect([name, declared.summary]).toEqual([name, expect.stringMatching(/^[A-Z].{8,}\.$/)]);
      expect([name, declared.examples[0]]).toEqual([name, expect.stringMatching(new RegExp(`^${name}`))]);
    }
  });

  it.each([[["--version"]], [["version"]]])("says its version on %j", async (args) => {
    const { code, stdout } = await runCommand(args);
    expect([code, stdout]).toEqual([0, version]);
  });

  it("refuses a command that there is not, and names it", async () => {
    const { code, stdout, stderr } = await runCommand(["sevre"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("Unknown command 'sevre'\n(Did you mean serve?)\nSee agent-service --help.\n");
  });

  it.each([
    [
      ["runs", "sumbit"],
      "Unknown command 'sumbit'\n(Did you mean submit?)\nSee agent-service runs --help.\n",
    ],
    [
      ["runs", "submit", "a", "b", "--folow"],
      'Unknown option \'--folow\'\n(Did you mean --follow?)\nText that begins with "-" goes after "--".\nSee agent-service runs submit --help.\n',
    ],
    [
      ["runs"],
      /^Usage: agent-service runs [\s\S]*\nA command is missing\.\nSee agent-service runs --help\.\n$/,
    ],
    [
      ["runs", "list", "a", "--limit="],
      "--limit must be an integer from 1 to 100, got nothing.\nSee agent-service runs list --help.\n",
    ],
    [
      ["runs", "list", "a", "--before", "--json"],
      '--before has no value: "--json" is a flag.\nSee agent-service runs list --help.\n',
    ],
  ])("suggests what may have been meant by %j", async (args, expected) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected));
  });
});
