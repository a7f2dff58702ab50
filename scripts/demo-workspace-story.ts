// What the demo of a workspace is about: its first files, and what the scripted models of its runs do. Pure.

import type { ModelRequest } from "../fakes/model-server/request.ts";
import { byTurn, type Script } from "../fakes/model-server/script.ts";
import { storyTools } from "../fakes/model-server/stories.ts";
import { call, type Part, type Step, say } from "../fakes/model-server/turn.ts";

/** What two of the workers write, on the same line. */
export const CONFLICTING = "src/greeting.mjs";
const PRICE = "src/price.mjs";
export const TEST = "test.mjs";

const greetingFile = (before: string, after: string) =>
  `export const greeting = (name) => \`${before} \${name}${after}\`;\n`;
const priceFile = (amount: string) => `export const price = (cents) => \`\${${amount}} €\`;\n`;

/** Its test fails until prices have two digits. Runs on Node alone. */
export const shopProject: Readonly<Record<string, string>> = {
  "README.md": "# A shop\n\nGreets its customers and tells them prices.\n",
  [CONFLICTING]: greetingFile("Hello", ""),
  [PRICE]: priceFile("cents / 100"),
  [testOf(CONFLICTING)]: testFile(CONFLICTING, 'assert.match(greeting("Ada"), /Ada/);'),
  [testOf(PRICE)]: testFile(PRICE, 'assert.equal(price(1250), "12.50 €");'),
  [TEST]: [CONFLICTING, PRICE].map((path) => `import "./${testOf(path)}";\n`).join(""),
};

function testOf(path: string): string {
  return path.replace(".mjs", ".test.mjs");
}

function testFile(path: string, assertion: string): string {
  const name = path.replace("src/", "");
  const lines = [
    'import assert from "node:assert/strict";',
    `import { ${name.replace(".mjs", "")} } from "./${name}";`,
    "",
    assertion,
    `console.log("${passed(path)}");`,
  ];
  return `${lines.join("\n")}\n`;
}

/** What the test of a file prints when it passes. */
function passed(path: string): string {
  return `${path} is good.`;
}

/** Whether this is what the whole test prints when it passes. */
export function hasPassed(output: string): boolean {
  return [CONFLICTING, PRICE].every((path) => output.includes(passed(path)));
}

export const MANAGER_MESSAGE = "Give prices two digits, and make the greeting both formal and warm.";
export const SETTLE_MESSAGE =
  "The formal and the warm greeting conflict. Write one that is both, and run the test.";

/** The changesets that the manager makes, by their titles. */
export const titles = { first: "Prices with two digits, a formal greeting", second: "A warm greeting" };

type WorkerPart = {
  readonly task: string;
  readonly path: string;
  readonly text: string;
  readonly done: string;
};

const workers: readonly [WorkerPart, WorkerPart, WorkerPart] = [
  {
    task: `Give all prices two digits, in ${PRICE}.`,
    path: PRICE,
    text: priceFile("(cents / 100).toFixed(2)"),
    done: "Prices have two digits.",
  },
  {
    task: `Make the greeting formal, in ${CONFLICTING}.`,
    path: CONFLICTING,
    text: greetingFile("Good day,", "."),
    done: "The greeting is formal.",
  },
  {
    task: `Make the greeting warm, in ${CONFLICTING}.`,
    path: CONFLICTING,
    text: greetingFile("Welcome,", "!"),
    done: "The greeting is warm.",
  },
];

/** Chooses by the run's message. Another message has no script. */
export const workspaceScript: Script = ({ firstUserMessage: message }) => {
  if (message.includes(MANAGER_MESSAGE)) return byTurn(managerSteps)();
  if (message.includes(SETTLE_MESSAGE)) return byTurn(settleSteps)();
  const worker = workers.find(({ task }) => message.includes(task));
  return worker === undefined ? undefined : byTurn(workerSteps(worker))();
};

const workerSteps = ({ path, text, done }: WorkerPart): readonly Step[] => [
  storyTools.read(path),
  storyTools.write(path, text),
  storyTools.run(`node ${testOf(path)}`),
  (request) => say(lastResult(request).includes(passed(path)) ? done : `It fails: ${lastResult(request)}`),
];

const managerSteps: readonly Step[] = [
  [say("Three tasks, one worker each."), ...workers.map(({ task }) => call("start_worker", { task }))],
  (request) => call("await_workers", { worker_ids: startedWorkers(request) }),
  (request) => propose("All of it", savedRevisions(request)),
  (request) => [
    say(`Together they are refused: ${lastResult(request).replace(/^error: /, "")}`),
    propose(titles.first, savedRevisions(request).slice(0, 2)),
  ],
  (request) => propose(titles.second, savedRevisions(request).slice(2)),
  say(
    "Two changesets: the workers of the greeting wrote the same line, and which one holds is the owner's decision.",
  ),
];

const settleSteps: readonly Step[] = [
  storyTools.read(CONFLICTING),
  storyTools.write(CONFLICTING, greetingFile("Good day and welcome,", "!")),
  storyTools.run(`node ${TEST}`),
  (request) =>
    say(
      hasPassed(lastResult(request))
        ? "The greeting is formal and warm, and the test passes."
        : `It fails: ${lastResult(request)}`,
    ),
];

function propose(title: string, revisionIds: readonly string[]): Part {
  return call("create_changeset", { title, revision_ids: revisionIds, summary: "Made by workers." });
}

function startedWorkers({ toolResults }: ModelRequest): readonly string[] {
  return toolResults.flatMap(({ text }) => /^Worker (\S+) works in copy/.exec(text)?.[1] ?? []);
}

/** Of the workers above, in their order: a report ends with what its worker said. */
function savedRevisions({ toolResults }: ModelRequest): readonly string[] {
  const reports = toolResults.find(({ tool }) => tool === "await_workers")?.text.split("\n\n") ?? [];
  return workers.map(({ done }) => {
    const report = reports.find((text) => text.includes(done)) ?? "";
    return /its work is revision ([0-9a-f-]+)\./.exec(report)?.[1] ?? "";
  });
}

function lastResult({ toolResults }: ModelRequest): string {
  return toolResults.at(-1)?.text ?? "";
}
