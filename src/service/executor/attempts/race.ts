// Executes a run that makes several attempts: begins each as a child run, executes the repository's checks on the changes of each,
// chooses one, and takes over its reply and its changes.
// Why: docs/decisions/151-best-of-n.md

import type { ChecksEvent } from "../../../contract/runs/checks.ts";
import { stopReasons } from "../../../contract/runs/run.ts";
import type { Checkout } from "../../core/checkouts/checkout.ts";
import type { Core } from "../../core/core.ts";
import { cancelChild } from "../../core/runs/cancel-run.ts";
import { childIdOf, delegateRun, type RacingRun } from "../../core/runs/delegate-run.ts";
import type { TakenRun } from "../../core/runs/progress-run.ts";
import { readAttempt } from "../../core/runs/read-attempt.ts";
import type { BestOf, RunRecord } from "../../core/runs/run-record.ts";
import { BackendFailure, type BackendOutcome, type RepositoryTask } from "../backend.ts";
import { type ProjectChecks, readProjectChecks } from "../checks/project-checks.ts";
import { explainDelegation, untilEnded, usedBy } from "../child-runs.ts";
import type { Delegations } from "../delegations.ts";
import type { ChildShare } from "../run-budget.ts";
import { RunStopped } from "../stop-reason.ts";
import { AttemptEvents, type Judged } from "./attempt-events.ts";
import { type CheckSandbox, executeChecks, type FreshCopy } from "./check-copy.ts";
import {
  type AttemptResult,
  type Chosen,
  type Competing,
  candidatesOf,
  choiceWithoutJudge,
  costUsdOf,
  fewestChanges,
  type PlannedAttempt,
  patchOf,
} from "./choose-attempt.ts";
import { claimsPassed } from "./claimed-checks.ts";
import { judgeChoice, judgeMessages, judgeSchema, lettersOf } from "./judge.ts";

/** Of the time that is left, for the attempts; the rest is for checks and the judge. */
const ATTEMPTS_PART = 0.7;
const AFTER_CHECKS_PART = 0.1;
/** Of an attempt's share of the budget, what is left for the judge. */
const JUDGE_WEIGHT = 0.3;
/** Once one passes its checks, the others have as long again as it took, and this at least. */
const LEAST_PATIENCE_MS = 60_000;
/** For a cancelled attempt to end. */
const CANCELLED_WITHIN_MS = 15_000;
const MAX_JUDGE_MS = 5 * 60_000;

export type RaceOptions = {
  readonly core: Core;
  readonly taken: TakenRun;
  readonly bestOf: BestOf;
  readonly task: RepositoryTask;
  /** Of the run itself, as it is at its commit: the changes of the chosen attempt are made there. */
  readonly checkout: Checkout;
  readonly openCopy: () => Promise<FreshCopy | null>;
  /** Null: nothing is executed. */
  readonly checkSandbox: CheckSandbox | null;
  readonly lend: <Value>(wait: () => Promise<Value>) => Promise<Value>;
  readonly delegations: Delegations;
  /** The tokens of the run where it names no number. */
  readonly defaultTokens: number;
  /** Aborts when runs are to be given back to other workers. */
  readonly isLeaving: AbortSignal;
};

export async function raceAttempts(options: RaceOptions): Promise<BackendOutcome> {
  return await new Race(options).run();
}

/** For child runs, until they have ended or are cancelled. */
type Waiting = {
  readonly cancel: () => Promise<void>;
  /** They have ended. */
  readonly isOver: AbortController;
  /** They were cancelled, and have not ended soon after. */
  readonly gaveUp: AbortController;
};

function newWaiting(cancel: Waiting["cancel"]): Waiting {
  return { cancel, isOver: new AbortController(), gaveUp: new AbortController() };
}

class Race {
  readonly #options: RaceOptions;
  readonly #planned: readonly PlannedAttempt[];
  readonly #events: AttemptEvents;
  readonly #results: Map<number, AttemptResult>;
  /** Aborts with the run, and where this worker is to give it back. */
  readonly #signal: AbortSignal;
  readonly #waiting: Waiting;
  readonly #totalMs: number;
  readonly #checked = new Map<string, Promise<ChecksEvent["value"] | null>>();
  #project: ProjectChecks | null = null;
  #lastCheck: Promise<unknown> = Promise.resolve();
  #isLate = false;

