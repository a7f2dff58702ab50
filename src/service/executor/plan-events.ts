// An agent's plan as events of its run: the whole list each time, and a step of the timeline for what is in progress.

import { singleLine } from "../../base/untrusted-text.ts";
import { PLAN_EVENT, type PlanStep } from "../../contract/runs/run-event.ts";
import type { BackendTask } from "./backend.ts";

const MAX_STEPS = 50;
const MAX_STEP_CHARS = 200;

export class PlanEvents {
  readonly #task: Pick<BackendTask, "emit">;
  readonly #openSteps = new Set<string>();
  readonly #doneSteps = new Set<string>();
  #last = "";

  constructor(task: Pick<BackendTask, "emit">) {
    this.#task = task;
  }

  /** Replaces the plan. Nothing is emitted where it is the same. Texts become one line, bounded. */
  async follow(plan: readonly PlanStep[]): Promise<void> {
    const steps = plan
      .map(({ text, status }) => ({ text: singleLine(text, MAX_STEP_CHARS), status }))
      .filter(({ text }) => text !== "")
      .slice(0, MAX_STEPS);
    const said = JSON.stringify(steps);
    if (said === this.#last) return;
    this.#last = said;
    await this.#task.emit({ type: "CUSTOM", name: PLAN_EVENT, value: { steps } });
    for (const step of steps) await this.#followStep(step);
  }

  /** Ends the steps that are in progress. Safe to repeat. */
  async close(): Promise<void> {
    for (const stepName of this.#openSteps) await this.#task.emit({ type: "STEP_FINISHED", stepName });
    this.#openSteps.clear();
  }

  /** An entry is a step from when it is in progress until it is completed. Names of steps are unique in a run. */
  async #followStep({ text: stepName, status }: PlanStep): Promise<void> {
    if (this.#doneSteps.has(stepName)) return;
    if (!this.#openSteps.has(stepName) && status !== "pending") {
      this.#openSteps.add(stepName);
      await this.#task.emit({ type: "STEP_STARTED", stepName });
    }
    if (status === "completed") {
      this.#openSteps.delete(stepName);
      this.#doneSteps.add(stepName);
      await this.#task.emit({ type: "STEP_FINISHED", stepName });
    }
  }
}
