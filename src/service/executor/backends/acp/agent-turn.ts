// One turn of an agent: the session, the prompt, and all that ends it early. The first event counts: its answer,
// its own fault, an exceeded bound, the end of the run.

import {
  type AnyMessage,
  methods,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { Clock } from "../../../../base/clock.ts";
import { OUTPUT_EVENT, type RunEvent } from "../../../../contract/runs/run-event.ts";
import type { HiddenFile } from "../../../core/checkouts/checkout.ts";
import type { CoveredFiles } from "../../../core/ports/covered-files.ts";
import { BackendFailure, type BackendOutcome, type BareTask, type RepositoryTask } from "../../backend.ts";
import { isUrgent, RunStopped } from "../../stop-reason.ts";
import { ToolError } from "../../tools/tool.ts";
import { type OutputForm, outputForm } from "../model/output-schema.ts";
import { AgentDialogue, AgentError, type AgentPrompt } from "./agent-connection.ts";
import { type AgentFault, failureOf } from "./agent-fault.ts";
import type { AgentProcess } from "./agent-process.ts";
import { checkOffered, readLines, writeText } from "./checkout-files.ts";
import type { CallRecorder } from "./gateway/gateway-calls.ts";
import type { ToolGateway } from "./gateway/tool-gateway.ts";
import { describeHidden } from "./hidden-files.ts";
import { messageStream, type StreamFault } from "./message-stream.ts";
import type { ModelProxy } from "./model-proxy/model-proxy.ts";
import { answerTo, decidePermission } from "./permissions.ts";
import { MAX_HISTORY_CHARS, repairText } from "./prompt.ts";
import { RunStream } from "./run-stream.ts";
import { Sequence } from "./sequence.ts";
import type { AcpSettings, PermissionKind } from "./settings.ts";
import { type AgentJournal, type AgentPlace, outsideCalls } from "./taken-up/agent-journal.ts";
import { firstPrompt, type TakenUp } from "./taken-up/first-prompt.ts";
import { type AgentStep, REPAIR_TURN } from "./taken-up/left-agent.ts";
import { Replay } from "./taken-up/replay.ts";
import { ThreadText } from "./taken-up/thread-text.ts";
import { AgentCutError, BoundPassed, SessionLostError } from "./turn-errors.ts";
import { outcomeOf } from "./turn-outcome.ts";
import { countedBefore, type ReportedUsage, TurnUsage } from "./turn-usage.ts";
import { decodeUpdate, type PromptAnswer, toolUpdateSchema } from "./updates.ts";

const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** The time that an agent which closed its output has to exit, so that the exit code is known. */
const EXIT_MS = 3_000;

type AgentTurnOptions = {
  readonly settings: AcpSettings;
  readonly task: RepositoryTask | BareTask;
  readonly agent: AgentProcess;
  /** Ways to name the root of the checkout, as the agent sees it; the first is where it works. */
  readonly roots: readonly [string, ...string[]];
  /** Its home, as it sees it. */
  readonly home: string;
  /** Files of the checkout that it does not get to read. */
  readonly covered?: CoveredFiles | undefined;
  /** Files that were taken out of the checkout before. */
  readonly hidden: readonly HiddenFile[];
  /** The text about its network; "" where it has this machine's. */
  readonly network: string;
  /** Counts what the agent uses and forbids what is too much. Null: what the agent reports counts. */
  readonly proxy: ModelProxy | null;
  readonly gateway: Pick<ToolGateway, "calls" | "text" | "serversFor">;
  readonly clock: Clock;
  /** Null where the run ends with its worker. */
  readonly journal: AgentJournal | null;
  /** Null for a run that begins. */
  readonly left: (TakenUp & { readonly reported: ReportedUsage }) | null;
};

export class AgentTurn {
  readonly #options: AgentTurnOptions;
  readonly #stream: RunStream;
  readonly #usage: TurnUsage | null;
  readonly #dialogue: AgentDialogue;
  readonly #sequence = new Sequence((cause) => this.#over.abort(cause));
  /** Aborts with what ends the turn early; only the first reason counts. */
  readonly #over = new AbortController();
  readonly #done = new AbortController();
  readonly #thread: ThreadText;
  #heardAtMs: number;
  #sessionId: string | null = null;
  #step: AgentStep;
  /** Takes the updates before the first prompt of a session that goes on. Null: they are new. */
  #replay: Replay | null = null;

  constructor(options: AgentTurnOptions) {
    this.#options = options;
    const { settings, task, agent, roots, proxy, gateway, clock, journal, left } = options;
    this.#heardAtMs = clock.monotonic();
    this.#step = left?.step ?? { at: "prompt" };
    this.#thread = new ThreadText(left?.thread);
    const emit = async (event: RunEvent) => {
      this.#thread.add(event);
      await task.emit(event);
    };
    const calls = journal === null ? undefined : outsideCalls(journal);
    const gatewayTools = gateway.calls?.tools.map(({ name }) => name);
    const stream = { task: { emit, nextId: (kind: "message" | "call") => task.nextId(kind) }, roots };
    this.#stream = new RunStream({ ...stream, calls, gatewayTools });
    gateway.calls?.recordIn(this.#recorder);
    this.#stream.hasAnswered = left?.hasAnswered ?? false;
    const { meter, maxTurnTokens: maxTokens } = task;
    this.#usage = proxy === null ? new TurnUsage({ meter, maxTokens, ...countedBefore(left) }) : null;
    journal?.at({ home: agent.home, files: agent, cwd: roots[0], place: () => this.#place });
    if (proxy !== null) {
      proxy.onExcess = (excess) => this.#over.abort(new BoundPassed(excess));
      proxy.onFailure = (failure) => this.#over.abort(failure);
    }
    const messages = messageStream({
      input: agent.input,
      output: agent.output,
      maxLineBytes: MAX_LINE_BYTES,
      onMessage: (message) => this.#heard(message),
      onFault: (fault) => this.#streamFailed(fault),
    });
    this.#dialogue = new AgentDialogue(messages, {
      askPermission: (request) => this.#askPermission(request),
      readFile: async (file) => {
        checkOffered(settings);
        this.#checkPolicy("read");
        return await readLines(options, file);
      },
      writeFile: async (file) => {
        checkOffered(settings);
        this.#checkPolicy("edit");
        await writeText(options, file);
      },
    });
  }

  /** Between the agent's own updates, in their order. */
  get #recorder(): CallRecorder {
    return {
      begin: async ({ tool: { name, isOutside = false }, input }) => {
        this.#heardAtMs = this.#options.clock.monotonic();
        const begun = await this.#sequence.add(() =>
          this.#stream.beginGatewayCall({ name, input, isOutside }),
        );
        return begun ?? null;
      },
      end: async (id, result) => {
        this.#heardAtMs = this.#options.clock.monotonic();
        await this.#sequence.add(() => this.#stream.endGatewayCall(id, result));
      },
    };
  }

  /** Null before there is a session. */
  get #place(): AgentPlace | null {
    const sessionId = this.#sessionId;
    if (sessionId === null) return null;
    const { hasAnswered } = this.#stream;
    const reported = this.#usage?.reported ?? { tokens: 0, microUsd: 0 };
    return { step: this.#step, sessionId, thread: this.#thread.text, hasAnswered, reported };
  }

  /**
   * Rejects with the reason of the task's signal, with a `BackendFailure`, or with a `SessionLostError` where it was to go on with
   * a session and cannot, or with an `AgentCutError`. The caller ends the agent.
   */
  async take(): Promise<BackendOutcome> {
    const { task, agent, left } = this.#options;
    const stop = () => this.#over.abort(task.signal.reason);
    task.signal.addEventListener("abort", stop, { once: true });
    if (task.signal.aborted) stop();
    agent.passed.then(
      (passed) => (passed === null ? undefined : this.#fail({ type: "limit_passed", passed })),
      (cause: unknown) => this.#over.abort(cause),
    );
    try {
      const form = task.outputSchema === null ? null : outputForm(task.outputSchema);
      this.#sessionId = await this.#open();
      return await this.#work(this.#sessionId, form);
    } catch (cause) {
      // Its error output is in another pipe: wait one turn of the event loop, so that it is read too.
      if (cause instanceof AgentError) await new Promise((resolve) => setImmediate(resolve));
      const reason = cause instanceof AgentError ? this.#failure(cause.fault) : cause;
      await this.#options.gateway.calls?.pause();
      this.#sequence.stop();
      await this.#sequence.settled();
      const isLost = left !== null && left.sessionId !== null && !this.#stream.hasSpoken;
      if (isLost && reason instanceof BackendFailure && !task.signal.aborted)
        throw new SessionLostError("The session could not be gone on with.", { cause: reason });
      if (!task.signal.aborted) await this.#stream.close().catch(() => undefined);
      if (reason instanceof BoundPassed) return { stopReason: reason.excess };
      throw reason;
    } finally {
      this.#done.abort();
      task.signal.removeEventListener("abort", stop);
      this.#dialogue.close();
    }
  }

  async #open(): Promise<string> {
    const { settings, roots, left, gateway } = this.#options;
    const { serversFor } = gateway;
    const { authMethod, mode, asksForFiles } = settings;
    const id = left?.sessionId ?? null;
    const replay = new Replay(this.#options.clock);
    if (id !== null) this.#replay = replay;
    const replayed = (load: () => Promise<void>) => replay.after(load, this.#done.signal);
    const earlier = id === null ? null : { id, replay: replayed };
    const opened = new AbortController();
    this.#failAfter(settings.startTimeoutMs, { type: "start_timed_out" }, opened.signal);
    this.#dialogue.closed.then(() => this.#streamFailed({ type: "ended" }));
    try {
      return await this.#unlessOver(
        this.#dialogue.open({ cwd: roots[0], authMethod, mode, asksForFiles, earlier, serversFor }),
      );
    } finally {
      opened.abort();
    }
  }

  async #work(sessionId: string, form: OutputForm | null): Promise<BackendOutcome> {
    const { task, left, network, gateway, journal, home } = this.#options;
    const servers = gateway.text;
    const hidden = describeHidden(this.#options.hidden, home);
    const history = await task.history(MAX_HISTORY_CHARS);
    this.#heardAtMs = this.#options.clock.monotonic();
    this.#watchSilence().catch(() => undefined);
    journal?.keepUntil(this.#done.signal).catch(() => undefined);
    const { takesImages } = this.#dialogue;
    this.#replay = null;
    const prompt = firstPrompt(task, { history, form, hidden, network, servers, takesImages, left });
    const outcome = await this.#ask(sessionId, prompt);
    if (form === null || outcome.stopReason !== "end_turn") return await this.#end(outcome);
    let checked = form.check(this.#stream.lastText);
    if (!checked.ok && this.#step.at === "prompt") {
      this.#step = { at: "repair", faults: checked.faults };
      await task.beginTurn(REPAIR_TURN);
      await journal?.keep("turn");
      if (journal?.isLeaving === true) throw new RunStopped("handover");
      const repaired = await this.#ask(sessionId, { text: repairText(checked.faults), images: [] });
      if (repaired.stopReason !== "end_turn") return await this.#end(repaired);
      checked = form.check(this.#stream.lastText);
    }
    if (!checked.ok) throw new AgentError({ type: "misfit", faults: checked.faults });
    await task.emit({ type: "CUSTOM", name: OUTPUT_EVENT, value: checked.value });
    return await this.#end(outcome);
  }

  /** What comes after is not the agent's: whoever takes the run up then asks it nothing more. */
  async #end(outcome: BackendOutcome): Promise<BackendOutcome> {
    this.#step = { at: "done", stopReason: outcome.stopReason };
    await this.#options.task.beginTurn(REPAIR_TURN + 1);
    await this.#options.journal?.keep("turn");
    return outcome;
  }

  async #ask(sessionId: string, prompt: AgentPrompt): Promise<BackendOutcome> {
    const { task, agent } = this.#options;
    const { calls } = this.#options.gateway;
    this.#over.signal.throwIfAborted();
    calls?.open();
    const answering = this.#dialogue.prompt(sessionId, prompt);
    let answer: PromptAnswer;
    try {
      answer = await this.#unlessOver(answering);
    } catch (cause) {
      answering.catch(() => undefined);
      const isFault =
        cause instanceof BackendFailure || cause instanceof AgentError || cause instanceof AgentCutError;
      if (!isFault && !isUrgent(task.signal)) await this.#cancel(sessionId, answering);
      throw cause;
    }
    // What the agent has not waited for ends with its turn.
    await calls?.pause();
    await this.#sequence.settled();
    this.#over.signal.throwIfAborted();
    this.#usage?.end(answer);
    const outcome = outcomeOf(answer, { ...this.#options, stream: this.#stream });
    if (!(await agent.takeTree(task.signal))) throw new AgentError({ type: "changed_too_much" });
    await this.#stream.close();
    return outcome;
  }

  /** Gives the agent a grace period to end its turn by itself. */
  async #cancel(sessionId: string, answering: Promise<PromptAnswer>): Promise<void> {
    const { settings, clock } = this.#options;
    const answered = new AbortController();
    await this.#dialogue.cancel(sessionId).catch(() => undefined);
    answering
      .then((answer) => this.#usage?.end(answer))
      .then(
        () => answered.abort(),
        () => answered.abort(),
      );
    await clock.sleep(settings.stopGraceMs, answered.signal).catch(() => undefined);
  }

  #update(params: unknown): void {
    const update = decodeUpdate(params);
    if (update === null) return;
    this.#sequence.add(async () => {
      await this.#stream.apply(update);
      this.#heardAtMs = this.#options.clock.monotonic();
      if (update.sessionUpdate !== "usage_update" || this.#usage === null) return;
      const excess = await this.#usage.add(update);
      await this.#options.journal?.spent(this.#usage.reported);
      if (excess !== null) throw new BoundPassed(excess);
    });
  }

  async #askPermission(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const asked = toolUpdateSchema.parse(request.toolCall);
    const decision = await this.#sequence.add(async () => {
      const call = await this.#stream.ask(asked);
      const { permissions } = this.#options.settings;
      const { kind, isGateways } = call;
      const made = decidePermission(permissions, { kind, isGateways, options: request.options });
      await call.decide(made);
      return made;
    });
    const optionId = decision?.optionId ?? null;
    return { outcome: optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
  }

  #checkPolicy(kind: PermissionKind): void {
    if (answerTo(this.#options.settings.permissions, kind) === "allow") return;
    throw new ToolError("path_refused", `This service's policy does not let agents ${kind} files.`);
  }

  /** Updates are handled here: the SDK does not keep their order relative to requests, and reports unknown ones as errors. */
  async #heard(message: AnyMessage): Promise<boolean> {
    this.#heardAtMs = this.#options.clock.monotonic();
    await this.#sequence.room();
    if (!("method" in message) || message.method !== methods.client.session.update) return false;
    if (this.#replay === null) this.#update(message.params);
    else if (decodeUpdate(message.params) !== null) this.#replay.add();
    return true;
  }

  async #watchSilence(): Promise<void> {
    const { clock, settings } = this.#options;
    const { idleTimeoutMs: afterMs } = settings;
    while (!this.#done.signal.aborted) {
      const leftMs = this.#heardAtMs + afterMs - clock.monotonic();
      if (leftMs <= 0) return this.#fail({ type: "idle", afterMs });
      await clock.sleep(leftMs, this.#done.signal);
    }
  }

  #failAfter(afterMs: number, { type }: { type: "start_timed_out" }, signal: AbortSignal): void {
    this.#options.clock.sleep(afterMs, signal).then(
      () => this.#fail({ type, afterMs }),
      () => undefined,
    );
  }

  #streamFailed(fault: StreamFault): void {
    if (fault.type !== "ended") {
      this.#fail(fault);
      return;
    }
    const { agent, clock } = this.#options;
    agent.ended.then((exit) =>
      exit.type === "cut" ? this.#over.abort(new AgentCutError(this.#place)) : this.#fail(exit),
    );
    clock.sleep(EXIT_MS, this.#done.signal).then(
      () => this.#fail(fault),
      () => undefined,
    );
  }

  #fail(fault: AgentFault): void {
    this.#over.abort(this.#failure(fault));
  }

  #failure(fault: AgentFault): BackendFailure {
    const { settings, task, agent, proxy } = this.#options;
    const refusedWith = proxy?.refusedWith ?? null;
    return failureOf(fault, {
      refused:
        refusedWith === null || settings.model === null ? null : { ...settings.model, status: refusedWith },
      title: settings.title,
      mask: task.secrets,
      complaint: agent.lastComplaint(),
      hasAnswered: this.#stream.hasAnswered,
    });
  }

  /** Settles as the work does, or rejects as soon as the turn is over. For a closed connection it waits for the reason. */
  async #unlessOver<Value>(work: Promise<Value>): Promise<Value> {
    const { signal } = this.#over;
    return await new Promise<Value>((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      work.then(resolve, (cause: unknown) => {
        if (cause instanceof AgentError) reject(cause);
      });
    });
  }
}
