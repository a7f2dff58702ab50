// The jobs that the pictures are of: a pull request whose test fails, and a comment that asks for the repair or a review.
// One story for each way to end. The service and the Action are the built ones; the code host and the model are played.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { startCodeHost } from "../fakes/code-host/code-host.ts";
import { ACTIONS_BOT, type CodeHostComment } from "../fakes/code-host/comments.ts";
import { startModelServer } from "../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../fakes/model-server/request.ts";
import { byTurn, type Script } from "../fakes/model-server/script.ts";
import { call, fault, type Step, say, think } from "../fakes/model-server/turn.ts";
import { type ActionResult, runAction } from "../fakes/runner/run-action.ts";
import { git } from "./demo-embedded.ts";
import { startServer } from "./served-process.ts";

export const REPOSITORY = "octo-org/parcels";
export const PULL_REQUEST = 7;
const MODEL = "scripted-model";
const MODEL_KEY = "a-key-that-only-the-scripted-model-takes";

export const FIX = "/agent fix the failing test";

type Story = {
  readonly conclusion: string;
  readonly request?: string;
  readonly script: () => Script;
  readonly inputs?: Readonly<Record<string, string>>;
  /** Settings of the service. */
  readonly settings?: Readonly<Record<string, string>>;
};

/** By what comes of them. The first is the one of the README's pictures. */
const stories = {
  pushed: { conclusion: "success", script: () => repair() },
  opened: { conclusion: "success", script: () => repair(), inputs: { changes: "pull-request" } },
  findings: {
    conclusion: "success",
    request: "/agent review",
    script: () => byTurn([call("read_file", { path: "src/parcels.mjs" }), say(JSON.stringify(review))]),
    inputs: { findings: "annotations" },
  },
  "no-changes": {
    conclusion: "success",
    request: "/agent fix what is wrong in the README",
    script: () => byTurn([call("read_file", { path: "README.md" }), say("The README is right as it is.")]),
  },
  incomplete: { conclusion: "incomplete", script: () => repair(), settings: { MAX_TURNS: "4" } },
  quota: { conclusion: "quota", script: () => repair(), settings: { CI_FREE_CREDITS: "0" } },
  "no-model": { conclusion: "skipped", script: () => repair(), settings: { BACKEND: "offline" } },
  failed: {
    conclusion: "failure",
    script: () => byTurn([fault({ status: 401, message: "This key is not valid." })]),
  },
} as const satisfies Readonly<Record<string, Story>>;

export type StoryName = keyof typeof stories;
export const storyNames = Object.keys(stories) as readonly StoryName[];

/** The service runs until it is disposed of. */
export type Played = AsyncDisposable & {
  readonly request: string;
  readonly summary: string;
  readonly comment: string;
  /** The run's page. Empty where there was no run. */
  readonly runUrl: string;
};

const test = `import assert from "node:assert/strict";
import { parcels } from "../src/parcels.mjs";

assert.deepEqual(parcels(25, 10), [10, 10, 5], "the rest is a parcel, too");
assert.deepEqual(parcels(20, 10), [10, 10], "no empty parcel");
console.log("2 checks passed");
`;

const broken = `/** Splits a weight into parcels of at most \`limit\`. */
export function parcels(weight, limit) {
  const full = Math.floor(weight / limit);
  return Array.from({ length: full }, () => limit);
}
`;

export const mended = `/** Splits a weight into parcels of at most \`limit\`. */
export function parcels(weight, limit) {
  const full = Math.floor(weight / limit);
  const rest = weight % limit;
  const parcels = Array.from({ length: full }, () => limit);
  return rest === 0 ? parcels : [...parcels, rest];
}
`;

const project: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "parcels", "type": "module" }\n',
  "src/parcels.mjs": broken,
  "test/parcels.test.mjs": test,
};

