// Clients that use a service until it is killed, and remember all that it acknowledged: to be held against what the
// next one knows.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { ciRunPageSchema } from "../../src/contract/ci/run-page.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import type { StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import type { CiJob } from "./service-job.ts";

export type SeenRun = { readonly runId: string; readonly events: StoredRunEvent[]; isDone: boolean };

const SUBMITTERS = 6;
const MAX_READERS = 40;

export class CrashLoad {
  /** Idempotency keys, and the runs that were acknowledged for them. */
  readonly keys = new Map<string, string | null>();
  readonly runs = new Map<string, SeenRun>();
  #observe: () => void = () => {};

  /**
   * Submits and reads until the service is gone. `onObservation` is called for everything that the service
   * acknowledged. Resolves when every client has noticed.
   */
  async press(job: CiJob, onObservation: () => void): Promise<void> {
    this.#observe = onObservation;
    const unread = [...this.runs.values()].filter(({ isDone }) => !isDone).slice(0, MAX_READERS);
    await Promise.all([
      ...unread.map((run) => untilGone(() => this.#read(job, run))),
      ...Array.from({ length: SUBMITTERS }, () => untilGone(() => this.#submitForever(job))),
    ]);
  }

  /** Submits again what was not acknowledged, and reads every run to its end. */
  async settle(job: CiJob): Promise<void> {
    for (const key of this.keys.keys()) await this.#submit(job, key);
    await Promise.all([...this.runs.values()].map((run) => this.#read(job, run)));
  }

  async #submitForever(job: CiJob): Promise<void> {
    for (;;) {
      const runId = await this.#submit(job, this.#takeKey());
      const run = this.runs.get(runId);
      if (run !== undefined) await this.#read(job, run);
    }
  }

  /** A key whose request was never answered, if there is one: its client tries again. */
  #takeKey(): string {
    for (const [key, runId] of this.keys) {
      if (runId !== null) continue;
      // Re-inserted last, so that the next client takes another.
      this.keys.delete(key);
      this.keys.set(key, null);
      return Math.random() < 0.5 ? key : this.#newKey();
    }
    return this.#newKey();
  }

  #newKey(): string {
    const key = randomUUID();
    this.keys.set(key, null);
    return key;
  }

  async #submit(job: CiJob, key: string): Promise<string> {
    for (;;) {
      const answer = await job.submit({ message: `Work on ${key}.` }, { "idempotency-key": key });
      if (answer.status === 409) continue;
      expect(answer.status, answer.text).toBe(202);
      const { run_id: runId } = submitRunResponseSchema.parse(answer.body);
      expect(this.keys.get(key) ?? runId).toBe(runId);
      this.keys.set(key, runId);
      if (!this.runs.has(runId)) this.runs.set(runId, { runId, events: [], isDone: false });
      this.#observe();
      return runId;
    }
  }

  async #read(job: CiJob, run: SeenRun): Promise<void> {
    while (!run.isDone) {
      const after = run.events.length;
      const answer = await job.read(run.runId, { after, wait: 30 });
      expect(answer.status, answer.text).toBe(200);
      const page = ciRunPageSchema.parse(answer.body);
      // Another client may have read the same meanwhile.
      if (run.events.length !== after) continue;
      expect(page.events.map(({ seq }) => seq)).toEqual(page.events.map((_, index) => after + index + 1));
      run.events.push(...page.events);
      run.isDone = page.done;
      for (const _ of page.events) this.#observe();
    }
  }
}

/** Runs until the connection breaks. Anything else that goes wrong is the test's to hear. */
async function untilGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
  }
}
