// A CI job that holds a capability: submits, reads and cancels runs over the socket.

import type { ExchangeResponse } from "../../src/contract/ci/exchange.ts";
import { type CiRunPage, ciRunPageSchema } from "../../src/contract/ci/run-page.ts";
import { type Run, runSchema, submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import type { StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import type { Answer, Call } from "./service-client.ts";

/** Whatever carries calls to a service. */
export type Caller = { call(path: string, options?: Call): Promise<Answer> };

export type ReadQuery = { readonly after?: number; readonly wait?: number; readonly limit?: number };

export class CiJob {
  readonly exchanged: ExchangeResponse;
  readonly #fixture: Caller;

  constructor(parts: { fixture: Caller; exchanged: ExchangeResponse }) {
    this.#fixture = parts.fixture;
    this.exchanged = parts.exchanged;
  }

  get bearer(): string {
    return this.exchanged.access_token;
  }

  get agentId(): string {
    return this.exchanged.agent_id;
  }

  get runsPath(): string {
    return `/v1/agents/${this.agentId}/runs`;
  }

  async call(path: string, options: Call = {}): Promise<Answer> {
    return await this.#fixture.call(path, { bearer: this.bearer, ...options });
  }

  async submit(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return await this.call(this.runsPath, { method: "POST", json: body, headers });
  }

  /** Submits, and expects to be let. Returns the run's id. */
  async start(message = "go"): Promise<string> {
    const answer = await this.submit({ message });
    if (answer.status !== 202) throw new Error(`The run was refused: ${answer.text}`);
    return submitRunResponseSchema.parse(answer.body).run_id;
  }

  async run(runId: string): Promise<Run> {
    return runSchema.parse((await this.call(`${this.runsPath}/${runId}`)).body);
  }

  async cancel(runId: string): Promise<Answer> {
    return await this.call(`${this.runsPath}/${runId}/cancel`, { method: "POST" });
  }

  async read(runId: string, query: ReadQuery = {}, options: Call = {}): Promise<Answer> {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    return await this.call(`/v1/ci/runs/${runId}?${search}`, options);
  }

  async page(runId: string, query: ReadQuery = {}): Promise<CiRunPage> {
    return ciRunPageSchema.parse((await this.read(runId, query)).body);
  }

  /** Reads until an event of this type is there. Returns all events so far. */
  async readUntil(runId: string, isThere: (event: StoredRunEvent) => boolean): Promise<StoredRunEvent[]> {
    const events: StoredRunEvent[] = [];
    for (let after = 0; ; ) {
      const page = await this.page(runId, { after, wait: 30 });
      events.push(...page.events);
      after = page.next;
      if (page.done || page.events.some(isThere)) return events;
    }
  }

  /** Reads the whole stream, to the run's end. */
  async follow(runId: string): Promise<StoredRunEvent[]> {
    return await this.readUntil(runId, () => false);
  }

  /** Waits for the run's end. */
  async ended(runId: string): Promise<Run> {
    await this.follow(runId);
    return await this.run(runId);
  }
}
