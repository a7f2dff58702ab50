// Whole runs of a service with a model over repositories that mean harm: git over HTTP, real tools, a real sandbox,
// a scripted model. Beside them lie a secret that nothing may show and a folder that nothing may write to.

import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type CodeHost, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import { byTurn } from "../../../fakes/model-server/script.ts";
import type { Step } from "../../../fakes/model-server/turn.ts";
import { exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import type { ChangesEvent } from "../../../src/contract/runs/changes.ts";
import type { Run } from "../../../src/contract/runs/run.ts";
import { asRunEvent, type RunEvent, type StoredRunEvent } from "../../../src/contract/runs/run-event.ts";
import { gitCheckouts } from "../../../src/service/checkouts/git-checkouts.ts";
import { type Config, readConfig } from "../../../src/service/settings/config.ts";
import { startTestService, type TestService } from "../../support/fixtures/in-process-service.ts";
import { call } from "../../support/service-client.ts";
import { CiJob } from "../../support/service-job.ts";
import { expectValidStream } from "../../support/service-streams.ts";
import { type StorePlace, sqliteStore } from "../../support/stores/stores.ts";

export const REPOSITORY = "octo/hostile";
const AUDIENCE = "hostile.example";
const KEY = "sk-the-models-key-0123456789";
const SECRET_FILES = ["secret.txt", "folder/secret.txt"];

export type PlayedRun = {
  readonly run: Run;
  readonly events: readonly StoredRunEvent[];
  /** What the tools answered, in the order of the calls. */
  readonly results: readonly string[];
  readonly reply: string;
  /** Null where none were reported. */
  readonly changes: ChangesEvent["value"] | null;
};

/** Without any, the service's own. */
export type HostileOptions = {
  /** The time that one call of git may take. */
  readonly gitTimeoutMs?: number;
  /** Bytes that the files of a commit may have together. */
  readonly maxCheckoutBytes?: number;
};

/** What no run may reach. */
export class Outside {
  readonly folder: string;
  /** Would be there, had anything been executed outside of the sandbox. */
  readonly marker: string;
  readonly secret = `canary-${randomUUID()}`;

  private constructor(folder: string) {
    this.folder = join(folder, "outside");
    this.marker = join(this.folder, "was-executed");
  }

  static async make(folder: string): Promise<Outside> {
    const outside = new Outside(folder);
    await mkdir(join(outside.folder, "folder"), { recursive: true });
    for (const name of SECRET_FILES) await writeFile(join(outside.folder, name), outside.#text);
    return outside;
  }

  get #text(): string {
    return `TODO ${this.secret}\n`;
  }

  /** Nothing was executed, written or deleted. */
  async expectUntouched(): Promise<void> {
    const names = await readdir(this.folder, { recursive: true });
    expect(names.toSorted()).toEqual(["folder", ...SECRET_FILES].toSorted());
    for (const name of SECRET_FILES) expect(await readFile(join(this.folder, name), "utf8")).toBe(this.#text);
  }

  /** Every setting of git that starts a program, pointed at the marker. */
  configuration(): string {
    const program = `touch ${this.marker}`;
    return [
      `[core]\n\tfsmonitor = ${program}\n\tsshCommand = ${program}\n\tpager = ${program}\n\teditor = ${program}`,
      `\taskPass = ${program}\n\thooksPath = hooks\n\talternateRefsCommand = ${program}\n\tgitProxy = ${program}`,
      `[diff]\n\texternal = ${program}`,
      `[diff "evil"]\n\tcommand = ${program}\n\ttextconv = ${program}`,
      `[merge "evil"]\n\tdriver = ${program}`,
      `[filter "evil"]\n\tsmudge = ${program}\n\tclean = ${program}\n\tprocess = ${program}\n\trequired = true`,
      `[credential]\n\thelper = !${program}`,
      `[gpg]\n\tprogram = ${program}`,
      `[log]\n\tshowSignature = true`,
      `[protocol "ext"]\n\tallow = always`,
      `[protocol "file"]\n\tallow = always\n`,
    ].join("\n");
  }

  hook(): string {
    return `#!/bin/sh\ntouch ${this.marker}\n`;
  }
}

export class HostileFixture {
  readonly outside: Outside;
  readonly repository: TestRepository;
  readonly place: StorePlace;
  readonly #folder: string;
  readonly #codeHost: CodeHost;
  readonly #model: ModelServer;
  readonly #service: TestService;
  readonly #stories: Map<string, readonly Step[]>;
  #played = 0;

  private constructor(parts: {
    folder: string;
    outside: Outside;
    repository: TestRepository;
    place: StorePlace;
    codeHost: CodeHost;
    model: ModelServer;
    service: TestService;
    stories: Map<string, readonly Step[]>;
  }) {
    this.#folder = parts.folder;
    this.outside = parts.outside;
    this.repository = parts.repository;
    this.place = parts.place;
    this.#codeHost = parts.codeHost;
    this.#model = parts.model;
    this.#service = parts.service;
    this.#stories = parts.stories;
  }

  static async start(options: HostileOptions = {}): Promise<HostileFixture> {
    const folder = await mkdtemp(join(tmpdir(), "hostile-"));
    const repository = new TestRepository(folder, "hostile.git");
    const stories = new Map<string, readonly Step[]>();
    const model = await startModelServer({
      script: ({ firstUserMessage }) => byTurn(lastTwice(stories.get(firstUserMessage) ?? []))(),
      apiKey: KEY,
    });
    const codeHost = await startCodeHost({
      repositories: { [REPOSITORY]: { path: repository.path, visibility: "public" } },
    });
    const place = await sqliteStore.make();
    if (place === undefined) throw new Error("There is no store.");
    const service = await startTestService({
      codeHost,
      place,
      config: { ...modelConfig(model, place), audience: AUDIENCE, freeCredits: 1_000_000 },
      ...(Object.keys(options).length === 0 ? {} : { checkouts: clones(place, options) }),
    });
    const outside = await Outside.make(folder);
    return new HostileFixture({ folder, outside, repository, place, codeHost, model, service, stories });
  }

  /** Where the service keeps what it works on. */
  get checkouts(): string {
    return join(this.place.settings.dataDir, "checkouts");
  }

  /** Paths that the code host was asked for by git. */
  get cloned(): readonly string[] {
    return this.#codeHost.requests.map(({ path }) => path);
  }

  /** Plays a run at a commit to its end, and finds that nothing went out or was left behind. */
  async play(sha: string, steps: readonly Step[]): Promise<PlayedRun> {
    this.#played += 1;
    const message = `Story ${this.#played}.`;
    this.#stories.set(message, steps);
    const before = await readdir(this.place.settings.dataDir);
    const job = await this.#job(sha);
    const runId = await job.start(message);
    const events = await job.follow(runId);
    await expectValidStream(events);
    await this.#expectNothingOut(events);
    expect(await readdir(this.checkouts)).toEqual([]);
    const after = await readdir(this.place.settings.dataDir);
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
    const own = events.map(({ event }) => asRunEvent(event)).filter((event) => event !== null);
    const changes = own.find((event) => event.type === "CUSTOM" && event.name === "repository.changes");
    return {
      run: await job.run(runId),
      events,
      results: resultsOf(own),
      reply: own.flatMap((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? [event.delta] : [])).join(""),
      changes: changes?.type === "CUSTOM" && changes.name === "repository.changes" ? changes.value : null,
    };
  }

  /** What the model was told beside the conversation, in the last run. */
  systemPrompt(): string {
    return this.#model.systemPrompt();
  }

  /** The tree that a patch makes of a commit, as another git sees it: names, modes and contents. */
  applied(sha: string, patch: string): string {
    const env = { GIT_INDEX_FILE: join(this.repository.path, "applied") };
    this.repository.git(["read-tree", sha], { env });
    if (patch !== "") this.repository.git(["apply", "--cached", "--binary"], { env, input: patch });
    return this.repository.git(["-c", "core.quotePath=false", "diff-index", "--cached", "--raw", sha], {
      env,
    });
  }

  async close(): Promise<void> {
    await this.#service.stop();
    await this.#model.close();
    await this.#codeHost.close();
    await this.place.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #job(sha: string): Promise<CiJob> {
    const { issuer } = this.#codeHost;
    const claims = { aud: AUDIENCE, repository: REPOSITORY, sha, event_name: "push" };
    const answer = await call(`${this.#service.url}/v1/ci/oidc/exchange`, {
      method: "POST",
      json: { subject_token: issuer.sign(issuer.githubClaims(claims)) },
    });
    const exchanged = exchangeResponseSchema.parse(answer.body);
    return new CiJob({
      fixture: { call: (path, options) => call(this.#service.url + path, options) },
      exchanged,
    });
  }

  async #expectNothingOut(events: readonly StoredRunEvent[]): Promise<void> {
    const told = [JSON.stringify(events), ...this.#model.requests.map(({ body }) => JSON.stringify(body))];
    for (const text of [...told, this.#service.logText()])
      expect(text.includes(this.outside.secret)).toBe(false);
    // Where the service lies is nobody's business either.
    for (const text of told) expect(text.includes(this.place.settings.dataDir)).toBe(false);
    await this.outside.expectUntouched();
  }
}

/** After a change without a command the model is asked once to verify it: it says its last word again. */
function lastTwice(steps: readonly Step[]): readonly Step[] {
  return [...steps, ...steps.slice(-1)];
}

/** In the order of the calls: reads of one turn end in any. */
function resultsOf(events: readonly RunEvent[]): string[] {
  const answers = new Map<string, string>();
  for (const event of events) {
    if (event.type === "TOOL_CALL_START") answers.set(event.toolCallId, "");
    if (event.type === "TOOL_CALL_RESULT") answers.set(event.toolCallId, event.content);
  }
  return [...answers.values()];
}

function clones(place: StorePlace, { gitTimeoutMs, maxCheckoutBytes = 1_000_000_000 }: HostileOptions) {
  return gitCheckouts({
    folder: join(place.settings.dataDir, "checkouts"),
    limits: {
      maxBytes: 1_000_000_000,
      maxCheckoutBytes,
      cloneTimeoutMs: 60_000,
      maxUnfoldedBytes: 20_000_000_000,
      maxCpuSeconds: 60,
    },
    environment: { PATH: process.env.PATH },
    ...(gitTimeoutMs === undefined ? {} : { gitTimeoutMs }),
  });
}

function modelConfig(model: ModelServer, place: StorePlace): Pick<Config, "backend" | "model" | "sandbox"> {
  const config = readConfig(
    { DATA_DIR: place.settings.dataDir },
    {
      PATH: process.env.PATH,
      BACKEND: "model",
      MODEL: "scripted-model",
      MODEL_BASE_URL: model.baseUrl,
      MODEL_API_KEY: KEY,
    },
  );
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  const { backend, model: settings, sandbox } = config.value;
  return { backend, model: settings, sandbox };
}
