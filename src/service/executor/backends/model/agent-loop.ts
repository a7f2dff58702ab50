// The agent loop: request an answer, execute its tool calls, request again with the results, until it calls nothing or a bound is
// reached.
// Why: docs/decisions/021-the-loop.md

import { assertNever } from "../../../../base/assert-never.ts";
import { OUTPUT_EVENT } from "../../../../contract/runs/run-event.ts";
import type { StopReason } from "../../../../contract/runs/stop-reason.ts";
import type { Checkout } from "../../../core/ports/checkout.ts";
import { sumOf } from "../../../core/runs/usage.ts";
import { BackendFailure, type BackendOutcome, type BackendTask } from "../../backend.ts";
import type { Tool } from "../../tools/tool.ts";
import { AnswerEvents } from "./answer-events.ts";
import { callTools, declineCalls } from "./call-tools.ts";
import type { Conversation } from "./conversation.ts";
import { toolSetOf } from "./model-call.ts";
import type { ModelRequests, Reply } from "./model-requests.ts";
import type { OutputForm } from "./output-schema.ts";
import { RepeatedCalls } from "./repeated-calls.ts";
import { findObjections } from "./reviewer.ts";
import type { SpendingBound } from "./spending.ts";

const LAST_TURN_NOTE =
  "[No turn is left after this one. Call no tool: answer now with what you know, and say what is left undone.]";
const EMPTY_NOTE = "[Your answer was empty. Go on, or say what you found.]";

export type AgentLoopOptions = {
  readonly task: BackendTask;
  readonly checkout: Checkout;
  readonly tools: readonly Tool<unknown>[];
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
};

type FullReply = Extract<Reply, { ok: true }>;

export class AgentLoop {
  readonly #options: AgentLoopOptions;
  readonly #repeated = new RepeatedCalls();
  readonly #toolSet: ReturnType<typeof toolSetOf>;
  #events: AnswerEvents;
  #hasActed = false;
  #hasWritten = false;
  /** Work that is done once a run. */
  readonly #done = new Set<"nudge" | "review" | "repair">();

  constructor(options: AgentLoopOptions) {
    this.#options = options;
    this.#toolSet = toolSetOf(options.tools);
    this.#events = new AnswerEvents(options.task);
  }

  /** Rejects with a `BackendFailure`, or with the signal's reason. */
  async run(): Promise<BackendOutcome> {
    const { conversation, maxTurns } = this.#options;
    for (let turn = 1; ; turn += 1) {
      // A model that repeats one call gets no more turns, but is asked for an answer once more.
      const bound = this.#repeated.isStuck ? "repeated_calls" : turn >= maxTurns ? "max_turns" : null;
      const isLast = bound !== null;
      const isToldSo = isLast && turn > 1;
      if (isToldSo) conversation.say(LAST_TURN_NOTE);
      const reply = await this.#ask();
      if (!reply.ok) return { stopReason: this.#stopAt(reply.bound) };
      const { answer } = reply;
      conversation.add(...answer.messages.filter(({ content }) => content.length > 0));
      if (answer.calls.length > 0 && !isLast) {
        await this.#executeRun(reply);
        continue;
      }
      await declineCalls(answer.calls, this.#events);
      if (bound !== null && answer.calls.length > 0) return { stopReason: bound };
      if (answer.finish === "filter") return { stopReason: "content_filter" };
      if (answer.finish === "length")
        return { stopReason: reply.shortOf === null ? "length" : this.#stopAt(reply.shortOf) };
      const objection = await this.#objectTo(reply, { isLast });
      if (objection === null) return { stopReason: bound !== null && isToldSo ? bound : "end_turn" };
      conversation.say(objection);
    }
  }

  #stopAt(bound: SpendingBound): StopReason {
    switch (bound) {
      case "max_tokens":
        return "max_tokens";
      case "credits":
        return sumOf(this.#options.task.meter.usage, "calls") === 0 ? "insufficient_credits" : "credits";
      case "cap":
        throw new TypeError("The agent's own model has no cap.");
      default:
        return assertNever(bound);
    }
  }

  async #ask(): Promise<Reply> {
    const { requests, modelId, instructions, conversation, maxOutputTokens, task } = this.#options;
    return await requests.send({
      role: "executor",
      modelId,
      instructions,
      tools: this.#toolSet,
      conversation,
      maxOutputTokens,
      capMicroUsd: null,
      listen: () => {
        this.#events = new AnswerEvents(task);
        return this.#events;
      },
    });
  }

  async #executeRun({ answer: { calls } }: FullReply): Promise<void> {
    const { tools, task, checkout, conversation } = this.#options;
    const events = this.#events;
    const results = await callTools({ calls, tools, task, checkout, events, repeated: this.#repeated });
    this.#hasActed = true;
    this.#hasWritten ||= results.hasWritten;
    conversation.add(results.message);
  }

  /** The next follow-up on the model's answer, each at most once, or null when the answer is final. */
  async #objectTo(reply: FullReply, { isLast }: { isLast: boolean }): Promise<string | null> {
    const { modelId } = this.#options;
    if (reply.text.trim() === "") {
      if (!isLast && this.#isFirst("nudge")) return EMPTY_NOTE;
      if (!this.#hasActed) {
        throw new BackendFailure(`The model "${modelId}" gave no answer. Run it again.`, {
          isRetryable: true,
        });
      }
    }
    const objections = isLast ? null : await this.#review();
    return objections ?? (await this.#checkOutput(reply.text));
  }

  async #review(): Promise<string | null> {
    const { conversation, requests, reviewerId: modelId, checkout } = this.#options;
    if (modelId === null || !this.#hasWritten || !this.#isFirst("review")) return null;
    const { files, patch } = await checkout.workingChanges();
    if (files.length === 0) return null;
    const objections = await findObjections({ modelId, requests, conversation, patch });
    if (objections === null) return null;
    return `[Another model reviewed your work and objects. Fix what it is right about, say briefly where it is wrong, then give your final answer again.]\n${objections}`;
  }

  /** Emits the reply as data if it is valid. Throws a `BackendFailure` when it was invalid twice. */
  async #checkOutput(text: string): Promise<string | null> {
    const { form, task } = this.#options;
    if (form === null) return null;
    const checked = form.check(text);
    if (checked.ok) {
      await task.emit({ type: "CUSTOM", name: OUTPUT_EVENT, value: checked.value });
      return null;
    }
    if (this.#isFirst("repair")) {
      return `[Your answer does not fit the JSON Schema: ${checked.faults}. Answer again with the JSON value alone.]`;
    }
    throw new BackendFailure(
      `The model's reply does not fit output_schema, even after a second try: ${checked.faults}.`,
      { isRetryable: true, chargedFor: "output_schema" },
    );
  }

  #isFirst(what: "nudge" | "review" | "repair"): boolean {
    const isFirst = !this.#done.has(what);
    this.#done.add(what);
    return isFirst;
  }
}
