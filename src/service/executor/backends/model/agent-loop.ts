// The agent loop: request an answer, execute its tool calls, request again with the results, until it calls nothing or a bound is
// reached.
// Why: docs/decisions/021-the-loop.md

import { assertNever } from "../../../../base/assert-never.ts";
import { parkStops, type StopReason } from "../../../../contract/runs/run.ts";
import { NOTICE_EVENT } from "../../../../contract/runs/run-event.ts";
import type { Checkout } from "../../../core/checkouts/checkout.ts";
import { sumOf } from "../../../core/runs/usage.ts";
import { BackendFailure, type BackendOutcome, type BackendTask } from "../../backend.ts";
import type { ProjectScripts } from "../../checks/check-kinds.ts";
import type { BackgroundProcesses } from "../../processes/background-processes.ts";
import type { Elicitations } from "../../tools/mcp/elicitations.ts";
import type { Tool } from "../../tools/tool.ts";
import type { RequestStage } from "./allow-request.ts";
import { AnswerEvents } from "./answer-events.ts";
import { isLate, UsageNotices, wrapUpNote } from "./bounds.ts";
import { callTools, declineCalls } from "./call-tools.ts";
import type { Conversation } from "./conversation.ts";
import { CUT_CALL_RESULT, CutAnswers, withoutCutCalls } from "./cut-answers.ts";
import { FollowUps } from "./follow-ups.ts";
import { continuedNote, isSaidLast, type LeftLoop, TAKEN_UP_NOTE } from "./left-loop.ts";
import type { LoopJournal } from "./loop-journal.ts";
import type { GivenReply, LeftCalls, LoopPosition, Stopped } from "./loop-state.ts";
import { toolSetOf } from "./model-call.ts";
import type { ModelRequests, Reply } from "./model-requests.ts";
import type { OutputForm } from "./output-schema.ts";
import type { PendingQuestion } from "./question.ts";
import { RepeatedCalls } from "./repeated-calls.ts";
import type { SpendingBound } from "./spending.ts";
import { spokenOf } from "./thoughts.ts";

type AgentLoopOptions = {
  readonly task: BackendTask;
  readonly checkout: Checkout;
  readonly tools: readonly Tool<unknown>[];
  /** Null where there are none. */
  readonly processes: Pick<BackgroundProcesses, "hasAny"> | null;
  readonly modelId: string;
  /** Null where there is no reviewer. */
  readonly reviewerId: string | null;
  readonly instructions: string;
  readonly conversation: Conversation;
  readonly requests: ModelRequests;
  readonly maxTurns: number;
  readonly maxOutputTokens: number;
  /** Null: any reply will do. */
  readonly form: OutputForm | null;
  readonly question: PendingQuestion;
  /** What MCP servers ask people. Null: nobody can be asked. */
  readonly elicitations: Elicitations | null;
  /** The scripts of the project. */
  readonly scripts: ProjectScripts;
  /** Null where the run ends with its worker. */
  readonly journal: LoopJournal | null;
  /** Null for a run that begins. */
  readonly left: LeftLoop | null;
};

export class AgentLoop {
  readonly #options: AgentLoopOptions;
  readonly #repeated: RepeatedCalls;
  readonly #notices: UsageNotices;
  readonly #cutAnswers: CutAnswers;
  readonly #toolSet: ReturnType<typeof toolSetOf>;
  #events: AnswerEvents;
  readonly #followUps: FollowUps;
  #turn = 1;
  /** Turns before it count towards no limit. */
  #countedFrom: number;

  constructor(options: AgentLoopOptions) {
    this.#options = options;
    this.#toolSet = toolSetOf(options.tools);
    const left = options.left?.position;
    this.#repeated = new RepeatedCalls(left?.repeated);
    this.#notices = new UsageNotices(left?.toldShare);
    this.#cutAnswers = new CutAnswers(left?.cutAnswers);
    this.#followUps = new FollowUps(options, left?.followUps);
    this.#events = new AnswerEvents(options.task);
    this.#countedFrom = left?.countedFrom ?? 1;
  }

