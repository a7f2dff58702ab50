// Requests an answer of a model: pays for each request, makes it again after a failure, continues where an answer was cut,
// goes on with the fallback model, and keeps the conversation within the model's window.
// Why: docs/decisions/058-retries-and-fallback.md

import { msUntil } from "../../../../base/clock.ts";
import { NOTICE_EVENT } from "../../../../contract/runs/run-event.ts";
import type { FederatedAccess } from "../../../../federation/provider.ts";
import { BackendFailure, type BackendTask } from "../../backend.ts";
import { allowRequest } from "./allow-request.ts";
import { silentListener } from "./answer-events.ts";
import type { CallSize } from "./bounds.ts";
import { type CallFailure, failureOf, providerFaultOf, reasonOf, refusesImages } from "./call-failure.ts";
import { DUE_SHARE, KEPT_SHARE, SUMMARY_REQUEST, TASK_SHARE } from "./compaction.ts";
import type { GivenReply, RequestJournal, RequestsState, WaitJournal, WaitState } from "./loop-state.ts";
import { callModel, type HeardUsage } from "./model-call.ts";
import { bytesOf, fixedChars, isOfExecutor, type ModelQuestion, turnRoleOf } from "./model-question.ts";
import type { ModelLimits, ModelSettings } from "./model-settings.ts";
import { ModelWindow } from "./model-window.ts";
import type { ModelProvider } from "./provider.ts";
import { countTokens } from "./reported-usage.ts";
import { ModelRetries } from "./retries.ts";
import type { Spending, SpendingBound } from "./spending.ts";
import { LEAST_TOLD_MS, waitSaying } from "./told-wait.ts";
import type { TooLong } from "./too-long.ts";
import { limitsOfModel } from "./wires/model-limits.ts";

const CUT_NOTE =
  "[The connection was cut there. Go on exactly where you stopped, without repeating it. No tool was called.]";
/** A model that writes no summary is not asked for ever. */
const MAX_FAILED_SUMMARIES = 2;

const IMAGE_REFUSED =
  "[The image is not shown: the model's API refused it. Say so where the request is about it.]";

export type Reply = GivenReply | { readonly ok: false; readonly bound: SpendingBound };

type ModelRequestsOptions = {
  readonly settings: Pick<ModelSettings, "clock" | "random" | "apiKey">;
  /** Of the federated account that pays; null: the key counts. */
  readonly access: Pick<FederatedAccess, "provider"> | null;
  readonly limits: ModelLimits;
  readonly provider: ModelProvider;
  readonly task: Pick<BackendTask, "signal" | "traceparent" | "emit" | "deadline" | "brought" | "model">;
  readonly spending: Spending;
  /** The model that the executor goes on with where its own does not answer. Null: none. */
  readonly fallbackId: string | null;
  /** As another worker has left them. */
  readonly left?: RequestsState;
};

/** A question to the model that answers it now. */
type Addressed = { readonly question: ModelQuestion; readonly modelId: string; readonly window: ModelWindow };

export class ModelRequests {
  readonly #options: ModelRequestsOptions;
  readonly #windows = new Map<string, ModelWindow>();
  #failedSummaries: number;
  #hasAnswered: boolean;
  /** In place of the executor's model, once that did not answer. */
  #fallbackId: string | null;
  /** The wait that is under way; of an earlier worker until the first request. */
  #wait: WaitState | null;
  #journal: (RequestJournal & WaitJournal) | null = null;

  constructor(options: ModelRequestsOptions) {
    this.#options = options;
    this.#failedSummaries = options.left?.failedSummaries ?? 0;
    this.#hasAnswered = options.left?.hasAnswered ?? false;
    this.#fallbackId = options.left?.fallbackId ?? null;
    this.#wait = options.left?.wait ?? null;
    if (options.left !== undefined) options.provider.quirks.resume(options.left.quirks);
  }

