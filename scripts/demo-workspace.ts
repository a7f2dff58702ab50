// A workspace from its first files to a clone of them: the real service in a fresh folder, a manager whose run starts three
// workers, two of which write the same line; the owner accepts, has the conflict settled, and exports the files to git.
// Only the model is a stand-in. It throws where anything is otherwise than it says, and leaves nothing behind.

import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import * as z from "zod/mini";
import { startModelServer } from "../fakes/model-server/model-server.ts";
import { type Changeset, type Client, createClient } from "../src/client/client.ts";
import {
  CONFLICTING,
  hasPassed,
  MANAGER_MESSAGE,
  SETTLE_MESSAGE,
  shopProject,
  TEST,
  titles,
  workspaceScript,
} from "./demo-workspace-story.ts";
import { closeOpened, opened } from "./opened.ts";
import { startServer } from "./served-process.ts";

const root = join(import.meta.dirname, "..");
const COMMAND = "npm/cli.mjs";
const KEY = "a-key-that-only-the-scripted-model-takes";
const CREDITS = 1_000;
const OPERATION_SECONDS = 20;
const POLL_MS = 100;

type Say = (...lines: string[]) => void;
type Stage = {
  readonly client: Client;
  readonly say: Say;
  readonly folder: string;
  readonly workspaceId: string;
  /** Of the workspace's pages. */
  readonly page: string;
};

/** With `stays` the service is there until SIGINT, with a link that signs in to its pages. Returns the exit code. */
export async function playWorkspace({ say, stays }: { say: Say; stays: boolean }): Promise<number> {
  const interrupted = new Promise<"interrupted">((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve("interrupted"));
  });
  try {
    const ended = await Promise.race([play(say, stays), interrupted]);
    if (ended === "played" && stays) await interrupted;
    return ended === "played" ? 0 : 130;
  } finally {
    await closeOpened();
  }
}

async function play(say: Say, stays: boolean): Promise<"played"> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-demo-"));
  opened(() => rm(folder, { recursive: true, force: true }));
  const model = await startModelServer({ script: workspaceScript, apiKey: KEY });
  opened(() => model.close());
  const data = join(folder, "service");
  const service = await startServer({
    args: [COMMAND, "serve", "--port", "0", "--data-dir", data],
    env: {
      BACKEND: "model",
      MODEL: "scripted-model",
      MODEL_BASE_URL: model.baseUrl,
      MODEL_API_KEY: KEY,
      // The commands are the script's own, and few machines that play the demo have a sandbox.
      SANDBOX: "off",
    },
  });
  const { secret, account_id: accountId } = keySchema.parse(
    JSON.parse(await operate(data, ["keys", "create", "--plan", "subscribed", "--json"])),
  );
  await operate(data, ["credits", "grant", String(CREDITS), "--account", accountId]);
  const client = createClient({ baseUrl: service.url, credential: secret });
  const workspace = await client.workspaces.create({ body: { name: "shop" } });
  const page = `${service.url}/workspace/${workspace.id}`;
  const stage: Stage = { client, say, folder, workspaceId: workspace.id, page };

  say(`The service is at ${service.url}.`, "");
  await saveFirstFiles(stage);
  await letManagerWork(stage);
  await acceptFirst(stage);
  await settleSecond(stage);
  await exportToGit(stage);
  say(`files       ${page}`, `history     ${page}/history`, `changesets  ${page}/changesets`, "");
  if (stays) {
    const link = await operate(data, ["accounts", "sign-in-link", accountId]);
    say("The pages are there until Ctrl-C.", link.trim());
  } else say("The service is stopped. With --stay it goes on until Ctrl-C, so that the pages can be opened.");
  return "played";
}

const keySchema = z.object({ secret: z.string(), account_id: z.string() });

/** The operator's part of the command, in the store itself. */
async function operate(dataDir: string, args: readonly string[]): Promise<string> {
  const all = [COMMAND, ...args, "--data-dir", dataDir];
  return (await promisify(execFile)(process.execPath, all, { cwd: root })).stdout;
}

