// The tasks of the conformance suite: work that takes a while, fails, or asks its client.

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Clock } from "../../../src/base/clock.ts";
import type { TaskCreated, Tasks } from "../../../src/service/api/mcp/surface.ts";

type Inputs = Readonly<Record<string, object>>;
type Task = {
  readonly id: string;
  readonly createdAt: string;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  pending: Record<string, object>;
  readonly answers: Record<string, unknown>;
  result?: object;
  error?: object;
};

/** What a task does: after `ms`, and once its inputs are there. */
export type Work = {
  readonly ms?: number;
  readonly inputs?: Inputs;
  end(answers: Readonly<Record<string, unknown>>): { readonly result: object } | { readonly error: object };
};

export class ConformanceTasks implements Tasks {
  readonly #tasks = new Map<string, Task>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(work: Work): TaskCreated {
    const id = `task-${this.#tasks.size + 1}-${Math.trunc(this.#clock.now())}`;
    const pending = { ...work.inputs };
    const status = Object.keys(pending).length === 0 ? "working" : "input_required";
    const createdAt = new Date(this.#clock.now()).toISOString();
    const task: Task = { id, createdAt, status, pending, answers: {} };
    this.#tasks.set(id, task);
    const end = () => {
      if (task.status === "cancelled" || Object.keys(task.pending).length > 0) return;
      Object.assign(task, work.end(task.answers));
      task.status = "error" in task && task.error !== undefined ? "failed" : "completed";
    };
    if (status === "working") void this.#clock.sleep(work.ms ?? 0).then(end);
    else this.#resume.set(id, end);
    return { resultType: "task", ...view(task) };
  }

  readonly #resume = new Map<string, () => void>();

  get = async (taskId: string): Promise<object> => {
    const task = this.#find(taskId);
    const { status, pending, result, error } = task;
    return {
      ...view(task),
      ...(status === "input_required" ? { inputRequests: pending } : {}),
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error }),
    };
  };

  update = async (taskId: string, responses: Readonly<Record<string, unknown>>): Promise<void> => {
    const task = this.#find(taskId);
    for (const [key, answer] of Object.entries(responses)) {
      if (!(key in task.pending)) continue;
      task.answers[key] = answer;
      delete task.pending[key];
    }
    this.#resume.get(taskId)?.();
  };

  cancel = async (taskId: string): Promise<void> => {
    const task = this.#find(taskId);
    if (task.status === "working" || task.status === "input_required") task.status = "cancelled";
  };

  #find(taskId: string): Task {
    const task = this.#tasks.get(taskId);
    if (task !== undefined) return task;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such task.");
  }
}

function view({ id, status, createdAt }: Task) {
  return {
    taskId: id,
    status,
    createdAt,
    lastUpdatedAt: createdAt,
    ttlMs: 60_000,
    pollIntervalMs: 100,
  };
}
