// Calls at the gateway of a run: paid, ordered, bounded and recorded as those of the built-in agent are. They are made while a prompt
// is at work, and end with it.

import type { Checkout } from "../../../../core/checkouts/checkout.ts";
import type { BackendTask } from "../../../backend.ts";
import type { Tool, ToolImage } from "../../../tools/tool.ts";
import { attemptTool, boundResult, payForCall } from "../../../tools/tool-call.ts";
import { ReadWriteLock } from "../../model/read-write-lock.ts";

type RecordedCall = { readonly tool: Tool<unknown>; readonly input: unknown };

/** Where calls are recorded. Each resolves with null, or does nothing, once the turn is over. */
export type CallRecorder = {
  begin(call: RecordedCall): Promise<string | null>;
  end(id: string, result: string): Promise<void>;
};

export type GatewayAnswer = {
  readonly text: string;
  readonly images: readonly ToolImage[];
  readonly isError: boolean;
};

type GatewayCallsParts = {
  readonly tools: readonly Tool<unknown>[];
  readonly task: Pick<BackendTask, "signal" | "meter" | "secrets">;
  readonly checkout: Checkout;
};

const notAtWork: GatewayAnswer = {
  text: "error: no prompt of this run is at work: nothing is called now.",
  images: [],
  isError: true,
};
const CUT_OFF = "error: the call was ended before its result came. It may have been made.";

export class GatewayCalls {
  readonly #parts: GatewayCallsParts;
  readonly #lock = new ReadWriteLock();
  readonly #underWay = new Set<Promise<unknown>>();
  #recorder: CallRecorder | null = null;
  #prompt: AbortController | null = null;

  constructor(parts: GatewayCallsParts) {
    this.#parts = parts;
  }

  get tools(): readonly Tool<unknown>[] {
    return this.#parts.tools;
  }

  /** Whether a call is under way. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Of the turn that begins. The one before is over. */
  recordIn(recorder: CallRecorder): void {
    this.#recorder = recorder;
  }

  /** A prompt is at work from now on. */
  open(): void {
    this.#prompt ??= new AbortController();
  }

  /** Ends the calls that are under way. Resolves once each is recorded. Safe to repeat. */
  async pause(): Promise<void> {
    this.#prompt?.abort(new Error("The agent's prompt has ended."));
    this.#prompt = null;
    await Promise.allSettled(this.#underWay);
  }

  /** Null where there is no such tool. Never rejects. `signal`: of whoever called. */
  async call(name: string, input: unknown, signal: AbortSignal): Promise<GatewayAnswer | null> {
    const tool = this.#parts.tools.find((one) => one.name === name);
    if (tool === undefined) return null;
    const prompt = this.#prompt;
    const recorder = this.#recorder;
    if (prompt === null || recorder === null) return notAtWork;
    const ended = AbortSignal.any([this.#parts.task.signal, prompt.signal, signal]);
    const work = this.#make({ tool, input }, { recorder, ended });
    this.#underWay.add(work);
    try {
      return await work;
    } catch {
      return notAtWork;
    } finally {
      this.#underWay.delete(work);
    }
  }

  async #make(
    call: RecordedCall,
    { recorder, ended }: { readonly recorder: CallRecorder; readonly ended: AbortSignal },
  ): Promise<GatewayAnswer> {
    const { task } = this.#parts;
    const id = await recorder.begin(call);
    if (id === null) return notAtWork;
    const {
      ok,
      text,
      images = [],
    } = await this.#lock.hold(call.tool.access ?? "read", () => this.#attempt(call, ended));
    // To the agent as to the run's readers: its process is none of ours.
    const result = task.secrets.apply(boundResult(text));
    await recorder.end(id, result);
    return { text: result, images, isError: !ok };
  }

  async #attempt(
    { tool, input }: RecordedCall,
    signal: AbortSignal,
  ): Promise<{ readonly ok: boolean; readonly text: string; readonly images?: readonly ToolImage[] }> {
    if (signal.aborted) return { ok: false, text: CUT_OFF };
    const { task, checkout } = this.#parts;
    const unpaid = await payForCall(task.meter, tool);
    if (unpaid !== null) return { ok: false, text: unpaid };
    const outcome = await attemptTool({ task: { signal }, tool, input, checkout });
    return signal.aborted && !outcome.ok ? { ok: false, text: CUT_OFF } : outcome;
  }
}