async function saveFirstFiles({ client, say, workspaceId }: Stage): Promise<void> {
  for (const [path, content] of Object.entries(shopProject))
    await client.files.write({ workspaceId, body: { path, content } });
  const { id: operationId } = await client.copies.checkpoint({ workspaceId, body: { message: "A shop" } });
  const ended = await client.operations.get({ workspaceId, operationId, query: { wait: OPERATION_SECONDS } });
  expectThat(ended.status === "succeeded", `The checkpoint is ${ended.status}.`);
  say(`The owner wrote ${Object.keys(shopProject).length} files and saved them as the first revision.`);
}

/** One run of the manager, by its own tools: three workers, and the changesets of what they leave. */
async function letManagerWork({ client, say, workspaceId, page }: Stage): Promise<void> {
  const made = await client.copies.create({ workspaceId });
  const operation = await client.operations.get({
    workspaceId,
    operationId: made.id,
    query: { wait: OPERATION_SECONDS },
  });
  const copyId = operation.status === "succeeded" ? operation.result.working_copy_id : undefined;
  if (copyId === undefined) throw new Error(`The copy of the manager is ${operation.status}.`);
  say(`The manager is told: "${MANAGER_MESSAGE}"`);
  const body = { message: MANAGER_MESSAGE, working_copy_id: copyId };
  const run = await client.workspaceRuns.submit({ workspaceId, body });
  const messages = await readRun(client, run.run_id);
  expectThat(
    messages.some((one) => one.includes(CONFLICTING)),
    "All of it together was not refused.",
  );
  const [plan, ...others] = messages;
  say(`  the manager: "${plan}"`);
  const { items: workers } = await client.workers.list({ workspaceId });
  expectThat(workers.length === 3, `There are ${workers.length} workers.`);
  for (const { run_id: runId, save_state: saveState, executor_agent_id: agentId } of workers.toReversed()) {
    expectThat(saveState === "saved", `What run ${runId} has left is ${saveState}.`);
    say(
      `  a worker: "${(await readRun(client, runId)).at(-1)}" ${new URL(`/agent/${agentId}/runs/${runId}`, page)}`,
    );
  }
  for (const message of others) say(`  the manager: "${message}"`);
}

/** What the agent says in a run until it has ended, message by message. */
async function readRun(client: Client, runId: string): Promise<readonly string[]> {
  const messages = new Map<string, string>();
  for await (const { event } of client.runs.follow({ runId })) {
    if (event.type === "TEXT_MESSAGE_CONTENT")
      messages.set(event.messageId, (messages.get(event.messageId) ?? "") + event.delta);
    if (event.type === "RUN_ERROR") throw new Error(`Run ${runId} failed: ${event.message}`);
  }
  return [...messages.values()];
}

async function acceptFirst(stage: Stage): Promise<void> {
  const { client, say, workspaceId } = stage;
  const first = await findChangeset(stage, titles.first);
  expectThat(first.mergeable && first.files === 2, `"${first.title}" is not as it should be.`);
  // What is accepted was tested as it was proposed.
  const tested = await cloneRevision(stage, first.revision_id);
  const output = execFileSync(process.execPath, [TEST], { cwd: tested }).toString().trim();
  expectThat(hasPassed(output), `The test of "${first.title}" says: ${output}`);
  const evidence = [{ kind: "tests", text: `node ${TEST}\n${output}` }];
  await client.changesets.accept({
    workspaceId,
    changesetId: first.id,
    body: { expected_current_revision: first.compared_revision_id, validation_evidence: evidence },
  });
  say("", `Changeset "${first.title}" (+${first.additions} −${first.deletions}): tested, accepted.`);
}