  /** Rejects with a `BackendFailure`, or with the signal's reason. */
  async run(): Promise<BackendOutcome> {
    const { left, task } = this.#options;
    const { stopped } = left?.position ?? {};
    if (stopped !== undefined && stopped !== "provider_unavailable" && left?.continued === null) {
      // Its worker was lost before it could park the run.
      task.journal?.complete();
      return { stopReason: stopped };
    }
    const outcome = await this.#work().catch(async (cause: unknown) => {
      const fault = cause instanceof BackendFailure ? cause.providerFault : null;
      if (fault !== null && (await this.#keepStopped({ turn: this.#turn, stopped: "provider_unavailable" })))
        await task.emit({ type: "CUSTOM", name: NOTICE_EVENT, value: { text: fault } });
      throw cause;
    });
    await this.#followUps.tellChecks();
    await task.beginTurn(this.#turn + 1);
    const stop = parkStops.find((one) => one === outcome.stopReason);
    if (stop !== undefined) await this.#keepStopped({ turn: this.#turn + 1, stopped: stop });
    return outcome;
  }

  /** Keeps the turn that comes next once somebody has continued the run. False where it is not parked. */
  async #keepStopped(stop: { readonly turn: number; readonly stopped: Stopped }): Promise<boolean> {
    const { task, journal } = this.#options;
    if (!task.mayPark || journal?.isKept !== true) return false;
    const place = { ...stop, bound: null, isToldSo: false };
    journal.at(() => this.#stateAt(place));
    await journal.keepStopped();
    return true;
  }

  /** Where the loop of another worker goes on. */
  #resume({ position, continued, calls }: LeftLoop): Pick<LoopPosition, "bound" | "isToldSo"> {
    const { conversation, task, journal } = this.#options;
    if (continued === null) {
      if (calls === null) conversation.say(TAKEN_UP_NOTE);
      return position;
    }
    if (continued.isByItself !== true) this.#countedFrom = position.turn;
    const { filesMayBeOthers } = task;
    if (filesMayBeOthers) journal?.filesMayHaveChanged();
    const note = continuedNote(continued, { stopped: position.stopped, filesMayBeOthers });
    // A try that had no answer has said so.
    if (!isSaidLast(note, conversation.messages)) conversation.say(note);
    return { bound: null, isToldSo: false };
  }