/** Runs a story's job in `folder`, and returns what it wrote. Throws with the job's log where it ended otherwise. */
export async function playJob(folder: string, name: StoryName): Promise<Played> {
  const story: Story = stories[name];
  const { request = FIX } = story;
  await using opened = new AsyncDisposableStack();
  const repository = await makeRepository(join(folder, "parcels"));
  const codeHost = await startCodeHost({ repositories: { [REPOSITORY]: { path: repository } } });
  opened.defer(() => codeHost.close());
  const model = await startModelServer({ script: story.script(), apiKey: MODEL_KEY, models: [MODEL] });
  opened.defer(() => model.close());
  const service = await startServer({
    args: ["npm/cli.mjs", "serve", "--port", "0", "--data-dir", join(folder, "service")],
    env: {
      BACKEND: "model",
      CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
      MODEL,
      MODEL_API_KEY: MODEL_KEY,
      MODEL_BASE_URL: model.baseUrl,
      // The commands are the script's own, and few machines that draw pictures have a sandbox.
      SANDBOX: "off",
      ...story.settings,
    },
  });
  opened.defer(() => service.stop());
  const job = await codeHost.job({
    event: "issue_comment",
    comment: request,
    pullRequest: { number: PULL_REQUEST, title: "Split a weight into parcels" },
  });
  const inputs = {
    "base-url": service.url,
    "github-token": job.githubToken,
    changes: "commit",
    ...story.inputs,
  };
  const main = await runAction({ entry: "main", env: job.env, inputs });
  await runAction({ entry: "post", env: job.env, inputs, state: main.state });
  const comment = codeHost.rest.commentsOf(PULL_REQUEST).find(({ user }) => user === ACTIONS_BOT);
  if (main.outputs.conclusion !== story.conclusion || comment === undefined) throw otherEnd(main, comment);
  const served = opened.move();
  return {
    request,
    summary: main.summary,
    comment: comment.body,
    runUrl: main.outputs["run-url"] ?? "",
    [Symbol.asyncDispose]: () => served.disposeAsync(),
  };
}

function otherEnd(main: ActionResult, comment: CodeHostComment | undefined): Error {
  const ending = `conclusion ${main.outputs.conclusion ?? "none"}, ${comment === undefined ? "no comment" : "a comment"}`;
  return new Error(`A job of the pictures ended otherwise: ${ending}.\n${main.log}`);
}

/** `main` and `topic`, whose head is the pull request's. */
export async function makeRepository(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  git(folder, ["init", "--quiet", "--initial-branch=main"]);
  const author = ["-c", "user.name=Demo", "-c", "user.email=demo@localhost"];
  const commit = async (files: Readonly<Record<string, string>>, subject: string) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    git(folder, ["add", "."]);
    git(folder, [...author, "commit", "--quiet", "-m", subject]);
  };
  await commit({ "README.md": "# Parcels\n" }, "Begin");
  git(folder, ["checkout", "--quiet", "-b", "topic"]);
  await commit(project, "Split a weight into parcels");
  git(folder, ["update-ref", `refs/pull/${PULL_REQUEST}/head`, "topic"]);
  git(folder, ["checkout", "--quiet", "main"]);
  return folder;
}

const review = {
  summary: "`parcels` drops the rest of a weight, and nothing refuses a limit of 0.",
  findings: [
    {
      path: "src/parcels.mjs",
      start_line: 3,
      line: 4,
      severity: "error",
      title: "The rest is dropped",
      body: "`parcels(25, 10)` gives `[10, 10]`: 5 are missing.",
    },
    {
      path: "src/parcels.mjs",
      line: 3,
      severity: "warning",
      title: "A limit of 0 divides by zero",
      body: "Refuse a limit below 1.",
    },
    {
      path: "src/parcels.mjs",
      line: 1,
      severity: "notice",
      title: "The unit is not said",
      body: "Say that both are in kilograms.",
    },
  ],
};

/** Reads, runs the test, mends, runs it again. What it claims of the test is what the tool's result said. */
function repair(): Script {
  const runTest = call("run_command", { command: "node test/parcels.test.mjs" });
  const steps: readonly Step[] = [
    [
      think("See the code and its test before anything else."),
      call("read_file", { path: "src/parcels.mjs" }),
      call("read_file", { path: "test/parcels.test.mjs" }),
    ],
    [say("I run the test to see how it fails."), runTest],
    [
      say("`parcels` drops what is left over."),
      call("write_file", { path: "src/parcels.mjs", content: mended }),
    ],
    runTest,
    (asked) => say(hasPassed(asked) ? repaired : "The test still fails. The tool's last result says why."),
  ];
  return byTurn(steps);
}

function hasPassed({ toolResults }: ModelRequest): boolean {
  return toolResults.at(-1)?.text.includes("2 checks passed") ?? false;
}

const repaired = `The test passes now. \`parcels(25, 10)\` gave \`[10, 10]\`: the function rounded the number of parcels down and dropped the remaining 5.

- **The repair**: what is left over becomes a last, smaller parcel.
- **No empty parcel**: a weight that divides evenly, like \`parcels(20, 10)\`, gives the same as before.

\`\`\`diff
-  return Array.from({ length: full }, () => limit);
+  const parcels = Array.from({ length: full }, () => limit);
+  return rest === 0 ? parcels : [...parcels, rest];
\`\`\`

A weight below zero is still not refused; say \`/agent\` if it should be.
`;
