// The built Action of an older version as a runner executes it, against a built service: one process on SQLite, or an API node and two
// workers on PostgreSQL, with a model that a test scripts.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CodeHost, type CodeHostJob, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import { ACTIONS_BOT } from "../../../fakes/code-host/comments.ts";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import type { JobOptions } from "../../../fakes/code-host/job.ts";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../../fakes/model-server/request.ts";
import { everyTime } from "../../../fakes/model-server/script.ts";
import { type Step, say } from "../../../fakes/model-server/turn.ts";
import { type RunActionOptions, runAction } from "../../../fakes/runner/run-action.ts";
import type { Role } from "../../../src/service/settings/service-settings.ts";
import { makeTestKey, operateOn, type TestKey } from "../account-key.ts";
import { ServiceProcess } from "../fixtures/service-process.ts";
import { ratesDocument } from "../rates-document.ts";
import type { StoreKind, StorePlace } from "../stores/stores.ts";
import { type OlderAction, olderAction } from "./older-action.ts";

const REPOSITORY = "octo/project";
const AUDIENCE = "older.example";
/** More than all runs of a test take. */
const CREDITS = 1_000_000;
const MODEL = "claude-opus-5";
/** Each token of the model costs. */
const PRICE = { in_nano_usd_per_tok: 5_000, out_nano_usd_per_tok: 25_000, free_tier_eligible: true };

export type OlderActionOptions = {
  readonly store: StoreKind;
  readonly roles: readonly Role[];
  /** The entry of an older command, which makes its own tables. The built one unless told. */
  readonly entry?: string;
};

type Node = {
  readonly role: Role;
  /** What it shows the model. */
  readonly apiKey: string;
  readonly env: Readonly<Record<string, string>>;
  process: ServiceProcess;
};

export type StepOptions = Pick<RunActionOptions, "inputs" | "signal" | "onLine"> & {
  /** That of now, in place of the older one. */
  readonly isNewest?: boolean;
};

export class OlderActionFixture {
  readonly older: OlderAction;
  readonly place: StorePlace;
  readonly codeHost: CodeHost;
  readonly repository: TestRepository;
  /** Of an account. Null for an older service. */
  readonly key: TestKey | null;
  /** What the model answers from here on. */
  step: (request: ModelRequest) => Step = () => say("Done.");
  /** Where the first API node answers. */
  url = "";
  #workflowRuns = 1_296_269_000;
  readonly #nodes: Node[] = [];
  readonly #killed = new Set<Node>();
  readonly #opened: AsyncDisposableStack;

  static async start({ store, roles, entry }: OlderActionOptions): Promise<OlderActionFixture> {
    const opened = new AsyncDisposableStack();
    const older = olderAction();
    opened.defer(() => older.remove());
    const folder = await mkdtemp(join(tmpdir(), "older-action-"));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    const repository = new TestRepository(folder, "project.git");
    repository.commit({ files: { "README.md": "# Project\n", "src/a.txt": "one\n" }, subject: "Begin" });
    const codeHost = await startCodeHost({
      repositories: { [REPOSITORY]: { path: repository.path, visibility: "public" } },
    });
    opened.defer(() => codeHost.close());
    const place = await store.make({ isEmpty: entry !== undefined });
    opened.defer(() => place.remove());
    const key = entry === undefined ? await makeTestKey(place, { owner: { plan: "subscribed" } }) : null;
    if (key !== null)
      await operateOn(place, ({ grant }) => grant({ accountId: key.accountId, credits: CREDITS }));
    const fixture = new OlderActionFixture({ older, place, codeHost, repository, key, opened });
    const script = everyTime((request) => fixture.step(request));
    const model = await startModelServer({ script, models: [MODEL], conversation: () => "all" });
    opened.defer(() => model.close());
    const common = await settingsOf({ folder, place, codeHost, model });
    const startNode = async (role: Role, index: number): Promise<Node> => {
      const apiKey = `key-of-node-${index}`;
      const dataDir = roles.length === 1 ? place.settings.dataDir : join(folder, `node-${index}`);
      const env = { ...common, ROLE: role, MODEL_API_KEY: apiKey, DATA_DIR: dataDir };
      const process = new ServiceProcess(["serve"], env, entry === undefined ? {} : { entry });
      opened.defer(async () => void (await process.kill()));
      const PORT = new URL(await process.ready()).port;
      return { role, apiKey, env: { ...env, PORT }, process };
    };
    fixture.#nodes.push(...(await Promise.all(roles.map(startNode))));
    const port = fixture.#nodes.find(({ role }) => role !== "worker")?.env.PORT;
    fixture.url = `http://127.0.0.1:${port}`;
    return fixture;
  }

