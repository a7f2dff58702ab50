// Turns an agent's updates into the events of a run: messages, thoughts, tool calls with their results, and the steps
// of its plan. One call at a time.

import { planStepStatuses, type RunEvent } from "../../../../contract/runs/run-event.ts";
import type { BackendTask } from "../../backend.ts";
import { PlanEvents } from "../../plan-events.ts";
import { boundResult } from "../../tools/tool-call.ts";
import { ReportedCalls } from "./gateway/reported-calls.ts";
import type { PermissionDecision } from "./permissions.ts";
import {
  type AcpToolCall,
  argumentsOf,
  hasEnded,
  isReadyToShow,
  nameOf,
  newToolCall,
  resultOf,
  updateToolCall,
} from "./tool-calls.ts";
import { type ContentBlock, type PlanEntry, type ToolUpdate, textOf, type Update } from "./updates.ts";

type RunStreamOptions = {
  readonly task: Pick<BackendTask, "emit" | "nextId">;
  /** Absolute paths of the tree; in tool calls they are left out. */
  readonly roots: readonly string[];
  /** Told of each call before its reader is. Its answer to a permission request waits for that. */
  readonly calls?: CallListener | undefined;
  /** The names of the gateway's tools, whose calls are recorded where they are made. Default: there are none. */
  readonly gatewayTools?: readonly string[] | undefined;
};

export type CallListener = {
  begins(call: {
    readonly id: string;
    readonly name: string;
    readonly kind: string | null;
    readonly text: string;
  }): Promise<void>;
  ended(id: string): void;
};

type Speech = "text" | "thought";
type OpenMessage = { readonly speech: Speech; readonly id: string; readonly agentsId: string | null };

export class RunStream {
  readonly #task: RunStreamOptions["task"];
  readonly #roots: readonly string[];
  readonly #calls = new Map<string, AcpToolCall>();
  readonly #listener: CallListener | null;
  readonly #plan: PlanEvents;
  readonly #reported: ReportedCalls;
  #message: OpenMessage | null = null;
  /** Whether anything visible was emitted. */
  hasSpoken = false;
  /** Whether any of it was text of a message. */
  hasAnswered = false;
  /** The text of the last message. */
  lastText = "";
  /** The last part of it, as the agent sent it. */
  lastChunk = "";
  /** Whether the policy refused anything. */
  hasRejected = false;

  constructor({ task, roots, calls, gatewayTools = [] }: RunStreamOptions) {
    this.#task = task;
    this.#listener = calls ?? null;
    this.#plan = new PlanEvents(task);
    this.#reported = new ReportedCalls(gatewayTools);
    this.#roots = roots.toSorted((a, b) => b.length - a.length);
  }