/** A worker in a copy of the accepted files writes what holds, and the owner accepts that. */
async function settleSecond(stage: Stage): Promise<void> {
  const { client, say, workspaceId, page } = stage;
  const second = await findChangeset(stage, titles.second);
  const { status, conflicts, compared_revision_id: current } = second;
  expectThat(status === "conflicted", `"${second.title}" is ${status}.`);
  expectThat(conflicts.length === 1 && conflicts[0]?.path === CONFLICTING, "It conflicts elsewhere.");
  const paths = conflicts.map(({ path, kind }) => `${path} (${kind})`).join(", ");
  say(`Changeset "${second.title}": in conflict with that at ${paths}.`, `  ${page}/changesets/${second.id}`);

  const group = await client.taskGroups.create({ workspaceId, body: { name: "Settle the conflict" } });
  const body = { task_group_id: group.id, message: SETTLE_MESSAGE, base_revision_id: current };
  const { id: workerRequestId, run_id: runId } = await client.workers.start({ workspaceId, body });
  const reply = (await readRun(client, runId)).at(-1) ?? "";
  say(`  a worker in a copy of the accepted files: "${reply}"`);
  const resolvedRevisionId = await savedRevision(client, { workspaceId, workerRequestId });
  const settled = await client.changesets.resolve({
    workspaceId,
    changesetId: second.id,
    body: {
      expected_current_revision: current,
      validation_evidence: [{ kind: "tests", text: reply, run_id: runId }],
      resolved_revision_id: resolvedRevisionId,
    },
  });
  expectThat(settled.status === "accepted", `"${settled.title}" is ${settled.status}.`);
  say("  The owner accepted it with that revision, and with that run as its evidence.");
}

/** A run that has ended does not say that its changes are saved: that is asked for. */
async function savedRevision(
  client: Client,
  worker: { workspaceId: string; workerRequestId: string },
): Promise<string> {
  for (let left = (OPERATION_SECONDS * 1_000) / POLL_MS; left > 0; left -= 1) {
    const { save_state: state, saved_revision_id: revisionId } = await client.workers.get(worker);
    if (state === "saved" && revisionId !== null) return revisionId;
    expectThat(state === "none" || state === "saving", `What the worker has left is ${state}.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`What the worker has left was not saved within ${OPERATION_SECONDS} seconds.`);
}

async function findChangeset({ client, workspaceId }: Stage, title: string): Promise<Changeset> {
  const { items } = await client.changesets.list({ workspaceId });
  const found = items.find((one) => one.title === title);
  if (found === undefined) throw new Error(`There is no changeset "${title}".`);
  return await client.changesets.get({ workspaceId, changesetId: found.id });
}

async function exportToGit(stage: Stage): Promise<void> {
  const { client, say, workspaceId } = stage;
  const { current_revision_id: revisionId } = await client.workspaces.get({ workspaceId });
  const clone = await cloneRevision(stage, revisionId);
  const listed = await client.files.list({ workspaceId, query: { recursive: true } });
  expectThat(listed.next_cursor === "", "There are more files than the demo compares.");
  const files = listed.items.flatMap((item) => (item.type === "file" ? [item] : []));
  const inWorkspace = files.map(({ mode, oid, path }) => `${mode} blob ${oid}\t${path}`).toSorted();
  const inClone = git(clone, ["ls-tree", "-r", "HEAD"]).trim().split("\n").toSorted();
  expectThat(
    inWorkspace.join("\n") === inClone.join("\n"),
    `The clone differs.\nIn the workspace:\n${inWorkspace.join("\n")}\nIn the clone:\n${inClone.join("\n")}`,
  );
  for (const { path } of files) {
    const { body } = await client.files.download({ workspaceId, query: { path } });
    const isSame = (await buffer(body)).equals(await readFile(join(clone, path)));
    expectThat(isSame, `${path} differs in the clone.`);
  }
  say(
    "",
    `The accepted revision, exported as a bundle and cloned by git: ${files.length} files, each as in the workspace.`,
  );
  const lines = git(clone, ["log", "--graph", "--format=%s"]).trimEnd().split("\n");
  say(...lines.map((line) => `  ${line.trimEnd()}`), "");
}

/** Returns the folder of the clone. */
async function cloneRevision({ client, workspaceId, folder }: Stage, revisionId: string): Promise<string> {
  const { body } = await client.revisions.bundle({ workspaceId, revisionId });
  const clone = join(folder, revisionId);
  await writeFile(`${clone}.bundle`, await buffer(body));
  git(folder, ["clone", "--quiet", `${clone}.bundle`, clone]);
  return clone;
}

/** Without the settings of whoever plays the demo, which may change files as they are checked out. */
function git(cwd: string, args: readonly string[]): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] }).toString();
}

function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
