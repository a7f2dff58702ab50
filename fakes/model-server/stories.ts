// Whole stories for a scripted model, told by tests and by the demo. Any number of runs may play one at once.

import type { ModelRequest } from "./request.ts";
import { byTurn, type Script } from "./script.ts";
import { answer, call, type Part, type Step, say, think } from "./turn.ts";

/** How the agent's tools are called. Several parts are parallel calls. */
export type StoryTools = {
  readonly read: (path: string) => Part;
  readonly write: (path: string, content: string) => Part;
  readonly run: (command: string) => Part;
};

export const storyTools: StoryTools = {
  read: (path) => call("read_file", { path }),
  write: (path, content) => call("write_file", { path, content }),
  run: (command) => call("run_command", { command }),
};

/** The project of `editTestFix`: its test fails until the sum is right. Runs on Node alone. */
export const sumProject: Readonly<Record<string, string>> = {
  "sum.mjs": "export const sum = (a, b) => a - b;\n",
  "sum.test.mjs": [
    'import assert from "node:assert/strict";',
    'import { sum } from "./sum.mjs";',
    "",
    'assert.equal(sum(2, 3), 5, "2 and 3 make 5");',
    'console.log("all good");',
    "",
  ].join("\n"),
};

/**
 * Reads both files at once, mends the code wrongly, runs its test, sees in the tool's result that it failed, mends it
 * well, runs the test again and reports. What it says of the tests is what the results said.
 */
export function editTestFix(tools: StoryTools = storyTools): Script {
  const runTest = tools.run("node sum.test.mjs");
  const mended = (content: string) => tools.write("sum.mjs", content);
  const steps: readonly Step[] = [
    [
      think("The test says what sum must do. Read it beside the code."),
      say("I read the code and its test."),
      tools.read("sum.mjs"),
      tools.read("sum.test.mjs"),
    ],
    [say("The operator looks wrong."), mended("export const sum = (a, b) => a * b;\n")],
    runTest,
    (request) =>
      hasPassed(request)
        ? say("The test passes.")
        : [
            think("6 is not 5: a product was the wrong repair."),
            say("The test still fails: the sum must add."),
            mended("export const sum = (a, b) => a + b;\n"),
          ],
    runTest,
    (request) =>
      answer([
        say(
          hasPassed(request)
            ? "`sum` subtracted. It adds now, and its test passes."
            : "`sum` adds now, but its test still fails. The tool's last result says why.",
        ),
      ]),
  ];
  return byTurn(steps);
}

function hasPassed({ toolResults }: ModelRequest): boolean {
  return toolResults.at(-1)?.text.includes("all good") ?? false;
}