  async apply(update: Update): Promise<void> {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        return await this.#say("text", update);
      case "agent_thought_chunk":
        return await this.#say("thought", update);
      case "tool_call":
      case "tool_call_update":
        await this.#updateCall(update);
        return;
      case "plan":
        return await this.#followPlan(update.entries);
      case "usage_update":
        return;
    }
  }

  /** The call that needs a permission and its kind; the call is started if it was not. `isGateways`: the gateway itself decides on it. */
  async ask(update: ToolUpdate): Promise<{
    kind: string | null;
    isGateways: boolean;
    decide(made: PermissionDecision): Promise<void>;
  }> {
    // The content of a permission request is not a result.
    const call = await this.#updateCall({ ...update, content: null });
    return {
      kind: call.kind,
      isGateways: this.#reported.toolOf(call) !== null,
      decide: async (made) => {
        call.decision = made;
        if (made.answer === "reject") this.hasRejected = true;
        await this.#show(call);
      },
    };
  }

  /** Records a call that is made at the gateway, before it is made. Returns its id. */
  async beginGatewayCall({
    name,
    input,
    isOutside,
  }: {
    readonly name: string;
    readonly input: unknown;
    readonly isOutside: boolean;
  }): Promise<string> {
    await this.#closeMessage();
    const toolCallId = this.#task.nextId("call");
    const delta = JSON.stringify(input) ?? "null";
    const kind = isOutside ? "other" : "read";
    await this.#listener?.begins({ id: toolCallId, name, kind, text: delta });
    await this.#emit({ type: "TOOL_CALL_START", toolCallId, toolCallName: name });
    await this.#emit({ type: "TOOL_CALL_ARGS", toolCallId, delta });
    await this.#emit({ type: "TOOL_CALL_END", toolCallId });
    this.#reported.recorded(name);
    return toolCallId;
  }

  async endGatewayCall(toolCallId: string, content: string): Promise<void> {
    await this.#closeMessage();
    this.#listener?.ended(toolCallId);
    const messageId = this.#task.nextId("message");
    await this.#emit({ type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" });
  }

  /** Ends whatever is open. Safe to repeat. */
  async close(): Promise<void> {
    await this.#closeMessage();
    for (const call of this.#calls.values()) {
      if (call.isFinished || this.#isRecorded(call)) continue;
      await this.#announce(call);
      // An agent may send no further update of a refused call.
      if (call.decision?.answer === "reject") await this.#finish(call);
    }
    await this.#plan.close();
  }

  async #say(
    speech: Speech,
    chunk: { readonly content: ContentBlock; readonly messageId?: string | null | undefined },
  ): Promise<void> {
    const agentsId = chunk.messageId ?? null;
    const open = this.#message;
    if (open !== null && (open.speech !== speech || open.agentsId !== agentsId)) await this.#closeMessage();
    const text = textOf(chunk.content);
    if (text === "") return;
    const message = this.#message ?? (await this.#openMessage(speech, agentsId));
    await this.#sayDelta(message, text);
  }

  async #openMessage(speech: Speech, agentsId: string | null): Promise<OpenMessage> {
    const id = this.#task.nextId("message");
    const message = { speech, id, agentsId };
    this.#message = message;
    if (speech === "text") {
      this.lastText = "";
      await this.#emit({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" });
    } else {
      await this.#emit({ type: "REASONING_START", messageId: id });
      await this.#emit({ type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" });
    }
    return message;
  }

  async #sayDelta({ speech, id: messageId }: OpenMessage, delta: string): Promise<void> {
    if (speech === "text") {
      this.lastText += delta;
      this.lastChunk = delta;
      this.hasAnswered = true;
    }
    const type = speech === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT";
    await this.#emit({ type, messageId, delta });
  }

  async #closeMessage(): Promise<void> {
    const message = this.#message;
    if (message === null) return;
    this.#message = null;
    const { speech, id: messageId } = message;
    if (speech === "text") return await this.#emit({ type: "TEXT_MESSAGE_END", messageId });
    await this.#emit({ type: "REASONING_MESSAGE_END", messageId });
    await this.#emit({ type: "REASONING_END", messageId });
  }

  async #updateCall(update: ToolUpdate & { readonly sessionUpdate?: string }): Promise<AcpToolCall> {
    await this.#closeMessage();
    let call = this.#calls.get(update.toolCallId);
    if (call === undefined || (call.isFinished && update.sessionUpdate === "tool_call")) {
      call = newToolCall(this.#task.nextId("call"));
      this.#calls.set(update.toolCallId, call);
    }
    if (call.isFinished) return call;
    updateToolCall(call, update);
    await this.#show(call);
    return call;
  }

  async #show(call: AcpToolCall): Promise<void> {
    const isRefused = call.decision?.answer === "reject";
    if (!call.isAnnounced && !isRefused && this.#reported.toolOf(call) !== null) {
      // It is known at its end whether the gateway has made it.
      if (!hasEnded(call) || this.#isRecorded(call)) return;
    }
    if (isReadyToShow(call)) await this.#announce(call);
    if (hasEnded(call)) await this.#finish(call);
  }

  /** Whether a call of the gateway stands for it. It is finished then. */
  #isRecorded(call: AcpToolCall): boolean {
    const tool = call.isAnnounced ? null : this.#reported.toolOf(call);
    if (tool === null || !this.#reported.takes(tool)) return false;
    call.isFinished = true;
    this.#forget(call);
    return true;
  }

  /** A long run makes many calls: finished ones are not kept in memory. */
  #forget(call: AcpToolCall): void {
    Object.assign(call, { content: [], input: undefined, output: undefined });
  }

  async #announce(call: AcpToolCall): Promise<void> {
    if (call.isAnnounced) return;
    call.isAnnounced = true;
    const { id: toolCallId, kind } = call;
    const toolCallName = nameOf(call);
    const delta = argumentsOf(call, this.#shorten);
    if (call.decision?.answer !== "reject")
      await this.#listener?.begins({ id: toolCallId, name: toolCallName, kind, text: delta });
    await this.#emit({ type: "TOOL_CALL_START", toolCallId, toolCallName });
    await this.#emit({ type: "TOOL_CALL_ARGS", toolCallId, delta });
    await this.#emit({ type: "TOOL_CALL_END", toolCallId });
  }

  async #finish(call: AcpToolCall): Promise<void> {
    if (call.isFinished) return;
    call.isFinished = true;
    this.#listener?.ended(call.id);
    const content = boundResult(resultOf(call, this.#shorten));
    this.#forget(call);
    const messageId = this.#task.nextId("message");
    await this.#emit({ type: "TOOL_CALL_RESULT", messageId, toolCallId: call.id, content, role: "tool" });
  }

  async #followPlan(entries: readonly PlanEntry[]): Promise<void> {
    this.hasSpoken = true;
    // A status that is not known yet is neither begun nor done.
    await this.#plan.follow(
      entries.map(({ content: text, status: said }) => ({
        text,
        status: planStepStatuses.find((status) => status === said) ?? "pending",
      })),
    );
  }

  readonly #shorten = (text: string): string =>
    this.#roots.reduce((short, root) => short.replaceAll(`${root}/`, "").replaceAll(root, "."), text);

  async #emit(event: RunEvent): Promise<void> {
    this.hasSpoken = true;
    await this.#task.emit(event);
  }
}
