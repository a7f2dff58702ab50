// Runs that stay at work until a test lets them end, with the task that their backend was given.

import type { Backend, BackendTask } from "../../src/service/executor/backend.ts";

export class HeldRuns {
  readonly #tasks = new Map<string, BackendTask>();
  readonly #ends = new Map<string, () => void>();
  readonly #waiting = new Map<string, (task: BackendTask) => void>();

  /** Stops where it is told to. */
  readonly backend: Backend = {
    name: "held",
    needsCheckout: false,
    run: async (task) => {
      await new Promise<void>((resolve, reject) => {
        this.#tasks.set(task.runId, task);
        this.#ends.set(task.runId, resolve);
        task.signal.addEventListener("abort", () => reject(task.signal.reason), { once: true });
        this.#waiting.get(task.runId)?.(task);
      });
      return { stopReason: "end_turn" };
    },
  };

  /** Resolves once the backend has it. */
  async begun(runId: string): Promise<BackendTask> {
    const known = this.#tasks.get(runId);
    return known ?? (await new Promise((resolve) => this.#waiting.set(runId, resolve)));
  }

  end(runId: string): void {
    this.#ends.get(runId)?.();
  }

  endAll(): void {
    for (const end of this.#ends.values()) end();
  }
}
