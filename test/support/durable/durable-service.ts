// A service whose runs are executed by a scripted model: one process on SQLite, or API nodes and workers on PostgreSQL. Its processes
// are killed, stopped and started again where they were.

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { type CodeHost, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import { submitRunResponseSchema } from "../../../src/contract/runs/run.ts";
import type { Role } from "../../../src/service/settings/service-settings.ts";
import { makeTestKey, operateOn, type TestKey } from "../account-key.ts";
import { type Exit, ServiceProcess } from "../fixtures/service-process.ts";
import { ratesDocument } from "../rates-document.ts";
import { type Call, call } from "../service-client.ts";
import { CiJob } from "../service-job.ts";
import type { StoreKind, StorePlace } from "../stores/stores.ts";
import { NoteServer } from "./note-server.ts";
import { messageOf, STORY_MODEL, type Story, StoryModel } from "./played-story.ts";

const KILL_AT = fileURLToPath(new URL("kill-at.ts", import.meta.url));
const AUDIENCE = "durable.example";
const REPOSITORY = "octo/project";
/** More than all runs of a test take. */
const CREDITS = 1_000_000;
const SEALING_KEY = Buffer.alloc(32, 7).toString("base64");
/** Folders of a node's data folder that runs at work have files in. */
const FOLDERS_OF_RUNS = ["checkouts", "environments", "scratch"];

export type DurableOptions = {
  readonly store: StoreKind;
  /** One process unless told. */
  readonly roles?: readonly Role[];
  readonly settings?: Readonly<Record<string, string>>;
  /** More files of its repository, by path: README.md and src/a.txt are in it always. */
  readonly files?: Readonly<Record<string, string>>;
  /** Models whose tokens cost something, beside that of the stories. */
  readonly models?: readonly string[];
  /** How long the model's answers take, one after the other. */
  readonly paceMs?: readonly number[];
  /** Changes the address of PostgreSQL that the nodes use. */
  readonly through?: (url: URL) => void;
};

type Node = {
  readonly role: Role;
  /** What it shows the model. */
  readonly apiKey: string;
  env: Readonly<Record<string, string>>;
  process: ServiceProcess;
  url: string;
};

type Parts = {
  readonly place: StorePlace;
  readonly folder: string;
  readonly codeHost: CodeHost;
  readonly model: StoryModel;
  readonly notes: NoteServer;
  readonly key: TestKey;
  readonly nodes: readonly Node[];
  readonly label: string;
};

export class DurableService {
  readonly place: StorePlace;
  readonly model: StoryModel;
  readonly notes: NoteServer;
  readonly nodes: readonly Node[];
  /** Of the account that has claimed the agent. */
  readonly owner: TestKey;
  readonly #folder: string;
  readonly #codeHost: CodeHost;
  /** What the nodes' connections to PostgreSQL are named. */
  readonly #label: string;
  #job: CiJob | null = null;

  static async start(options: DurableOptions): Promise<DurableService> {
    const { store, roles = ["all"], settings = {}, files = {}, models = [], paceMs = [] } = options;
    const { through = () => {} } = options;
    const place = await store.make();
    const folder = await mkdtemp(join(tmpdir(), "durable-runs-"));
    const key = await makeTestKey(place, { owner: { plan: "subscribed" } });
    await operateOn(place, ({ grant }) => grant({ accountId: key.accountId, credits: CREDITS }));
    const repository = new TestRepository(folder, "project.git");
    const sha = repository.commit({ files: { "README.md": "# Project\n", "src/a.txt": "one\n", ...files } });
    const codeHost = await startCodeHost({ repositories: { [REPOSITORY]: repository.path } });
    const model = await StoryModel.start(paceMs);
    const notes = await NoteServer.start(folder);
    const ratesFile = join(folder, "rates.json");
    await writeFile(ratesFile, JSON.stringify(rates([STORY_MODEL, ...models])));
    const { dataDir, databaseUrl } = place.settings;
    const label = `durable-${randomUUID()}`;
    const ownUrl = () => {
      const url = new URL(databaseUrl ?? "");
      url.searchParams.set("application_name", label);
      through(url);
      return url.href;
    };
    const common = {
      PORT: "0",
      ...(databaseUrl === null ? {} : { DATABASE_URL: ownUrl() }),
      BLOB_DIR: join(folder, "blobs"),
      RUN_SECRETS_KEY: SEALING_KEY,
      BASE_URL: `http://${AUDIENCE}`,
      BACKEND: "model",
      MODEL: STORY_MODEL,
      MODEL_BASE_URL: model.baseUrl,
      RATES_FILE: ratesFile,
      MAX_RUNNING_RUNS: "8",
      // A busy machine may keep a node from a core for a while: only a killed one is to be missed.
      STALLED_SECONDS: "4",
      DRAIN_SECONDS: "30",
      // Whatever is left of a run that has ended is a fault.
      JOURNAL_DAYS: "0",
      CI_AUDIENCE: AUDIENCE,
      CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
      CI_CAPABILITY_SECONDS: "3600",
      RATE_PER_MINUTE: "1000000",
      ADDRESS_RATE_PER_MINUTE: "1000000",
      KILL_PLAN: join(folder, "kill-plan"),
      // Coding agents are given none.
      ...(settings.BACKEND === "acp" ? {} : notes.settings),
      ...settings,
    };
    const nodes = await Promise.all(
      roles.map(async (role, index): Promise<Node> => {
        const own = join(folder, `node-${index}`);
        await mkdir(join(own, "tmp"), { recursive: true });
        const apiKey = `key-of-node-${index}`;
        const env = {
          ...common,
          ROLE: role,
          MODEL_API_KEY: apiKey,
          TMPDIR: join(own, "tmp"),
          DATA_DIR: roles.length === 1 ? dataDir : join(own, "data"),
        };
        const process = startProcess(env);
        const url = await process.ready();
        return { role, apiKey, env: { ...env, PORT: new URL(url).port }, process, url };
      }),
    );
    const service = new DurableService({ place, folder, codeHost, model, notes, key, nodes, label });
    service.#job = await service.#claimedJob(sha, key);
    return service;
  }

  private constructor(parts: Parts) {
    this.place = parts.place;
    this.model = parts.model;
    this.notes = parts.notes;
    this.nodes = parts.nodes;
    this.owner = parts.key;
    this.#folder = parts.folder;
    this.#codeHost = parts.codeHost;
    this.#label = parts.label;
  }

  /** Its requests go to the first API node. */
  get job(): CiJob {
    if (this.#job === null) throw new Error("The service was not started.");
    return this.#job;
  }

  /** The one process, or the first node of this role. */
  node(role?: Role): Node {
    const found = this.nodes.find((node) => role === undefined || node.role === role);
    if (found === undefined) throw new Error(`There is no node of the role ${role}.`);
    return found;
  }

  /** The worker that shows the model this key. */
  nodeWith(apiKey: string | null): Node {
    const found = this.nodes.find((node) => node.apiKey === apiKey);
    if (found === undefined) throw new Error("No node has this key.");
    return found;
  }

  async submit(story: Story): Promise<string> {
    const answer = await this.job.submit({ message: messageOf(story), egress: [this.notes.egress] });
    if (answer.status !== 202) throw new Error(`The run was refused: ${answer.text}`);
    return submitRunResponseSchema.parse(answer.body).run_id;
  }

  /** Resolves once the stream has what the agent says first in this turn. */
  async untilSpoken(runId: string, turn: number): Promise<void> {
    let spoken = 0;
    await this.job.readUntil(runId, ({ event }) => {
      if (event.type === "TEXT_MESSAGE_CONTENT" && event.delta.startsWith("Turn")) spoken += 1;
      return spoken === turn;
    });
  }

  /** From now on the service on SQLite kills itself around the first commit of a transaction that has executed such a statement. */
  async killAround(when: "before" | "after", statement: RegExp): Promise<void> {
    await writeFile(this.#planPath, `${when} ${statement.source}`);
  }

  /** From now on the node that is the first to start such a program kills itself. The words of a call have a space between them. */
  async killWithin(program: RegExp): Promise<void> {
    await writeFile(this.#planPath, `within ${program.source}`);
  }

  /** Resolves once the node has killed itself. Rejects where the run ended before. */
  async killed(runId: string, node: Node = this.node()): Promise<void> {
    const hasEnded = this.job.follow(runId).then(
      () => true,
      // Its node was killed.
      () => node.process.ended.then(() => false),
    );
    if (await Promise.race([hasEnded, node.process.ended.then(() => false)]))
      throw new Error("The run ended before the service was killed.");
    expect((await node.process.ended).signal).toBe("SIGKILL");
  }

  /** Starts a node again where it was, once it is gone. `settings` are changed from now on. */
  async startAgain(node: Node = this.node(), settings: Readonly<Record<string, string>> = {}): Promise<void> {
    await node.process.ended;
    node.env = { ...node.env, ...settings };
    node.process = startProcess(node.env);
    await node.process.ready();
  }

  /** Resolves once a node that was told to stop takes no connection any more. */
  async closed(node: Node = this.node()): Promise<void> {
    const isOpen = async () =>
      await fetch(`${node.url}/readyz`, { headers: { connection: "close" } }).then(
        () => true,
        () => false,
      );
    await expect.poll(isOpen).toBe(false);
  }

  /** Ends every connection to PostgreSQL that the nodes have now, as an operator would. Returns how many. */
  async loseConnections(): Promise<number> {
    const ended = await this.place.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${this.#label}'`,
    );
    return ended.length;
  }

  /** Stops a node as a supervisor does. */
  async stop(node: Node = this.node()): Promise<Exit> {
    node.process.signal("SIGTERM");
    return await node.process.ended;
  }

  /** Files and folders of runs that are at work no more, on any node. */
  async leftFiles(): Promise<readonly string[]> {
    const folders = this.nodes.flatMap(({ env }) => [
      env.TMPDIR ?? "",
      ...FOLDERS_OF_RUNS.map((name) => join(env.DATA_DIR ?? "", name)),
    ]);
    const left = await Promise.all(
      folders.map(async (folder) =>
        existsSync(folder) ? (await readdir(folder)).map((name) => join(folder, name)) : [],
      ),
    );
    return left.flat();
  }

  /** Processes that work in a folder of a node and are none. */
  async leftProcesses(): Promise<readonly string[]> {
    const own = this.nodes.map(({ process }) => String(process.pid));
    const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && !own.includes(name));
    const lines = await Promise.all(
      ids.map(async (id) => {
        const read = async (name: string) => await readFile(`/proc/${id}/${name}`, "latin1").catch(() => "");
        return { line: await read("cmdline"), text: (await read("cmdline")) + (await read("environ")) };
      }),
    );
    const folders = this.nodes.map(({ env }) => env.DATA_DIR ?? "");
    return lines.flatMap(({ line, text }) => (folders.some((folder) => text.includes(folder)) ? [line] : []));
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map(({ process }) => process.kill()));
    await this.model.close();
    await this.notes.close();
    await this.#codeHost.close();
    await this.place.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #planPath(): string {
    return join(this.#folder, "kill-plan");
  }

  /** A job of a public repository, whose agent an account has claimed: it pays, and its runs may reach the notes. */
  async #claimedJob(sha: string, { secret, accountId }: TestKey): Promise<CiJob> {
    const { issuer } = this.#codeHost;
    const { url } = this.nodes.find(({ role }) => role !== "worker") ?? this.node();
    const exchange = async (more: Readonly<Record<string, string>>) => {
      const claims = { aud: AUDIENCE, repository: REPOSITORY, sha, event_name: "push" };
      const jti = randomUUID();
      const subject_token = issuer.sign(issuer.githubClaims({ ...claims, jti, ...more }));
      const json = { subject_token, account: accountId };
      const { body } = await call(`${url}/v1/ci/oidc/exchange`, { method: "POST", json });
      return exchangeResponseSchema.parse(body);
    };
    const ofPrivate = { repository_visibility: "private" };
    const claim = (await exchange(ofPrivate)).claim_url?.split("/").at(-1) ?? "";
    await call(`${url}/v1/ci/claim`, { method: "POST", bearer: secret, json: { claim } });
    await exchange(ofPrivate);
    const exchanged = await exchange({ repository_visibility: "public" });
    return new CiJob({
      fixture: { call: (path: string, options?: Call) => call(url + path, options) },
      exchanged,
    });
  }
}

function startProcess(env: Readonly<Record<string, string>>): ServiceProcess {
  return new ServiceProcess(["serve"], env, { preload: KILL_AT });
}

/** Each token of the model costs. */
function rates(models: readonly string[]) {
  const document = ratesDocument();
  const price = { in_nano_usd_per_tok: 3_000, out_nano_usd_per_tok: 15_000 };
  return {
    ...document,
    models: [...document.models, ...models.map((id) => ({ id, ...price, free_tier_eligible: false }))],
  };
}
