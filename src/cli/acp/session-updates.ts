// Events of a run as updates of an editor's session: text, thoughts, tool calls and the plan. What the protocol has no word for is a
// thought in the words of the run's log. Pure.
// https://agentclientprotocol.com/protocol/v1/schema, looked up on 2026-11-29

import { join } from "node:path";
import type { SessionUpdate, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import { headLines } from "../../base/bounded-text.ts";
import { isObject, parseJson } from "../../base/json.ts";
import {
  asRunEvent,
  PLAN_EVENT,
  QUESTION_EVENT,
  type RunEvent,
  type StoredRunEvent,
} from "../../contract/runs/run-event.ts";
import { writeFence } from "../../render/inert-fence.ts";
import { MAX_RESULT_CHARS, RunLog } from "../../render/log-parts.ts";
import { type ReadKind, readKindOf } from "../../render/run-page/reads.ts";
import { isFailedResult } from "../../report/tool-failure.ts";
import { MAX_TITLE_ARGS_CHARS, toolTitle } from "../../report/tool-title.ts";
import { pathFault } from "../workspaces/folder-path.ts";

const MAX_RESULT_LINES = 400;
/** Larger arguments are whole files more often than not, and shown with the edits. */
const MAX_SHOWN_ARGS_CHARS = 8_000;

const kindOfRead: Readonly<Record<ReadKind, ToolKind>> = {
  file: "read",
  folder: "read",
  search: "search",
  history: "read",
  changes: "read",
  skill: "read",
  image: "read",
  page: "fetch",
};

/** Tools that do more than read: the built-in agent's, and the protocol's own words, by which calls of other agents are named. */
const otherKinds: ReadonlyMap<string, ToolKind> = new Map([
  ["edit_file", "edit"],
  ["write_file", "edit"],
  ["edit", "edit"],
  ["delete_file", "delete"],
  ["delete", "delete"],
  ["rename_file", "move"],
  ["move", "move"],
  ["run_command", "execute"],
  ["setup", "execute"],
  ["execute", "execute"],
  ["ask_advisor", "think"],
  ["think", "think"],
]);

type OpenCall = { readonly name: string; args: string };

/** The updates of one run. Takes its events in order and each once. */
export class SessionUpdates {
  readonly #root: string;
  readonly #runId: string;
  readonly #calls = new Map<string, OpenCall>();
  readonly #log = new RunLog();

  constructor({ root, runId }: { readonly root: string; readonly runId: string }) {
    this.#root = root;
    this.#runId = runId;
  }

  add(stored: StoredRunEvent): readonly SessionUpdate[] {
    const event = asRunEvent(stored.event);
    return event === null ? [] : this.#updatesOf(event, stored);
  }

  #updatesOf(event: RunEvent, stored: StoredRunEvent): readonly SessionUpdate[] {
    switch (event.type) {
      case "TEXT_MESSAGE_CONTENT":
        return [textUpdate("agent_message_chunk", event.delta)];
      case "REASONING_MESSAGE_CONTENT":
        return [textUpdate("agent_thought_chunk", event.delta)];
      case "TOOL_CALL_START":
      case "TOOL_CALL_ARGS":
      case "TOOL_CALL_END":
      case "TOOL_CALL_RESULT":
        return this.#callUpdates(event);
      case "RUN_STARTED":
      case "TEXT_MESSAGE_START":
      case "TEXT_MESSAGE_END":
      case "REASONING_START":
      case "REASONING_MESSAGE_START":
      case "REASONING_MESSAGE_END":
      case "REASONING_END":
        return [];
      case "RUN_FINISHED":
      case "RUN_ERROR":
        return this.#closeCalls();
      case "CUSTOM":
        if (event.name === PLAN_EVENT) return [planUpdate(event.value.steps)];
        // It is asked, or the reply has it.
        if (event.name === QUESTION_EVENT) return [];
        return [...(event.name === "resumed" ? this.#closeCalls() : []), ...this.#notes(stored)];
      default:
        return this.#notes(stored);
    }
  }

  #callUpdates(
    event: Extract<
      RunEvent,
      { type: "TOOL_CALL_START" | "TOOL_CALL_ARGS" | "TOOL_CALL_END" | "TOOL_CALL_RESULT" }
    >,
  ): readonly SessionUpdate[] {
    const { toolCallId } = event;
    // Models number their calls anew in each run.
    const id = `${this.#runId}/${toolCallId}`;
    if (event.type === "TOOL_CALL_START") {
      const { toolCallName: name } = event;
      this.#calls.set(toolCallId, { name, args: "" });
      const title = toolTitle(name, "{}");
      return [
        { sessionUpdate: "tool_call", toolCallId: id, title, kind: toolKindOf(name), status: "pending" },
      ];
    }
    const call = this.#calls.get(toolCallId);
    if (call === undefined) return [];
    switch (event.type) {
      case "TOOL_CALL_ARGS":
        if (call.args.length <= MAX_TITLE_ARGS_CHARS) call.args += event.delta;
        return [];
      case "TOOL_CALL_END": {
        const input = parseJson(call.args);
        const location = this.#locationIn(input);
        return [
          {
            sessionUpdate: "tool_call_update",
            toolCallId: id,
            title: toolTitle(call.name, call.args),
            status: "in_progress",
            ...(location === null ? {} : { locations: [{ path: location }] }),
            ...(call.args.length > MAX_SHOWN_ARGS_CHARS ? {} : { rawInput: input }),
          },
        ];
      }
      case "TOOL_CALL_RESULT":
        this.#calls.delete(toolCallId);
        return [
          {
            sessionUpdate: "tool_call_update",
            toolCallId: id,
            status: isFailedResult(call.name, event.content) ? "failed" : "completed",
            content: resultContent(event.content),
          },
        ];
      default:
        return [];
    }
  }

  /** Nobody knows their results any more. */
  #closeCalls(): readonly SessionUpdate[] {
    const open = [...this.#calls.keys()];
    this.#calls.clear();
    return open.map((toolCallId) => ({
      sessionUpdate: "tool_call_update",
      toolCallId: `${this.#runId}/${toolCallId}`,
      status: "failed",
    }));
  }

  #notes(stored: StoredRunEvent): readonly SessionUpdate[] {
    const lines = this.#log
      .add(stored)
      .flatMap((part) => (part.kind === "text" && part.trust === "ours" ? [part.text] : []));
    return lines.length === 0 ? [] : [textUpdate("agent_thought_chunk", `${lines.join("\n")}\n`)];
  }

  /** The file of this machine that a call names by its path. */
  #locationIn(input: unknown): string | null {
    const path = isObject(input) ? input.path : null;
    if (typeof path !== "string" || pathFault(path, process.platform) !== null) return null;
    return join(this.#root, path);
  }
}

export function textUpdate(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}

function toolKindOf(name: string): ToolKind {
  const read = readKindOf(name);
  return read === null ? (otherKinds.get(name) ?? "other") : kindOfRead[read];
}

function planUpdate(
  steps: readonly { readonly text: string; readonly status: "pending" | "in_progress" | "completed" }[],
): SessionUpdate {
  const entries = steps.map(({ text: content, status }) => ({
    content,
    status,
    priority: "medium" as const,
  }));
  return { sessionUpdate: "plan", entries };
}

/** In a fence: an editor shows it as Markdown. */
function resultContent(content: string): ToolCallContent[] {
  const { head, moreLines } = headLines(content, { maxLines: MAX_RESULT_LINES, maxChars: MAX_RESULT_CHARS });
  if (head.trim() === "") return [];
  const lines = head.replace(/\n$/, "").split("\n");
  const fence = writeFence({ first: "", rest: "", info: "", lines }, 4 * MAX_RESULT_CHARS);
  const more = moreLines === 0 ? [] : [`… ${moreLines} more lines`];
  const text = [...(fence?.lines ?? []), ...more].join("\n");
  return [{ type: "content", content: { type: "text", text } }];
}