  get state(): RequestsState {
    const windows = [...this.#windows].map(([modelId, { state }]) => [modelId, state] as const);
    return {
      failedSummaries: this.#failedSummaries,
      hasAnswered: this.#hasAnswered,
      fallbackId: this.#fallbackId,
      windows: { ...this.#options.left?.windows, ...Object.fromEntries(windows) },
      quirks: this.#options.provider.quirks.state,
      wait: this.#wait,
    };
  }

  /** Each request is kept there before it is sent. */
  keepIn(journal: RequestJournal & WaitJournal): void {
    this.#journal = journal;
  }

  /** Rejects with a `BackendFailure` when there is no answer, and with the signal's reason on abort. */
  async send(question: ModelQuestion): Promise<Reply> {
    const { settings, task, spending } = this.#options;
    const { role, conversation, call = role } = question;
    const isExecutor = isOfExecutor(question);
    let retries = new ModelRetries({ isExecutor, hasAnswered: this.#hasAnswered });
    let said = "";
    if (isExecutor) await this.#waitOn();
    for (;;) {
      const addressed = this.#address(question);
      const { modelId } = addressed;
      conversation.readBy(modelId);
      await this.#makeRoom(addressed);
      this.#fit(addressed);
      const { allowed, inputTokens } = await allowRequest({
        stage: question.stage,
        conversation,
        fixedChars: fixedChars(question),
        estimate: addressed.window.estimate,
        spending,
        planned: {
          role,
          call,
          modelId,
          maxOutputTokens: this.#answerTokens(addressed),
          capMicroUsd: question.capMicroUsd,
        },
      });
      task.signal.throwIfAborted();
      if (!allowed.ok) return allowed;
      const { maxOutputTokens, shortOf } = allowed;
      const outcome = await this.#sendKept(addressed, { inputTokens, maxOutputTokens }).finally(() =>
        spending.release({ role, call }),
      );
      task.signal.throwIfAborted();
      if (outcome.ok) {
        this.#hasAnswered = true;
        const { answer } = outcome;
        return { ok: true, answer, text: said + answer.text, shortOf };
      }
      // The run's own access to the model has ended, or cannot be read.
      if (outcome.cause instanceof BackendFailure) throw outcome.cause;
      const wasCut = outcome.said.trim() !== "";
      const continueFrom = () => {
        said += outcome.said;
        conversation.add({ role: "assistant", content: outcome.said.trimEnd() });
        conversation.say(CUT_NOTE);
      };
      const failure = this.#failureOf(outcome.cause, modelId);
      if (this.#adapts(addressed, { cause: outcome.cause, failure, answerTokens: maxOutputTokens })) {
        if (wasCut) continueFrom();
        continue;
      }
      retries.count({ failure, wasCut });
      const fallbackId = isExecutor && this.#fallbackId === null ? this.#options.fallbackId : null;
      const isForFallback = fallbackId !== null && fallbackId !== modelId && retries.isForAnother(failure);
      const timeLeftMs = task.deadline.leftMs();
      const delayMs = isForFallback
        ? 0
        : retries.delayMs(failure, { timeLeftMs, random: settings.random.fraction() });
      if (delayMs === null) {
        const isRetryable = !["refused", "thoughts", "too_long", "gone", "spent"].includes(failure.kind);
        const reason = reasonOf(failure, task);
        throw new BackendFailure(failure.message, {
          reason,
          isRetryable,
          providerFault: providerFaultOf(failure),
        });
      }
      if (wasCut) continueFrom();
      if (isForFallback) {
        await this.#fallBack(addressed, { fallbackId, failure });
        retries = new ModelRetries({ isExecutor, hasAnswered: this.#hasAnswered });
      } else await this.#waitAfter(failure, { delayMs, isExecutor });
    }
  }

  #address(question: ModelQuestion): Addressed {
    const modelId = (isOfExecutor(question) ? this.#fallbackId : null) ?? question.modelId;
    const { contextTokens: own } = this.#options.limits;
    // The limits are those of the model that the run began with: another one may have less.
    const isFirst = isOfExecutor(question) && modelId === question.modelId;
    const known = isFirst ? null : limitsOfModel(modelId);
    const window =
      this.#windows.get(modelId) ?? this.#openWindow(modelId, Math.min(own, known?.contextTokens ?? own));
    return { question, modelId, window };
  }

  #openWindow(modelId: string, contextTokens: number): ModelWindow {
    const window = new ModelWindow(contextTokens);
    const left = this.#options.left?.windows[modelId];
    if (left !== undefined) window.resume(left);
    this.#windows.set(modelId, window);
    return window;
  }

  /** Has the model summarise the conversation where it takes most of the window. What fails is left to trimming. */
  async #makeRoom({ question, window }: Addressed): Promise<void> {
    const { conversation, maxOutputTokens, stage } = question;
    if (
      question.mayBeSummarised !== true ||
      stage === "last" ||
      this.#failedSummaries >= MAX_FAILED_SUMMARIES
    )
      return;
    const { estimate, windowTokens } = window;
    const beforeTokens = estimate.of(fixedChars(question) + conversation.chars);
    const dueTokens = Math.min(DUE_SHARE * windowTokens, window.inputTokens(maxOutputTokens));
    const size = {
      keptChars: estimate.chars(KEPT_SHARE * windowTokens),
      maxTaskChars: estimate.chars(TASK_SHARE * windowTokens),
    };
    if (beforeTokens <= dueTokens || !conversation.canBeSummarised(size)) return;
    const copy = conversation.copy();
    copy.say(SUMMARY_REQUEST);
    const reply = await this.send({
      ...question,
      stage: "work",
      conversation: copy,
      mayBeSummarised: false,
      listen: () => silentListener,
    }).catch((cause: unknown) => {
      if (cause instanceof BackendFailure) return null;
      throw cause;
    });
    const text = reply?.ok === true ? reply.text.trim() : "";
    if (text === "" || !conversation.replaceBySummary(text, size)) {
      this.#failedSummaries += 1;
      conversation.fit(Math.max(0, estimate.chars(dueTokens) - fixedChars(question)));
      return await this.#say(
        "The conversation takes most of the model's window and could not be summarised: its oldest parts were removed.",
      );
    }
    this.#failedSummaries = 0;
    const afterTokens = estimate.of(fixedChars(question) + conversation.chars);
    await this.#say(
      `The conversation took most of the model's window: the model summarised it, from about ${thousands(beforeTokens)} tokens to ${thousands(afterTokens)}.`,
    );
  }

  /** Trims to the room that there is. */
  #fit({ question, window }: Addressed): void {
    const { conversation, maxOutputTokens } = question;
    const room = window.estimate.chars(window.inputTokens(maxOutputTokens));
    conversation.fit(Math.max(0, room - fixedChars(question)));
  }