  private constructor(parts: {
    older: OlderAction;
    place: StorePlace;
    codeHost: CodeHost;
    repository: TestRepository;
    key: TestKey | null;
    opened: AsyncDisposableStack;
  }) {
    this.older = parts.older;
    this.place = parts.place;
    this.codeHost = parts.codeHost;
    this.repository = parts.repository;
    this.key = parts.key;
    this.#opened = parts.opened;
  }

  /** A job in a workflow run of its own. */
  async job(options: JobOptions = {}): Promise<CodeHostJob> {
    this.#workflowRuns += 1;
    return await this.codeHost.job({ runId: String(this.#workflowRuns), ...options });
  }

  /** The main step of a job, and its post step. */
  async main(job: CodeHostJob, { isNewest = false, inputs = {}, ...options }: StepOptions = {}) {
    const step = {
      env: job.env,
      inputs: { "base-url": this.url, audience: AUDIENCE, "github-token": job.githubToken, ...inputs },
      ...(isNewest ? {} : { action: this.older.action }),
    };
    const main = await runAction({ entry: "main", ...step, ...options });
    const post = await runAction({ entry: "post", ...step, state: main.state });
    return { main, post };
  }

  /** The answer to a comment on this issue. */
  answerOn(issue: number): string {
    return this.codeHost.rest.commentsOf(issue).findLast(({ user }) => user === ACTIONS_BOT)?.body ?? "";
  }

  /** Kills the worker that has sent this request. Where there is no other, it is started again. */
  async killWorker(apiKey: string | null): Promise<void> {
    const node = this.#nodes.find((one) => one.apiKey === apiKey);
    if (node === undefined) throw new Error("No node has this key.");
    await node.process.kill();
    this.#killed.add(node);
    if (this.#nodes.length === 1) await this.restore();
  }

  /** Starts those again that were killed. */
  async restore(): Promise<void> {
    for (const node of this.#killed) await this.#startAgain(node);
    this.#killed.clear();
  }

  async close(): Promise<void> {
    await this.#opened.disposeAsync();
  }

  async #startAgain(node: Node): Promise<void> {
    node.process = new ServiceProcess(["serve"], node.env);
    this.#opened.defer(async () => void (await node.process.kill()));
    await node.process.ready();
  }
}

async function settingsOf(parts: {
  readonly folder: string;
  readonly place: StorePlace;
  readonly codeHost: CodeHost;
  readonly model: ModelServer;
}): Promise<Record<string, string>> {
  const { folder, place, codeHost, model } = parts;
  const { databaseUrl } = place.settings;
  const document = ratesDocument({ free_max_model_out_nano_usd_per_tok: PRICE.out_nano_usd_per_tok });
  const ratesFile = join(folder, "rates.json");
  await writeFile(
    ratesFile,
    JSON.stringify({ ...document, models: [...document.models, { id: MODEL, ...PRICE }] }),
  );
  return {
    PORT: "0",
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    BLOB_DIR: join(folder, "blobs"),
    RUN_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    BACKEND: "model",
    SANDBOX: "off",
    MODEL,
    MODEL_BASE_URL: model.baseUrl,
    RATES_FILE: ratesFile,
    MAX_TURNS: "6",
    STALLED_SECONDS: "4",
    // Whatever is left of a run that has ended is a fault.
    JOURNAL_DAYS: "0",
    BASE_URL: `http://${AUDIENCE}`,
    CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
    CI_FREE_CREDITS: String(CREDITS),
    CI_RATE_PER_MINUTE: "1000000",
    RATE_PER_MINUTE: "1000000",
    ADDRESS_RATE_PER_MINUTE: "1000000",
  };
}
