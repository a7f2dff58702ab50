// Requests an answer of a model: pays for each request, retries transport failures, continues where an answer
// was cut, and trims the history when it becomes too long.

import type { ToolSet } from "ai";
import { type BackoffPolicy, nextDelayMs } from "../../../../base/backoff.ts";
import type { ModelRole } from "../../../core/runs/usage.ts";
import { BackendFailure, type BackendTask } from "../../backend.ts";
import type { AnswerListener } from "./answer-events.ts";
import { failureOf } from "./call-failure.ts";
import type { Conversation } from "./conversation.ts";
import { type Answer, callModel, type HeardUsage } from "./model-call.ts";
import type { ModelLimits, ModelSettings } from "./model-settings.ts";
import type { Provider } from "./provider.ts";
import { countTokens } from "./reported-usage.ts";
import type { Spending, SpendingBound } from "./spending.ts";
import { TokenEstimate } from "./token-estimate.ts";

const retries: BackoffPolicy = { attempts: 5, firstDelayMs: 1_000, maxDelayMs: 60_000 };
/** A server that was silent for minutes is asked once more, not five times. */
const MAX_LATE_RETRIES = 1;
const CUT_NOTE =
  "[The connection was cut there. Go on exactly where you stopped, without repeating it. No tool was called.]";

export type Question = {
  readonly role: ModelRole;
  readonly modelId: string;
  readonly instructions: string;
  readonly tools: ToolSet;
  /** Trimmed, and extended where an answer is continued. The caller adds the answer itself. */
  readonly conversation: Conversation;
  readonly maxOutputTokens: number;
  readonly capMicroUsd: number | null;
  /** A fresh one for each try. */
  listen(): AnswerListener;
};

export type Reply =
  /** `text` is all of it, also of an answer that came in several tries. `shortOf`: why it had less room than asked for. */
  | {
      readonly ok: true;
      readonly answer: Answer;
      readonly text: string;
      readonly shortOf: SpendingBound | null;
    }
  | { readonly ok: false; readonly bound: SpendingBound };

export type ModelRequestsOptions = {
  readonly settings: Pick<ModelSettings, "clock" | "random" | "apiKey">;
  readonly limits: ModelLimits;
  readonly provider: Provider;
  readonly task: Pick<BackendTask, "signal" | "traceparent">;
  readonly spending: Spending;
};

export class ModelRequests {
  readonly #options: ModelRequestsOptions;
  /** By model: each has its own tokenizer. */
  readonly #estimates = new Map<string, TokenEstimate>();

  constructor(options: ModelRequestsOptions) {
    this.#options = options;
  }

  /** Rejects with a `BackendFailure` when there is no answer, and with the signal's reason on abort. */
  async send(question: Question): Promise<Reply> {
    const { settings, task, spending, provider } = this.#options;
    const { modelId, role, conversation } = question;
    let said = "";
    let hasShortened = false;
    let late = 0;
    for (let attempt = 1; ; attempt += 1) {
      const inputTokens = this.#fit(question);
      const { maxOutputTokens: wanted, capMicroUsd } = question;
      const allowed = await spending.allow({
        role,
        modelId,
        inputTokens,
        maxOutputTokens: wanted,
        capMicroUsd,
      });
      task.signal.throwIfAborted();
      if (!allowed.ok) return allowed;
      const { maxOutputTokens, shortOf } = allowed;
      const outcome = await this.#call(question, { inputTokens, maxOutputTokens }).finally(() =>
        spending.release({ role }),
      );
      task.signal.throwIfAborted();
      if (outcome.ok) {
        const { answer } = outcome;
        return { ok: true, answer, text: said + answer.text, shortOf };
      }
      const nowMs = settings.clock.now();
      const failure = failureOf(outcome.cause, {
        host: provider.host,
        modelId,
        apiKey: settings.apiKey,
        nowMs,
      });
      if (failure.kind === "too_long" && !hasShortened) {
        hasShortened = true;
        const before = conversation.chars;
        conversation.fit(before / 2);
        if (conversation.chars < before) continue;
      }
      if (failure.kind === "late") late += 1;
      const isRetryable = failure.kind === "transient" || failure.kind === "late";
      const { retryAfterMs } = failure;
      const delayMs = nextDelayMs(retries, { attempt, retryAfterMs, random: settings.random.fraction() });
      if (!isRetryable || delayMs === null || late > MAX_LATE_RETRIES)
        throw new BackendFailure(failure.message, { isRetryable });
      if (outcome.said.trim() !== "") {
        said += outcome.said;
        conversation.add({ role: "assistant", content: outcome.said.trimEnd() });
        conversation.say(CUT_NOTE);
      }
      await settings.clock.sleep(delayMs, task.signal);
    }
  }

  /** Trims to the room that there is. Returns about how many tokens the request then has. */
  #fit(question: Question): number {
    const { modelId, conversation, maxOutputTokens } = question;
    const estimate = this.#estimateOf(modelId);
    const fixed = fixedChars(question);
    const { contextTokens } = this.#options.limits;
    const room = Math.max(contextTokens - maxOutputTokens, contextTokens / 2);
    conversation.fit(Math.max(0, estimate.chars(room) - fixed));
    return estimate.of(fixed + conversation.chars);
  }

  async #call(
    question: Question,
    { inputTokens, maxOutputTokens }: { inputTokens: number; maxOutputTokens: number },
  ) {
    const { settings, limits, provider, task, spending } = this.#options;
    const { role, modelId, instructions, tools, conversation } = question;
    const estimate = this.#estimateOf(modelId);
    const chars = fixedChars(question) + conversation.chars;
    const sentBytes = bytesOf(question);
    const count = ({ reported, ...heard }: HeardUsage) => {
      const size = { ...heard, sentBytes, estimatedInput: inputTokens, maxOutputTokens };
      const counted = countTokens(reported, size);
      if (!counted.isEstimated) estimate.correct(chars, counted.input);
      spending.count({ role, modelId }, counted);
    };
    return await callModel({
      model: provider.model(modelId),
      providerOptions: provider.options,
      instructions,
      messages: conversation.messages,
      tools,
      maxOutputTokens,
      traceparent: task.traceparent(),
      listener: question.listen(),
      clock: settings.clock,
      limits,
      signal: task.signal,
      count,
    });
  }

  #estimateOf(modelId: string): TokenEstimate {
    const known = this.#estimates.get(modelId) ?? new TokenEstimate();
    this.#estimates.set(modelId, known);
    return known;
  }
}

/** All that a request sends, as JSON. */
function bytesOf({ instructions, tools, conversation }: Question): number {
  return Buffer.byteLength(JSON.stringify([instructions, tools, conversation.messages]));
}

/** The options that every request shares. */
function fixedChars({ instructions, tools }: Question): number {
  return instructions.length + JSON.stringify(tools).length;
}
