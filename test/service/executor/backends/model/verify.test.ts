// A model that changed files is asked for checks until they pass or it says why not, and the record says how they ended.

import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { Script } from "../../../../../fakes/model-server/script.ts";
import { call, say } from "../../../../../fakes/model-server/turn.ts";
import type { ChecksEvent } from "../../../../../src/contract/runs/checks.ts";
import { readingToolbox, type Toolbox } from "../../../../../src/service/executor/backends/model/toolbox.ts";
import { defineTool } from "../../../../../src/service/executor/tools/tool.ts";
import { writeFile } from "../../../../../src/service/executor/tools/write-file.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { ModelFixture } from "./model-fixture.ts";

/** `fails` in a command is its exit code. */
const runCommand = defineTool({
  name: "run_command",
  description: "Executes a command.",
  input: z.object({ command: z.string() }),
  access: "write",
  find: async ({ command }) => ({ exitCode: command.includes("fails") ? 1 : 0 }),
  format: ({ exitCode }) => `[exit code ${exitCode}]`,
});
const withCommands: Toolbox = (context) => [...readingToolbox(context), writeFile, runCommand];
const withoutCommands: Toolbox = (context) => [...readingToolbox(context), writeFile];

const write = (path: string) => call("write_file", { path, content: "x\n" });
const run = (command: string) => call("run_command", { command });
const test = run("npm test");
const failing = run("npm test -- fails");

let fixture: ModelFixture;
afterEach(() => fixture.close());

/** What was said to the model about its checks, and what the record says of them. */
async function played(script: Script, toolbox: Toolbox = withCommands) {
  fixture = await ModelFixture.start({ script, settings: { toolbox } });
  const recorder = new TaskRecorder();
  expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
  const { messages = [] } = fixture.server.requests.at(-1) ?? {};
  const asked = messages.flatMap((message) =>
    message.role === "user" && message.text.includes("Since you last changed files") ? [message.text] : [],
  );
  const events = recorder.events.flatMap((event) =>
    event.type === "CUSTOM" && event.name === "checks" ? [event.value as ChecksEvent["value"]] : [],
  );
  return { asked, checks: events.at(-1) ?? null };
}

describe("a change that nothing has checked", () => {
  it("is to be checked before the answer stands, twice where nothing is done about it", async () => {
    const { asked, checks } = await played([write("a.ts"), say("Done."), say("Done."), say("Done.")]);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("no command that checks them has ended");
    expect(checks).toEqual({ state: "none", results: [] });
  });

  it("is one, whatever else was executed since", async () => {
    for (const command of ["ls /nope", "npm test | tail -5", "npm test || true"]) {
      const { asked, checks } = await played([
        write("a.ts"),
        run(command),
        say("Done."),
        say("Done."),
        say("Done."),
      ]);
      expect([command, asked.length, checks?.state]).toEqual([command, 2, "none"]);
      await fixture.close();
    }
  });

  it("is known by the last call: a check before the change checks nothing", async () => {
    const { asked } = await played([test, write("a.ts"), say("Done."), test, say("Done.")]);
    expect(asked).toHaveLength(1);
  });

  it("stands where the model says why", async () => {
    const { asked, checks } = await played([
      write("a.ts"),
      say("Done."),
      say("Done.\n\n**Not checked**: there are no tests."),
    ]);
    expect([asked.length, checks?.state]).toEqual([1, "none"]);
  });

  it.each([
    ["only prose was changed", [write("README.md"), say("Done.")]],
    ["the change was refused", [write("../a.ts"), say("Done.")]],
    ["nothing was changed", [call("read_file", { path: "a" }), say("Done.")]],
  ])("is none where %s", async (_why, script) => {
    expect(await played(script)).toEqual({ asked: [], checks: null });
  });

  it("is not asked for where no command can be executed", async () => {
    expect((await played([write("a.ts"), say("Done.")], withoutCommands)).asked).toEqual([]);
  });
});

describe("checks of a change", () => {
  it("that pass are facts of the record", async () => {
    expect(await played([write("a.ts"), run("npm run lint && npm test"), say("Done.")])).toEqual({
      asked: [],
      checks: {
        state: "passed",
        results: [{ command: "npm run lint && npm test", kind: "test", exit_code: 0 }],
      },
    });
  });

  it("that fail are said to the model, and stay failed whatever it says", async () => {
    const { asked, checks } = await played([
      write("a.ts"),
      failing,
      say("All tests pass."),
      say("All tests pass."),
      say("All tests pass."),
    ]);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('"npm test -- fails" (exit code 1)');
    expect(checks).toEqual({
      state: "failed",
      results: [{ command: "npm test -- fails", kind: "test", exit_code: 1 }],
    });
  });

  it("that fail are mended, each time they fail, within a bound", async () => {
    const again = [write("a.ts"), failing, say("Done.")];
    const { asked, checks } = await played([...again, ...again, ...again, ...again]);
    expect([asked.length, checks?.state]).toEqual([3, "failed"]);
    await fixture.close();
    const mended = await played([...again, write("a.ts"), test, say("Done.")]);
    expect([mended.asked.length, mended.checks?.state]).toEqual([1, "passed"]);
  });

  it("that fail stay failed though another one passes, until the same one does", async () => {
    const explained = say("Checks fail: it failed before.");
    expect((await played([write("a.ts"), failing, run("npm run lint"), explained])).checks?.state).toBe(
      "failed",
    );
  });

  it("are none where the program was not there, and count without a change", async () => {
    const { checks } = await played([failing, say("They fail.")]);
    expect(checks?.state).toBe("failed");
  });
});
