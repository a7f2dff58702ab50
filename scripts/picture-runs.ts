// The runs of docs/durable-runs, played for their pictures: one taken up twice, one answered after its job, one with a raised
// limit, and a fork. The service and the Action are the built ones; the code host and the model are played.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type CodeHost, startCodeHost } from "../fakes/code-host/code-host.ts";
import { ACTIONS_BOT } from "../fakes/code-host/comments.ts";
import { startModelServer } from "../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../fakes/model-server/request.ts";
import { everyTime } from "../fakes/model-server/script.ts";
import { answer, call, type Part, type Step, say, stall } from "../fakes/model-server/turn.ts";
import { type ActionResult, runAction } from "../fakes/runner/run-action.ts";
import { createClient } from "../src/client/client.ts";
import { FIX, makeRepository, mended, PULL_REQUEST, REPOSITORY } from "./picture-story.ts";
import { type ServedProcess, startServer } from "./served-process.ts";

const MODEL = "scripted-model";
const MODEL_KEY = "a-key-that-only-the-scripted-model-takes";
const execute = promisify(execFile);

export type PlayedRun = {
  /** Of its last job, or of the command that followed it. */
  readonly log: string;
  /** Empty: no job took part. */
  readonly summary: string;
  readonly comment: string;
  readonly request: string;
  readonly runUrl: string;
  /** Sent with the request for the page, where not everybody may read it. */
  readonly cookie: string | null;
};

/** The service runs until it is disposed of. */
export type PlayedRuns = AsyncDisposable & PlayedRun;

type Stage = {
  readonly codeHost: CodeHost;
  readonly service: () => ServedProcess;
  readonly dataDir: string;
  /** What the model answers from here on. */
  answerWith(step: (request: ModelRequest) => Step): void;
  /** Kills the service, and starts it again at the same address. */
  killAndRestart(): Promise<void>;
  /** A comment of the pull request, and the job that it starts. */
  job(comment: string, inputs?: Readonly<Record<string, string>>): Promise<ActionResult>;
};

const runTest = call("run_command", { command: "node test/parcels.test.mjs" });
const repair: readonly (readonly Part[])[] = [
  [call("read_file", { path: "src/parcels.mjs" }), call("read_file", { path: "test/parcels.test.mjs" })],
  [say("I run the test to see how it fails."), runTest],
  [
    say("`parcels` drops what is left over."),
    call("write_file", { path: "src/parcels.mjs", content: mended }),
  ],
  [runTest],
  [say("The test passes now: what is left over becomes a last, smaller parcel.")],
];
const turnOf = ({ assistantTurns }: ModelRequest): Step => [...(repair[assistantTurns] ?? [say("Done.")])];

const stories = {
  "taken-up": async (stage) => {
    const lostIn = new Map([1, 3].map((turn) => [turn, Promise.withResolvers<void>()]));
    stage.answerWith((request) => {
      const lost = lostIn.get(request.assistantTurns);
      if (lost === undefined) return turnOf(request);
      lostIn.delete(request.assistantTurns);
      lost.resolve();
      return stall();
    });
    const losses = [...lostIn.values()].map(({ promise }) => promise);
    const job = stage.job(FIX);
    for (const loss of losses) {
      await loss;
      await stage.killAndRestart();
    }
    return await shown(stage, { request: FIX, job: await job });
  },
  answered: async (stage) => {
    const question = "What becomes of the 5 kg that are left over?";
    const choices = ["A last, smaller parcel", "They are refused"];
    stage.answerWith((request) =>
      request.assistantTurns === 1 ? call("ask_question", { question, choices }) : turnOf(request),
    );
    await stage.job(FIX);
    const request = "/agent A last, smaller parcel.";
    return await shown(stage, { request, job: await stage.job(request) });
  },
  raised: async (stage) => {
    stage.answerWith((request) => {
      const isLast = JSON.stringify(request.messages.at(-1)).includes("limit of tokens");
      const parts = isLast
        ? [say("Not done yet: the test fails.")]
        : (repair[request.assistantTurns] ?? [say("Done.")]);
      return answer(parts, { usage: { output: 6_000 } });
    });
    const first = await stage.job(FIX, { "max-turn-tokens": "10000" });
    if (first.outputs.conclusion !== "incomplete") throw new Error(`The run reached no limit.\n${first.log}`);
    stage.answerWith(({ messages, toolResults }) => {
      const hasWritten = JSON.stringify(messages).includes("write_file");
      // The test says so itself: before, it was only read.
      const hasPassed = hasWritten && (toolResults.at(-1)?.text.includes("2 checks passed") ?? false);
      return [...((hasPassed ? repair[4] : hasWritten ? repair[3] : repair[2]) ?? [])];
    });
    const request = "/agent continue max-turn-tokens 200000";
    return await shown(stage, { request, job: await stage.job(request) });
  },
  forked: async (stage) => {
    const command = async (
      settings: Readonly<Record<string, string>>,
      ...args: readonly string[]
    ): Promise<string> => {
      const env = { PATH: process.env.PATH ?? "", ...settings };
      return (await execute(process.execPath, ["npm/cli.mjs", ...args], { env })).stdout;
    };
    const operate = async (...args: readonly string[]) => await command({ DATA_DIR: stage.dataDir }, ...args);
    const key = JSON.parse(await operate("keys", "create", "--json"));
    const client = createClient({ baseUrl: stage.service().url, credential: key.secret });
    const { id: agentId } = await client.agents.create({ body: { name: "helper" } });
    const write = (text: string) => call("write_file", { path: "notes/parcels.md", content: text });
    stage.answerWith(({ assistantTurns, messages }) => {
      const isForked = JSON.stringify(messages).includes("In kilograms");
      const text = isForked ? "Weights are in kilograms.\n" : "Weights are in pounds.\n";
      const steps = [
        [write("# Parcels\n"), say("A title first.")],
        [write(`# Parcels\n\n${text}`)],
        [say(`Noted: ${text}`)],
      ];
      return steps[assistantTurns] ?? [];
    });
    const { runId } = await client.runs.submit({
      agentId,
      body: { message: "Write down in which unit the weights are." },
    });
    for await (const _ of client.runs.follow({ runId }));
    const forked = await client.runs.fork({
      agentId,
      runId,
      body: { turn: 2, message: "In kilograms, please." },
    });
    for await (const _ of client.runs.follow({ runId: forked.run_id }));
    const link = (await operate("accounts", "sign-in-link", key.account_id, "--json")).trim();
    const asOwner = { AGENT_SERVICE_URL: stage.service().url, AGENT_SERVICE_KEY: key.secret };
    return {
      log: await command(asOwner, "follow", forked.run_id),
      summary: "",
      comment: "",
      request: "",
      runUrl: `${stage.service().url}/agent/${agentId}/runs/${forked.run_id}`,
      cookie: await signIn(JSON.parse(link).url),
    };
  },
} as const satisfies Readonly<Record<string, (stage: Stage) => Promise<PlayedRun>>>;

