// A model that changed files and executed no command since is asked once to verify.

import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { Script } from "../../../../../fakes/model-server/script.ts";
import { call, say } from "../../../../../fakes/model-server/turn.ts";
import { readingToolbox, type Toolbox } from "../../../../../src/service/executor/backends/model/toolbox.ts";
import { defineTool } from "../../../../../src/service/executor/tools/tool.ts";
import { writeFile } from "../../../../../src/service/executor/tools/write-file.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { ModelFixture } from "./model-fixture.ts";

const runCommand = defineTool({
  name: "run_command",
  description: "Executes a command.",
  input: z.object({ command: z.string() }),
  access: "write",
  find: async () => "[exit code 1]",
  format: (text) => text,
});
const withCommands: Toolbox = (context) => [...readingToolbox(context), writeFile, runCommand];
const withoutCommands: Toolbox = (context) => [...readingToolbox(context), writeFile];

const write = (path: string) => call("write_file", { path, content: "x\n" });
const test = call("run_command", { command: "npm test" });

let fixture: ModelFixture;
afterEach(() => fixture.close());

/** What was said to the model after its first answers without calls. */
async function remindersOf(script: Script, toolbox: Toolbox = withCommands): Promise<readonly string[]> {
  fixture = await ModelFixture.start({ script, settings: { toolbox } });
  const recorder = new TaskRecorder();
  expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
  const told = fixture.server.requests.flatMap(({ lastUserMessage }) => lastUserMessage);
  return told.filter((text) => text.includes("You have executed no command"));
}

describe("a change that no command has checked", () => {
  it("is to be verified before the answer stands, once", async () => {
    const script = [write("a.ts"), say("Done."), write("b.ts"), say("Done again.")];
    expect(new Set(await remindersOf(script)).size).toBe(1);
    expect(fixture.server.requests).toHaveLength(4);
  });

  it("is known by the last call: a command before the change checks nothing", async () => {
    expect(await remindersOf([test, write("a.ts"), say("Done."), say("Untested.")])).toHaveLength(1);
  });

  it.each([
    ["a command was executed since, whatever it found", [write("a.ts"), test, say("Done.")]],
    ["only prose was changed", [write("README.md"), say("Done.")]],
    ["the change was refused", [write("../a.ts"), say("Done.")]],
    ["nothing was changed", [call("read_file", { path: "a" }), say("Done.")]],
  ])("is none where %s", async (_why, script) => {
    expect(await remindersOf(script)).toEqual([]);
  });

  it("is not asked for where no command can be executed", async () => {
    expect(await remindersOf([write("a.ts"), say("Done.")], withoutCommands)).toEqual([]);
  });
});
