// Reads that many readers of a run ask for at the same moment, as when an event wakes them: done once, for all of them.

import type { Agent } from "../agents/agent.ts";
import type { SharedReading } from "../agents/reach-agent.ts";
import type { StoreReader } from "../ports/store.ts";
import type { RunRecord, StoredEvent } from "./run-record.ts";

declare module "../agents/reach-agent.ts" {
  interface SharedReading {
    findRun(runId: string): Promise<RunRecord | null>;
    listEvents(read: EventsRead): Promise<readonly StoredEvent[]>;
  }
}

type EventsRead = { readonly runId: string; readonly after: number; readonly limit: number };

export class SharedReads implements SharedReading {
  readonly #store: StoreReader;
  readonly #runs = new SharedRead<RunRecord | null>();
  readonly #agents = new SharedRead<Agent | null>();
  readonly #events = new SharedRead<readonly StoredEvent[]>();

  constructor(store: StoreReader) {
    this.#store = store;
  }

  findRun(runId: string): Promise<RunRecord | null> {
    return this.#runs.ask(runId, () => this.#store.runs.find(runId));
  }

  findAgent(agentId: string): Promise<Agent | null> {
    return this.#agents.ask(agentId, () => this.#store.agents.find(agentId));
  }

  listEvents({ runId, after, limit }: EventsRead): Promise<readonly StoredEvent[]> {
    return this.#events.ask(`${runId} ${after} ${limit}`, () =>
      this.#store.events.list({ runId, after, limit }),
    );
  }
}

/** A read begins after everybody who shares it has asked, so that each sees what was committed before. */
class SharedRead<Value> {
  readonly #asked = new Map<string, Promise<Value>>();

  ask(key: string, read: () => Promise<Value>): Promise<Value> {
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    const reading = Promise.resolve().then(() => {
      this.#asked.delete(key);
      return read();
    });
    this.#asked.set(key, reading);
    return reading;
  }
}