  async #work(): Promise<BackendOutcome> {
    const { conversation, question, task, left, journal } = this.#options;
    const begin: Pick<LoopPosition, "bound" | "isToldSo"> =
      left === null ? { bound: null, isToldSo: false } : this.#resume(left);
    let { bound, isToldSo } = begin;
    let calls = left?.calls ?? null;
    for (let turn = left?.position.turn ?? 1; ; turn += 1) {
      this.#turn = turn;
      await this.#options.task.beginTurn(turn);
      bound ??= this.#boundAt(turn);
      const isLast = bound !== null;
      if (bound !== null && turn > 1 && !isToldSo) {
        conversation.say(wrapUpNote(bound));
        isToldSo = true;
      }
      const place = { turn, bound, isToldSo };
      journal?.at(() => this.#stateAt(place));
      const begun = calls;
      calls = null;
      journal?.resume(begun);
      const reply = begun?.reply ?? (await this.#ask(isLast ? "last" : turn === 1 ? "first" : "work"));
      if (!reply.ok) {
        if (isLast || turn === 1) return { stopReason: bound ?? this.#stopAt(reply.bound) };
        bound = this.#stopAt(reply.bound);
        continue;
      }
      const { answer, cut } = withoutCutCalls(reply.answer);
      conversation.add(...answer.messages.flatMap(spokenOf));
      for (const { toolCallId } of cut)
        await this.#events.answer(this.#events.callId(toolCallId), CUT_CALL_RESULT, "none");
      // An answer that a bound made short is none of the model's limit.
      const goOn =
        isLast || reply.shortOf !== null ? null : this.#cutAnswers.next(answer, { text: reply.text, cut });
      if (answer.calls.length > 0 && !isLast) {
        await this.#executeCalls({ ...reply, answer }, { turn, left: begun });
        if (begun !== null) conversation.say(TAKEN_UP_NOTE);
        if (await question.show(task)) return { stopReason: "question" };
        if (goOn !== null) conversation.say(goOn);
        continue;
      }
      if (goOn !== null) {
        conversation.say(goOn);
        continue;
      }
      await this.#events.settle();
      const text = this.#cutAnswers.join(reply.text);
      await declineCalls(answer.calls, this.#events);
      if (bound !== null && answer.calls.length > 0) return { stopReason: bound };
      if (answer.finish === "filter") return { stopReason: "content_filter" };
      if (answer.finish === "length" || answer.finish === "pause") {
        if (reply.shortOf === null) return { stopReason: "length" };
        if (isLast) return { stopReason: bound ?? this.#stopAt(reply.shortOf) };
        bound = this.#stopAt(reply.shortOf);
        continue;
      }
      const objection = await this.#followUps.next(text, { isLast });
      if (objection === null) {
        if (bound !== null && isToldSo) return { stopReason: bound };
        return { stopReason: text.trim() === "" ? "empty_answer" : "end_turn" };
      }
      conversation.say(objection);
    }
  }

  #stateAt(place: Pick<LoopPosition, "turn" | "bound" | "isToldSo" | "stopped">) {
    const position: LoopPosition = {
      ...place,
      countedFrom: this.#countedFrom,
      repeated: this.#repeated.state,
      toldShare: this.#notices.told,
      cutAnswers: this.#cutAnswers.state,
      followUps: this.#followUps.state,
      ...this.#elicited(),
    };
    return { position, requests: this.#options.requests.state };
  }

  #elicited(): Pick<LoopPosition, "elicited"> {
    const elicited = this.#options.elicitations?.state ?? [];
    return elicited.length === 0 ? {} : { elicited };
  }

  /** The bound that makes a turn the last: a model that repeats one call gets no more, but is asked for an answer once more. */
  #boundAt(turn: number): StopReason | null {
    const { maxTurns, task } = this.#options;
    if (this.#repeated.isStuck) return "repeated_calls";
    if (turn - this.#countedFrom + 1 >= maxTurns) return "max_turns";
    return turn > 1 && isLate({ leftMs: task.deadline.leftMs(), limitMs: task.deadline.limitMs })
      ? "time_limit"
      : null;
  }

  #stopAt(bound: SpendingBound): StopReason {
    switch (bound) {
      case "max_tokens":
      case "max_cost":
        return bound;
      case "credits":
        return sumOf(this.#options.task.meter.usage, "calls") === 0 ? "insufficient_credits" : "credits";
      case "cap":
        throw new TypeError("The agent's own model has no cap.");
      default:
        return assertNever(bound);
    }
  }

  async #ask(stage: RequestStage): Promise<Reply> {
    const { requests, modelId, instructions, conversation, maxOutputTokens, task } = this.#options;
    const asking = requests.send({
      role: "executor",
      stage,
      modelId,
      instructions,
      tools: this.#toolSet,
      conversation,
      maxOutputTokens,
      capMicroUsd: null,
      mayBeSummarised: true,
      listen: () => {
        this.#events = new AnswerEvents(task, this.#events);
        return this.#events;
      },
    });
    const reply = await asking.catch(async (cause: unknown) => {
      // A stopped run's stream takes no more events: the executor closes what is open.
      await this.#events.settle().catch(() => {});
      throw cause;
    });
    if (!reply.ok) await this.#events.settle();
    return reply;
  }

  async #executeCalls(
    reply: GivenReply,
    { turn, left }: { readonly turn: number; readonly left: LeftCalls | null },
  ): Promise<void> {
    const { tools, task, checkout, conversation, maxTurns, journal, processes } = this.#options;
    const results = await callTools({
      turn,
      calls: reply.answer.calls,
      reply,
      left,
      tools,
      task,
      checkout,
      events: this.#events,
      repeated: this.#repeated,
      journal,
    });
    if (results.mayHaveChangedFiles || processes?.hasAny === true) journal?.filesMayHaveChanged();
    this.#followUps.record(results);
    conversation.add(...results.messages);
    const { budget } = task.meter;
    const notice = this.#notices.next({
      turns: { used: turn - this.#countedFrom + 1, limit: maxTurns },
      tokens: { used: budget.spent.tokens, limit: budget.maxTokens },
      cost:
        budget.maxCostMicroUsd === null
          ? null
          : { used: budget.spent.microUsd, limit: budget.maxCostMicroUsd },
    });
    if (notice !== null) conversation.say(notice);
  }
}
