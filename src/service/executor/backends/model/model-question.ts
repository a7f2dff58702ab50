// A question to a model: in which role, of what part of the run, with which conversation. Pure.

import type { ToolSet } from "ai";
import type { TurnRole } from "../../../../contract/runs/turn-usage.ts";
import type { ModelRole } from "../../../core/runs/usage.ts";
import type { RequestStage } from "./allow-request.ts";
import type { AnswerListener } from "./answer-events.ts";
import type { Conversation } from "./conversation.ts";

export type ModelQuestion = {
  readonly role: ModelRole;
  readonly stage: RequestStage;
  /** Tells it apart where its role asks several at once. Default: the role. */
  readonly call?: object;
  readonly modelId: string;
  readonly instructions: string;
  readonly tools: ToolSet;
  /** Summarised or trimmed, and extended where an answer is continued. The caller adds the answer itself. */
  readonly conversation: Conversation;
  readonly maxOutputTokens: number;
  readonly capMicroUsd: number | null;
  /** Whether the conversation may be summarised to make room. Default: it is trimmed. */
  readonly mayBeSummarised?: boolean;
  /** A fresh one for each try. */
  listen(): AnswerListener;
};

/** Whether it is a turn of the run itself. */
export function isOfExecutor({ role, stage }: Pick<ModelQuestion, "role" | "stage">): boolean {
  return role === "executor" && stage !== "explore";
}

/** Who asks it. Explorers are the executor's in what is paid for them. */
export function turnRoleOf(question: Pick<ModelQuestion, "role" | "stage">): TurnRole {
  return question.role === "executor" && !isOfExecutor(question) ? "explorer" : question.role;
}

/** All that a request sends, as JSON. */
export function bytesOf({ instructions, tools, conversation }: ModelQuestion): number {
  return Buffer.byteLength(JSON.stringify([instructions, tools, conversation.messages]));
}

/** The options that every request shares. */
export function fixedChars({ instructions, tools }: ModelQuestion): number {
  return instructions.length + JSON.stringify(tools).length;
}