  /** Does without what the API has refused. False where it cannot: the same request would be refused again. */
  #adapts(
    addressed: Addressed,
    { cause, failure, answerTokens }: { cause: unknown; failure: CallFailure; answerTokens: number },
  ): boolean {
    const { question, modelId } = addressed;
    const { conversation } = question;
    if (failure.kind === "thoughts") return conversation.forgetRefusedThoughts();
    if (refusesImages(cause) && conversation.replaceImages(IMAGE_REFUSED)) return true;
    if (this.#options.provider.quirks.learn(modelId, cause)) return true;
    return failure.kind === "too_long" && this.#learnWindow(addressed, { ...failure, answerTokens });
  }

  /** The length that the answer to a question may have. */
  #answerTokens({ question, modelId, window }: Addressed): number {
    const input = window.estimate.of(fixedChars(question) + question.conversation.chars);
    return Math.min(
      window.answerTokens(question.maxOutputTokens, input),
      this.#options.provider.quirks.maxOutputTokens(modelId),
    );
  }

  /** Takes note of what the API said of the window. False where neither the conversation nor the answer can become shorter. */
  #learnWindow(
    addressed: Addressed,
    { told, answerTokens }: { readonly told: TooLong; readonly answerTokens: number },
  ): boolean {
    const { question, window } = addressed;
    const { chars } = question.conversation;
    const size = { fixedChars: fixedChars(question), conversationChars: chars, answerTokens };
    window.learn(told, size);
    const conversation = question.conversation.copy();
    const shorter = { ...addressed, question: { ...question, conversation } };
    this.#fit(shorter);
    return (
      conversation.chars < chars ||
      this.#answerTokens(shorter) < answerTokens ||
      window.shortenAnswers(told, size)
    );
  }

  #failureOf(cause: unknown, modelId: string): CallFailure {
    const { settings, provider, access } = this.#options;
    const { apiKey, clock } = settings;
    const { quirks } = provider;
    const host = provider.hostOf(modelId);
    const needsResponses = quirks.needsResponses(modelId);
    return failureOf(cause, { host, modelId, apiKey, access, needsResponses, nowMs: clock.now() });
  }

  async #fallBack(
    { modelId }: Addressed,
    { fallbackId, failure }: { fallbackId: string; failure: CallFailure },
  ): Promise<void> {
    this.#fallbackId = fallbackId;
    const what = "what" in failure ? failure.what : failure.message;
    await this.#say(`The run goes on with the model "${fallbackId}" in place of "${modelId}". ${what}`);
  }

  async #waitAfter(
    failure: CallFailure,
    { delayMs, isExecutor }: { readonly delayMs: number; readonly isExecutor: boolean },
  ): Promise<void> {
    const what = "what" in failure ? failure.what : failure.message;
    // Other roles ask within a call, of which no turn has an entry.
    if (isExecutor && delayMs >= LEAST_TOLD_MS) {
      this.#wait = { untilMs: this.#options.settings.clock.now() + delayMs, what };
      await this.#journal?.beforeWait();
    }
    await this.#waitFor(what, delayMs);
    this.#wait = null;
  }

  /** The rest of a wait that an earlier worker had begun. */
  async #waitOn(): Promise<void> {
    if (this.#wait === null) return;
    const { untilMs, what } = this.#wait;
    const delayMs = msUntil(this.#options.settings.clock, untilMs);
    if (delayMs > 0 && delayMs < this.#options.task.deadline.leftMs()) await this.#waitFor(what, delayMs);
    this.#wait = null;
  }

  async #waitFor(what: string, delayMs: number): Promise<void> {
    const { settings, task } = this.#options;
    await waitSaying({
      what,
      delayMs,
      clock: settings.clock,
      signal: task.signal,
      say: (text) => this.#say(text),
    });
  }

  async #say(text: string): Promise<void> {
    await this.#options.task.emit({ type: "CUSTOM", name: NOTICE_EVENT, value: { text } });
  }

  async #sendKept(addressed: Addressed, size: CallSize) {
    const { modelId, question } = addressed;
    const isTurn = isOfExecutor(question);
    const planned = { role: question.role, modelId, ...size };
    const answered = await this.#journal?.beforeRequest(planned, { isTurn });
    return await this.#call(addressed, size).finally(answered);
  }

  async #call({ question, modelId, window }: Addressed, { inputTokens, maxOutputTokens }: CallSize) {
    const { settings, limits, provider, task, spending } = this.#options;
    const { role, instructions, tools, conversation, call = role } = question;
    const chars = fixedChars(question) + conversation.chars;
    const sentBytes = bytesOf(question);
    const count = ({ reported, ...heard }: HeardUsage) => {
      const size = { ...heard, sentBytes, estimatedInput: inputTokens, maxOutputTokens };
      const counted = countTokens(reported, size);
      if (!counted.isEstimated) window.estimate.correct(chars, counted.input);
      const turn = { role: turnRoleOf(question), contextWindow: window.windowTokens };
      spending.count({ role, modelId, call, turn }, counted);
    };
    return await callModel({
      model: await provider.model(modelId),
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
}

function thousands(tokens: number): string {
  return `${Math.max(1, Math.round(tokens / 1_000)).toLocaleString("en-US")},000`;
}
