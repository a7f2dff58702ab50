// What a scenario plays on: a code host with a real repository, the real service in this process behind a proxy that can
// go wrong, and the built Action as a child process. Every step that runs here is searched for secrets out of place.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type CodeHost, type CodeHostJob, startCodeHost } from "../../fakes/code-host/code-host.ts";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { type ActionResult, type RunActionOptions, runAction } from "../../fakes/runner/run-action.ts";
import type { Visibility } from "../../src/contract/ci/exchange.ts";
import type { StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import type { Config } from "../../src/service/settings/config.ts";
import type { ManualClock } from "./clock-manual.ts";
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from "./fault-proxy.ts";
import { startTestService, type TestService } from "./service.ts";
import { type StorePlace, storeKinds } from "./stores.ts";

export const REPOSITORY = "octo-org/octo-repo";

export type SceneOptions = {
  /** The service's own unless told. */
  readonly backend?: Backend;
  readonly config?: Partial<Config>;
  /** For the service and for the times in tokens. */
  readonly clock?: ManualClock;
  readonly visibility?: Visibility;
};

export type StepOptions = Partial<Pick<RunActionOptions, "env" | "inputs" | "kill" | "onLine" | "signal">>;

export type StepResult = ActionResult & {
  /** What reached the proxy while the step ran. */
  readonly requests: readonly ProxiedRequest[];
};

export type RunRow = {
  readonly id: string;
  readonly status: string;
  readonly cause: string | null;
  readonly refunded_micro_usd: number;
};

export class Fixture {
  readonly forge: CodeHost;
  readonly proxy: FaultProxy;
  readonly place: StorePlace;
  /** Bare, with one commit on `main`. */
  readonly repository: TestRepository;
  readonly #options: SceneOptions;
  readonly #folder: string;
  #service: TestService;
  #earlierLogs = "";
  #workflowRuns = 1_296_269_000;

  static async open(options: SceneOptions = {}): Promise<Fixture> {
    const folder = await mkdtemp(join(tmpdir(), "fixture-"));
    const repository = new TestRepository(folder, "octo-repo.git");
    repository.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
    repository.commit({ files: repositoryFiles, subject: "Say hello" });
    const { visibility = "public", clock } = options;
    const forge = await startCodeHost({
      repositories: { [REPOSITORY]: { path: repository.path, visibility } },
      ...(clock === undefined ? {} : { now: clock.now }),
    });
    const proxy = await startFaultProxy();
    const place = await storeKinds[0]?.make();
    if (place === undefined) throw new Error("There is no store.");
    const service = await startTestService(serviceOptions({ forge, proxy, place, options }));
    proxy.forwardTo(service.url);
    return new Fixture({ forge, proxy, place, repository, options, folder, service });
  }

  private constructor(parts: {
    forge: CodeHost;
    proxy: FaultProxy;
    place: StorePlace;
    repository: TestRepository;
    options: SceneOptions;
    folder: string;
    service: TestService;
  }) {
    this.forge = parts.forge;
    this.proxy = parts.proxy;
    this.place = parts.place;
    this.repository = parts.repository;
    this.#options = parts.options;
    this.#folder = parts.folder;
    this.#service = parts.service;
  }

  /** The service's base URL, as the world knows it. */
  get url(): string {
    return this.proxy.url;
  }

  get serviceUrl(): string {
    return this.#service.url;
  }

  /** Every line that the service has logged. */
  logText(): string {
    return this.#earlierLogs + this.#service.logText();
  }

  /** A job in a workflow run of its own. */
  async job(options: JobOptions = {}): Promise<CodeHostJob> {
    this.#workflowRuns += 1;
    return await this.forge.job({ runId: String(this.#workflowRuns), ...options });
  }

  /** The main step of a job. */
  async main(job: CodeHostJob, options: StepOptions = {}): Promise<StepResult> {
    return await this.#step(job, { entry: "main", ...options });
  }

  /** The post step, with the inputs and the state that the main step had. */
  async post(job: CodeHostJob, main: ActionResult, options: StepOptions = {}): Promise<StepResult> {
    return await this.#step(job, { entry: "post", state: main.state, ...options });
  }

  /** Stops the service as an operator does. */
  async stop(): Promise<void> {
    await this.#service.stop();
  }

  /** Starts the service again, at the same address and with the same data. */
  async start(config: Partial<Config> = {}): Promise<void> {
    const { forge, proxy, place } = this;
    this.#earlierLogs += this.#service.logText();
    const port = Number(new URL(this.#service.url).port);
    const options = { ...this.#options, config: { ...this.#options.config, ...config, port } };
    this.#service = await startTestService(serviceOptions({ forge, proxy, place, options }));
  }

  /** All runs, oldest first. */
  async runs(): Promise<RunRow[]> {
    const rows = await this.place.query(
      "select id, status, cause, refunded_micro_usd from runs order by submitted_at, id",
    );
    return rows.map((row) => ({
      id: String(row.id),
      status: String(row.status),
      cause: row.cause === null ? null : String(row.cause),
      refunded_micro_usd: Number(row.refunded_micro_usd),
    }));
  }

  /** The run of a step. */
  async run(step: ActionResult): Promise<RunRow> {
    const run = (await this.runs()).find(({ id }) => id === step.outputs["run-id"]);
    if (run === undefined) throw new Error(`There is no run "${step.outputs["run-id"]}".`);
    return run;
  }

  /** What the service has stored of a run's stream. */
  async storedEvents(runId: string): Promise<StoredRunEvent[]> {
    const rows = await this.place.query(
      `select seq, at, event from run_events where run_id = '${runId}' order by seq`,
    );
    return rows.map(({ seq, at, event }) => ({
      seq: Number(seq),
      at: new Date(Number(at)).toISOString(),
      event: JSON.parse(String(event)),
    }));
  }

  async close(): Promise<void> {
    await this.#service.stop();
    await Promise.all([this.proxy.close(), this.forge.close(), this.place.remove()]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #step(
    job: CodeHostJob,
    step: StepOptions & Pick<RunActionOptions, "entry" | "state">,
  ): Promise<StepResult> {
    const before = this.proxy.requests.length;
    const result = await runAction({
      ...step,
      env: { ...job.env, ...step.env },
      inputs: { "base-url": this.url, "github-token": job.githubToken, ...step.inputs },
    });
    const foreign = requestsOfOthers(job, this.proxy.requests);
    const requests = this.proxy.requests.slice(before).filter((request) => !foreign.has(request));
    await expectNoSecretOutOfPlace({ job, result, requests, logText: this.logText() });
    return { ...result, requests };
  }
}

function serviceOptions(parts: {
  forge: CodeHost;
  proxy: FaultProxy;
  place: StorePlace;
  options: SceneOptions;
}) {
  const { forge, proxy, place, options } = parts;
  const { backend, clock, config } = options;
  return {
    forge,
    place,
    ...(backend === undefined ? {} : { backend }),
    ...(clock === undefined ? {} : { clock }),
    config: { baseUrl: proxy.url, ...config },
  };
}

/** The step's NDJSON file. */
export async function eventsOf(step: ActionResult): Promise<StoredRunEvent[]> {
  const text = await readFile(step.outputs["events-file"] ?? "", "utf8");
  if (text !== "" && !text.endsWith("\n")) throw new Error("The events file ends in the middle of a line.");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

export async function replyOf(step: ActionResult): Promise<string> {
  return await readFile(step.outputs["reply-file"] ?? "", "utf8");
}

/** "POST /v1/agents/…/runs" as the route's name, in the order of arrival. */
export function routesOf(step: StepResult): string[] {
  return step.requests.map(({ route }) => route);
}

/** The claims of the ID tokens that a step sent. */
export function sentTokens(step: StepResult): Record<string, unknown>[] {
  return idTokensIn(step.requests).map(claimsOf);
}

/**
 * A job's tokens go where they belong and nowhere else: the ID token into an exchange's body, the capability into a
 * header and the step's state, both masked before anything else, and nothing of the runner's own to the service.
 */
async function expectNoSecretOutOfPlace(seen: {
  job: CodeHostJob;
  result: ActionResult;
  requests: readonly ProxiedRequest[];
  logText: string;
}): Promise<void> {
  const { job, result, requests, logText } = seen;
  const idTokens = idTokensIn(requests);
  const capabilities = capabilitiesIn(requests);
  const received = capabilitiesIn(requests.filter(({ fault }) => fault !== "lost" && fault !== "halved"));
  const runnersOwn = [job.idTokenRequestToken, job.githubToken];
  const files = await leftFiles(result);

  expect(result.injectedCommands).toEqual([]);
  expect(result.masks).toEqual(expect.arrayContaining([...idTokens, ...received]));
  const printed = result.rawLog
    .split("\n")
    .filter((line) => !line.startsWith("::add-mask::"))
    .join("\n");
  const { capability: _capability, ...otherState } = result.state;
  const readable = [
    printed,
    result.summary,
    JSON.stringify(result.outputs),
    JSON.stringify(otherState),
    files,
  ];
  for (const secret of [...idTokens, ...capabilities, ...runnersOwn]) {
    for (const text of [...readable, logText])
      expect(text.includes(secret), excerptAround(text, secret)).toBe(false);
  }
  for (const { route, path, headers, body } of requests) {
    const { authorization = "", ...otherHeaders } = headers;
    const rest = path + JSON.stringify(otherHeaders);
    for (const secret of [...idTokens, ...capabilities, ...runnersOwn]) expect(rest).not.toContain(secret);
    for (const secret of [...capabilities, ...runnersOwn]) expect(body).not.toContain(secret);
    for (const secret of [...idTokens, ...runnersOwn]) expect(authorization).not.toContain(secret);
    if (route !== "exchange") for (const token of idTokens) expect(body).not.toContain(token);
  }
  const claimToken = /svc_claim_/;
  for (const text of [
    logText,
    JSON.stringify(result.state),
    ...requests.map(({ path, body }) => path + body),
  ]) {
    expect(text).not.toMatch(claimToken);
  }
}

/** Another job may play at the same time: what goes by its ID token, and by the capability that it got for that. */
function requestsOfOthers(
  { claims }: CodeHostJob,
  requests: readonly ProxiedRequest[],
): ReadonlySet<ProxiedRequest> {
  const isTheirs = (token: string) => String(claimsOf(token).run_id) !== claims.run_id;
  const exchanges = requests.filter((request) => idTokensIn([request]).some(isTheirs));
  const bearers = new Set(capabilitiesIn(exchanges).map((capability) => `Bearer ${capability}`));
  return new Set([
    ...exchanges,
    ...requests.filter(({ headers }) => bearers.has(headers.authorization ?? "")),
  ]);
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

function idTokensIn(requests: readonly ProxiedRequest[]): string[] {
  const exchanges = requests.filter(({ route }) => route === "exchange");
  return exchanges.map(({ body }) => String(JSON.parse(body).subject_token));
}

function capabilitiesIn(requests: readonly ProxiedRequest[]): string[] {
  const granted = requests.filter(({ route, answer }) => route === "exchange" && answer?.status === 200);
  return granted.map(({ answer }) => String(JSON.parse(answer?.body ?? "{}").access_token));
}

async function leftFiles(result: ActionResult): Promise<string> {
  const paths = [result.outputs["reply-file"], result.outputs["events-file"]];
  const texts = await Promise.all(paths.map((path) => (path ? readFile(path, "utf8") : "")));
  return texts.join("\n");
}

/** Where a secret stands, without saying it. */
function excerptAround(text: string, secret: string): string {
  const at = text.indexOf(secret);
  return at < 0 ? "" : `a secret after: ${text.slice(Math.max(0, at - 200), at)}`;
}

const repositoryFiles = {
  "README.md": "# Octo repo\n\nGreets whoever asks.\n",
  "package.json": JSON.stringify({
    name: "octo-repo",
    version: "1.0.0",
    scripts: { build: "tsc", test: "vitest run" },
  }),
  "src/index.ts": "export const greet = (name: string): string => name; // TODO: say hello\n",
};