export type RunStoryName = keyof typeof stories;
export const runStoryNames = Object.keys(stories) as readonly RunStoryName[];

/** Plays it in `folder`. Throws with the job's log where it ended otherwise. */
export async function playRun(folder: string, name: RunStoryName): Promise<PlayedRuns> {
  await using opened = new AsyncDisposableStack();
  const repository = await makeRepository(join(folder, "parcels"));
  const codeHost = await startCodeHost({ repositories: { [REPOSITORY]: { path: repository } } });
  opened.defer(() => codeHost.close());
  let step: (request: ModelRequest) => Step = () => say("Done.");
  const script = everyTime((request) => step(request));
  const model = await startModelServer({ script, apiKey: MODEL_KEY, models: [MODEL] });
  opened.defer(() => model.close());
  const dataDir = join(folder, "service");
  const start = async (port: string) =>
    await startServer({
      args: ["npm/cli.mjs", "serve", "--port", port, "--data-dir", dataDir],
      env: {
        BACKEND: "model",
        CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
        MODEL,
        MODEL_API_KEY: MODEL_KEY,
        MODEL_BASE_URL: model.baseUrl,
        SANDBOX: "off",
      },
    });
  let service = await start("0");
  opened.defer(() => service.stop());
  const stage: Stage = {
    codeHost,
    dataDir,
    service: () => service,
    answerWith: (next) => {
      step = next;
    },
    killAndRestart: async () => {
      process.kill(service.pid, "SIGKILL");
      await service.stop();
      service = await start(new URL(service.url).port);
    },
    job: async (comment, given = {}) => {
      const pullRequest = { number: PULL_REQUEST, title: "Split a weight into parcels" };
      const job = await codeHost.job({ event: "issue_comment", comment, pullRequest });
      const inputs = {
        "base-url": service.url,
        "github-token": job.githubToken,
        changes: "commit",
        ...given,
      };
      const main = await runAction({ entry: "main", env: job.env, inputs });
      await runAction({ entry: "post", env: job.env, inputs, state: main.state });
      return main;
    },
  };
  const played = await stories[name](stage);
  const served = opened.move();
  return { ...played, [Symbol.asyncDispose]: () => served.disposeAsync() };
}

async function shown(
  { codeHost }: Stage,
  { request, job }: { readonly request: string; readonly job: ActionResult },
): Promise<PlayedRun> {
  const comment = codeHost.rest.commentsOf(PULL_REQUEST).findLast(({ user }) => user === ACTIONS_BOT);
  if (job.outputs.conclusion !== "success" || comment === undefined)
    throw new Error(`A job of the pictures ended as ${job.outputs.conclusion ?? "nothing"}.\n${job.log}`);
  const { log, summary } = job;
  return { request, log, summary, comment: comment.body, runUrl: job.outputs["run-url"] ?? "", cookie: null };
}

/** By a link of the operator's. Returns the cookie. */
async function signIn(link: string): Promise<string> {
  const origin = new URL(link).origin;
  const answer = await fetch(link, { method: "POST", headers: { origin }, redirect: "manual" });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  if (cookies.length === 0) throw new Error(`The link signed nobody in: ${answer.status}.`);
  return cookies.join("; ");
}