  constructor(options: RaceOptions) {
    this.#options = options;
    const { bestOf, taken, task, isLeaving } = options;
    const { models, attempts } = bestOf;
    this.#planned = Array.from({ length: attempts }, (_, at) => ({
      number: at + 1,
      runId: childIdOf(taken.run, `attempt ${at + 1}`),
      model: models.length === 0 ? task.model : (models[at % models.length] ?? null),
    }));
    this.#results = new Map(this.#planned.map((one) => [one.number, { ...one, state: "running" }]));
    this.#signal = AbortSignal.any(task.journal?.isKept === true ? [task.signal, isLeaving] : [task.signal]);
    this.#totalMs = Math.max(0, task.deadline.leftMs());
    this.#events = new AttemptEvents(task);
    this.#waiting = newWaiting(async () => {
      this.#isLate = true;
      for (const { runId, state } of this.#results.values())
        if (state === "running") await this.#cancel(runId);
    });
  }

  async run(): Promise<BackendOutcome> {
    try {
      return await this.#work();
    } catch (cause) {
      const { task, isLeaving } = this.#options;
      if (isLeaving.aborted && !task.signal.aborted && task.journal?.isKept === true)
        throw new RunStopped("handover");
      throw cause;
    } finally {
      this.#waiting.isOver.abort();
    }
  }

  async #work(): Promise<BackendOutcome> {
    const { task, defaultTokens, checkout } = this.#options;
    const { budget } = task.meter;
    budget.limitTokens(defaultTokens);
    await this.#events.tellTakenUp();
    await task.resumeChildren();
    this.#project = await readProjectChecks(checkout);
    await this.#beginAll();
    const results = () => [...this.#results.values()];
    await this.#events.tellAttempts(results());
    if (results().every(({ state }) => state === "not_started")) {
      return { stopReason: budget.room.microUsd === null ? "max_tokens" : "max_cost" };
    }
    this.#cancelAfter(this.#totalMs * ATTEMPTS_PART, this.#waiting);
    const begun = results().filter(({ state }) => state === "running");
    await Promise.all(begun.map((one) => this.#follow(one)));
    this.#waiting.isOver.abort();
    const candidates = candidatesOf(results());
    if (candidates.length === 0) {
      await this.#events.tellAttempts(results());
      throw new BackendFailure(this.#noneText(), { reason: "model_failed", isRetryable: true });
    }
    const { chosen, judged } = await this.#choose(candidates);
    return await this.#adopt(candidates, { chosen, judged });
  }

  /** Each attempt that has not begun gets an equal share of what is left beside the judge's. */
  async #beginAll(): Promise<void> {
    const { task, taken } = this.#options;
    const { budget } = task.meter;
    const missing = this.#planned.filter(({ runId }) => !budget.knows(runId));
    let isSpent = false;
    for (const [at, attempt] of missing.entries()) {
      const part = 1 / (missing.length - at + JUDGE_WEIGHT);
      const share: ChildShare | null = isSpent ? null : budget.grantPart(attempt.runId, part);
      // None gets what another one was too poor to begin with.
      isSpent ||= share === null;
      const why =
        share === null
          ? "Too little of what the run may use is left for it."
          : await this.#begin(attempt.runId, {
              ...share,
              messages: taken.input.messages,
              timeLimitMs: Math.floor(this.#totalMs * ATTEMPTS_PART),
              race: {
                role: "attempt",
                model: this.#options.bestOf.models.length === 0 ? null : attempt.model,
                outputSchema: taken.input.outputSchema ?? null,
              },
            });
      if (why !== null) this.#results.set(attempt.number, { ...attempt, state: "not_started", why });
    }
  }

  /** Null: it has begun. Otherwise why not. */
  async #begin(
    runId: string,
    child: {
      readonly maxTurnTokens: number;
      readonly maxCostMicroUsd: number | null;
      readonly messages: TakenRun["input"]["messages"];
      readonly timeLimitMs: number;
      readonly race: RacingRun;
    },
  ): Promise<string | null> {
    const { core, taken, task, delegations } = this.#options;
    const { budget } = task.meter;
    const parent = { runId: taken.run.id, fence: taken.run.fence };
    const delegated = await delegations
      .start(() => delegateRun(core, { parent, runId, ...child }))
      .catch((cause: unknown) => {
        budget.release(runId);
        throw cause;
      });
    if (delegated.ok) return null;
    budget.release(runId);
    return explainDelegation(delegated.refusal);
  }

  /** Until it has ended, and its changes are checked. */
  async #follow(attempt: PlannedAttempt): Promise<void> {
    const { core } = this.#options;
    const ended = await this.#untilEnded(attempt.runId, this.#waiting);
    this.#signal.throwIfAborted();
    const out = (outcome: "too_late" | "failed", why: string) =>
      this.#results.set(attempt.number, { ...attempt, state: "out", outcome, why, run: ended });
    if (ended === null || ended.status === "cancelled") {
      out(this.#isLate ? "too_late" : "failed", this.#isLate ? "" : "It was cancelled.");
      return await this.#notice(attempt, this.#isLate ? "was cancelled: it took too long" : "was cancelled");
    }
    if (ended.status !== "completed") {
      const why = ended.cause ?? ended.status;
      out("failed", `It failed: ${why}.`);
      return await this.#notice(attempt, `failed: ${why}`);
    }
    const work = await readAttempt(core.store.committed, ended.id);
    const checks = await this.#checkOnce(work.changes?.patch ?? "");
    if (checks === null) {
      out("failed", "Its changes could not be made on a fresh copy.");
      return await this.#notice(attempt, "is out: its changes could not be made on a fresh copy");
    }
    const result: Competing = {
      ...attempt,
      state: "competes",
      run: ended,
      work,
      checks,
      claimsPassed: claimsPassed(work),
    };
    this.#results.set(attempt.number, result);
    await this.#notice(attempt, `has ended, and its checks on a fresh copy: ${checks.state}`);
    const tookMs = Math.max(0, (ended.endedAt ?? 0) - (ended.startedAt ?? 0));
    if (checks.state === "passed") this.#cancelAfter(Math.max(LEAST_PATIENCE_MS, tookMs), this.#waiting);
  }

  /** Null: it was cancelled, and has not ended in time. What it has used is counted. */
  async #untilEnded(runId: string, { gaveUp }: Waiting): Promise<RunRecord | null> {
    const { core, lend, task } = this.#options;
    const until = AbortSignal.any([this.#signal, gaveUp.signal]);
    const ended = await lend(() => untilEnded(core, runId, until)).catch((cause: unknown) => {
      if (this.#signal.aborted || !gaveUp.signal.aborted) throw cause;
      return null;
    });
    task.meter.budget.settle(runId, ended === null ? null : usedBy(ended));
    return ended;
  }

  async #cancel(runId: string): Promise<void> {
    const { core, taken } = this.#options;
    await cancelChild(core, { parentId: taken.run.id, runId });
  }

  /** Cancels what is waited for in `ms`; the earliest call counts. */
  #cancelAfter(ms: number, { cancel, isOver, gaveUp }: Waiting): void {
    const { core, taken } = this.#options;
    const until = AbortSignal.any([this.#signal, isOver.signal]);
    const work = async () => {
      await core.clock.sleep(ms, until);
      await cancel();
      await core.clock.sleep(CANCELLED_WITHIN_MS, until);
      gaveUp.abort();
    };
    void work().catch((cause: unknown) => {
      if (!until.aborted)
        core.log.warn({ run_id: taken.run.id, err: cause }, "a child run could not be cancelled");
    });
  }

  /** Attempts with the same changes are checked once; one copy at a time. Null: the changes do not apply. */
  async #checkOnce(patch: string): Promise<ChecksEvent["value"] | null> {
    const begun = this.#checked.get(patch);
    if (begun !== undefined) return await begun;
    const checking = this.#lastCheck.then(() => this.#check(patch));
    this.#lastCheck = checking.catch(() => {});
    this.#checked.set(patch, checking);
    return await checking;
  }

  async #check(patch: string): Promise<ChecksEvent["value"] | null> {
    const { openCopy, checkSandbox: place, task } = this.#options;
    this.#signal.throwIfAborted();
    const copy = await openCopy();
    if (copy === null) return null;
    try {
      if (patch !== "" && !(await copy.checkout.restore(patch)).ok) return null;
      if (place === null || this.#project === null) return { state: "none", results: [] };
      return await executeChecks({
        place,
        copy,
        project: this.#project,
        origin: task,
        egress: task.network.egress,
        leftMs: () => task.deadline.leftMs() - this.#totalMs * AFTER_CHECKS_PART,
        signal: this.#signal,
      });
    } finally {
      await copy.close();
    }
  }

  async #choose(
    candidates: readonly Competing[],
  ): Promise<{ readonly chosen: Chosen; readonly judged: Judged | null }> {
    const alone = choiceWithoutJudge(candidates);
    if (alone !== null) return { chosen: alone, judged: null };
    const answer = await this.#askJudge(candidates);
    const chosen: Chosen | null =
      answer.number === null
        ? fewestChanges(candidates)
        : { number: answer.number, outcome: "chosen_by_judge" };
    if (chosen === null) throw new TypeError("There is nothing to choose from.");
    return { chosen, judged: answer.judged };
  }

  /** One run without tools, with what is left of the budget. `number` null: it gave no answer. */
  async #askJudge(
    candidates: readonly Competing[],
  ): Promise<{ readonly number: number | null; readonly judged: Judged | null }> {
    const { core, taken, task } = this.#options;
    const { budget } = task.meter;
    const runId = childIdOf(taken.run, "judge");
    const letters = lettersOf(
      taken.run.id,
      this.#planned.map(({ number }) => number),
    );
    const timeLimitMs = Math.floor(Math.max(1, Math.min(MAX_JUDGE_MS, task.deadline.leftMs() / 2)));
    if (!budget.knows(runId)) {
      const share = budget.grantPart(runId, 1);
      if (share === null) return { number: null, judged: null };
      const messages = judgeMessages({ asked: taken.input.messages, candidates, letters });
      const race = {
        role: "judge" as const,
        model: null,
        outputSchema: judgeSchema({ candidates, letters }),
      };
      const why = await this.#begin(runId, { ...share, messages, timeLimitMs, race });
      if (why !== null) return { number: null, judged: null };
    }
    const waiting = newWaiting(() => this.#cancel(runId));
    this.#cancelAfter(timeLimitMs, waiting);
    const ended = await this.#untilEnded(runId, waiting);
    waiting.isOver.abort();
    const answered = ended?.status === "completed" ? await readAttempt(core.store.committed, runId) : null;
    const choice = judgeChoice(answered?.output ?? null, { candidates, letters });
    const judged = { run_id: runId, cost_usd: costUsdOf(ended), reason: choice?.reason ?? null };
    return { number: choice?.number ?? null, judged };
  }

  /** The reply, the changes and what else the chosen attempt has are the run's. */
  async #adopt(
    candidates: readonly Competing[],
    { chosen, judged }: { readonly chosen: Chosen; readonly judged: Judged | null },
  ): Promise<BackendOutcome> {
    const { checkout } = this.#options;
    const winner = candidates.find(({ number }) => number === chosen.number);
    if (winner === undefined) throw new TypeError("The chosen attempt is no candidate.");
    const { work, checks, run } = winner;
    const patch = patchOf(winner);
    if (patch !== "" && !(await checkout.restore(patch)).ok) {
      const text = "The changes of the chosen attempt do not apply to the run's commit. Run it again.";
      throw new BackendFailure(text, { reason: "git_failed", isRetryable: true });
    }
    await this.#events.tellAttempts([...this.#results.values()], { chosen, judged });
    await this.#events.tellWork(work, checks);
    return { stopReason: stopReasons.find((one) => one === run.stopReason) ?? "end_turn" };
  }

  async #notice({ number }: PlannedAttempt, what: string): Promise<void> {
    await this.#events.notice(`Attempt ${number} of ${this.#planned.length} ${what}.`);
  }

  #noneText(): string {
    const why = [...this.#results.values()].map((one) => {
      const detail = "why" in one && one.why !== "" ? one.why : "It took too long, and was cancelled.";
      return `Attempt ${one.number}: ${detail}`;
    });
    return `No attempt has ended with a result. ${why.join(" ")} Run it again.`;
  }
}
