// Facts of a run that a session keeps beside what it shows: its patch, its question, what it may not write, and how it ended.

import type { SessionUpdate, StopReason } from "@agentclientprotocol/sdk";
import type { Run } from "../../client/client.ts";
import { CHANGES_EVENT } from "../../contract/runs/changes.ts";
import {
  APPROVAL_EVENT,
  asRunEvent,
  QUESTION_EVENT,
  type QuestionEvent,
  type StoredRunEvent,
} from "../../contract/runs/run-event.ts";
import { verdictForReader } from "../run-conclusion.ts";
import type { SessionUpdates } from "./session-updates.ts";

const stopReasons: ReadonlyMap<string, StopReason> = new Map([
  ["max_tokens", "max_tokens"],
  ["max_cost", "max_tokens"],
  ["credits", "max_tokens"],
  ["insufficient_credits", "max_tokens"],
  ["length", "max_tokens"],
  ["max_turns", "max_turn_requests"],
  ["repeated_calls", "max_turn_requests"],
  ["time_limit", "max_turn_requests"],
  ["content_filter", "refusal"],
]);

export class FollowedFacts {
  readonly #updates: SessionUpdates;
  readonly #approvals: string[] = [];
  #patch: string | null = null;
  #error: string | null = null;
  #question: QuestionEvent["value"] | null = null;

  constructor(updates: SessionUpdates) {
    this.#updates = updates;
  }

  /** What the run has changed, as a patch. Null: nothing, or nothing that is known. */
  get patch(): string | null {
    return this.#patch;
  }

  /** What it waits for an answer to. */
  get question(): QuestionEvent["value"] | null {
    return this.#question;
  }

  /** MCP servers by which it would have written. */
  get approvals(): readonly string[] {
    return this.#approvals;
  }

  /** Returns what the editor shows of the event. */
  add(stored: StoredRunEvent): readonly SessionUpdate[] {
    const event = asRunEvent(stored.event);
    if (event?.type === "RUN_ERROR") this.#error = event.message;
    if (event?.type === "CUSTOM") {
      if (event.name === CHANGES_EVENT) this.#patch = event.value.patch === "" ? null : event.value.patch;
      if (event.name === QUESTION_EVENT) this.#question = event.value;
      if (event.name === APPROVAL_EVENT) this.#approvals.push(event.value.server);
    }
    return this.#updates.add(stored);
  }

  verdictOn(run: Run): { readonly stopReason: StopReason; readonly message: string } {
    const { message } = verdictForReader(run, this.#error);
    const stopReason = "stop_reason" in run ? stopReasons.get(run.stop_reason ?? "") : undefined;
    return { stopReason: stopReason ?? "end_turn", message };
  }
}
