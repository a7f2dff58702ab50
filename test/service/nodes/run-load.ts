// Many runs over two API nodes, submitted and followed by clients that try again whatever breaks meanwhile: every run
// through both nodes, by poll through one and, for some, by socket through the other.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { type Client, createClient } from "../../../src/client/client.ts";
import { isTerminal, type Run } from "../../../src/contract/runs/run.ts";
import type { StoredRunEvent } from "../../../src/contract/runs/run-event.ts";
import type { NodesFixture } from "../../support/fixtures/nodes-fixture.ts";
import { amount } from "../../support/run/long.ts";
import type { CiJob } from "../../support/service-job.ts";
import { expectValidStream } from "../../support/service-streams.ts";

/** Half of them are more than the workers have slots for: some wait while others are at work. */
export const LOAD_RUNS = amount({ short: 120, long: 200 });
/** Each so many runs one is also followed over a socket. */
const SOCKET_EVERY = 10;
const RETRY = { attempts: 60, firstDelayMs: 20, maxDelayMs: 2_000 };

type Followed = { readonly runId: string; readonly stream: Promise<StoredRunEvent[]> };

export class RunLoad {
  readonly #nodes: NodesFixture;
  readonly #agentId: string;
  readonly #clients: readonly Client[];
  readonly #followed: Promise<Followed>[] = [];
  #acknowledged = 0;
  #ended = 0;
  #heldAtWork = 0;
  /** While there is no such file, runs of the second half stay at work. */
  #release: string | null = null;
  #failure: { readonly cause: unknown } | null = null;
  #watchers: (() => void)[] = [];

  /** Submits the first half now, the second once it has `begun`. */
  constructor(nodes: NodesFixture, job: CiJob) {
    this.#nodes = nodes;
    this.#agentId = job.agentId;
    this.#clients = nodes.apis.map(({ url }) =>
      createClient({ baseUrl: url, credential: () => job.bearer, retry: RETRY }),
    );
    this.#submitHalf("load");
  }

  /** Resolves once so many runs were acknowledged. */
  async acknowledged(count: number): Promise<void> {
    await this.#until(() => this.#acknowledged >= count);
  }

  /**
   * Resolves in the middle: some runs have ended, others are at work and stay so until `settle`, some wait. Call it once.
   */
  async begun(): Promise<void> {
    await this.#until(() => this.#ended > 0);
    this.#release = join(await mkdtemp(join(tmpdir(), "run-load-")), "release");
    this.#submitHalf(`hold ${this.#release}`);
    await this.#until(() => this.#heldAtWork > 0);
  }

  /** Reads every run to its end, and fails where one was lost, doubled or told wrongly. Returns them as they ended. */
  async settle(): Promise<readonly Run[]> {
    if (this.#release !== null) await writeFile(this.#release, "");
    const followed = await Promise.all(this.#followed);
    const streams = await Promise.all(followed.map(({ stream }) => stream));
    for (const stream of streams) await expectValidStream(stream);
    const runIds = followed.map(({ runId }) => runId);
    expect(new Set(runIds).size).toBe(LOAD_RUNS);
    const stored = await this.#nodes.place.query("select id from runs");
    expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(runIds));
    const runs = await Promise.all(
      runIds.map((runId, index) => this.#client(index).runs.get({ agentId: this.#agentId, runId })),
    );
    expect(runs.filter(({ status }) => !isTerminal(status))).toEqual([]);
    await this.#expectExecutedOnce(runs);
    if (this.#release !== null) await rm(dirname(this.#release), { recursive: true });
    return runs;
  }

  async #expectExecutedOnce(runs: readonly Run[]): Promise<void> {
    const executions = await this.#nodes.executions();
    expect([...executions.values()].filter((count) => count !== 1)).toEqual([]);
    for (const { id, status } of runs) if (status === "completed") expect(executions.has(id), id).toBe(true);
  }

  async #submit(index: number, message: string): Promise<Followed> {
    const { runId, sessionId } = await this.#client(index).runs.submit({
      agentId: this.#agentId,
      body: { message },
      idempotencyKey: `key-${index}`,
    });
    this.#acknowledged += 1;
    this.#look();
    const stream = this.#follow({ index, runId, sessionId });
    stream.catch((cause: unknown) => this.#fail(cause));
    return { runId, stream };
  }

  async #follow(run: { index: number; runId: string; sessionId: string }): Promise<StoredRunEvent[]> {
    const { index, runId, sessionId } = run;
    const other = this.#client(index + 1);
    const [polled, pushed] = await Promise.all([
      readRun(other, runId, () => this.#see(index)),
      index % SOCKET_EVERY === 0 ? readSession(this.#client(index), { sessionId, retry: RETRY }) : null,
    ]);
    if (pushed !== null) expect(pushed).toEqual(polled);
    this.#ended += 1;
    this.#look();
    return polled;
  }

  /** One that is read while it cannot end. */
  #see(index: number): void {
    if (index < LOAD_RUNS / 2) return;
    this.#heldAtWork += 1;
    this.#look();
  }

  #submitHalf(message: string): void {
    const first = this.#followed.length;
    for (let index = first; index < first + LOAD_RUNS / 2; index += 1)
      this.#followed.push(this.#submit(index, message));
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#failure !== null) throw this.#failure.cause;
      await new Promise<void>((resolve) => {
        this.#watchers.push(resolve);
      });
    }
  }

  /** Ends whoever waits; settle() rejects by itself. */
  #fail(cause: unknown): void {
    this.#failure ??= { cause };
    this.#look();
  }

  #look(): void {
    for (const wake of this.#watchers.splice(0)) wake();
  }

  #client(index: number): Client {
    const client = this.#clients[index % this.#clients.length];
    if (client === undefined) throw new Error("There is no API node.");
    return client;
  }
}

/** `onWord` is called at the first word that the agent says. */
async function readRun(client: Client, runId: string, onWord: () => void): Promise<StoredRunEvent[]> {
  const events: StoredRunEvent[] = [];
  for await (const { seq, at, event } of client.runs.follow({ runId, retry: RETRY })) {
    if (event.type === "TEXT_MESSAGE_START" && !events.some((one) => one.event.type === event.type)) onWord();
    events.push({ seq, at, event });
  }
  return events;
}

/** The events of a session's first run. */
export async function readSession(
  client: Client,
  session: { readonly sessionId: string; readonly retry: typeof RETRY },
): Promise<StoredRunEvent[]> {
  const events: StoredRunEvent[] = [];
  for await (const item of client.sessions.follow(session)) {
    if (item.type !== "event") continue;
    events.push({ seq: item.seq, at: item.at, event: item.event });
    // The run's status may come first, where the connection was lost meanwhile.
    if (item.event.type === "RUN_FINISHED" || item.event.type === "RUN_ERROR") return events;
  }
  return events;
}
