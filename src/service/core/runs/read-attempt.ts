// Results of a run as one of several attempts: its reply, its changes, and what it says of its checks, read from its stream.

import { CHANGES_EVENT, type ChangesEvent } from "../../../contract/runs/changes.ts";
import { CHECKS_EVENT, type ChecksEvent } from "../../../contract/runs/checks.ts";
import { asRunEvent, OUTPUT_EVENT, type OutputEvent } from "../../../contract/runs/run-event.ts";
import { TYPED_OUTPUT_EVENT, type TypedOutput } from "../../../contract/runs/typed-outputs.ts";
import type { StoreReader } from "../ports/store.ts";

const EVENTS_A_READ = 500;

export type AttemptWork = {
  /** Its last message with text in it; "" where there is none. */
  readonly reply: string;
  /** Null: it changed nothing. */
  readonly changes: ChangesEvent["value"] | null;
  readonly checks: ChecksEvent["value"] | null;
  readonly output: { readonly value: OutputEvent["value"] } | null;
  readonly typedOutputs: readonly TypedOutput[];
};

export async function readAttempt(store: StoreReader, runId: string): Promise<AttemptWork> {
  const messages = new Map<string, string>();
  let changes: AttemptWork["changes"] = null;
  let checks: AttemptWork["checks"] = null;
  let output: AttemptWork["output"] = null;
  const typedOutputs: TypedOutput[] = [];
  for (let after = 0; ; ) {
    const page = await store.events.list({ runId, after, limit: EVENTS_A_READ });
    for (const { json, seq } of page) {
      after = seq;
      const event = asRunEvent(JSON.parse(json));
      if (event === null) continue;
      // An answer that was cut off and is written anew may have the same id.
      if (event.type === "TEXT_MESSAGE_START") messages.delete(event.messageId);
      if (event.type === "TEXT_MESSAGE_CONTENT")
        messages.set(event.messageId, (messages.get(event.messageId) ?? "") + event.delta);
      if (event.type !== "CUSTOM") continue;
      if (event.name === CHANGES_EVENT) changes = event.value;
      if (event.name === CHECKS_EVENT) checks = event.value;
      if (event.name === OUTPUT_EVENT) output = { value: event.value };
      if (event.name === TYPED_OUTPUT_EVENT) typedOutputs.push(event.value);
    }
    if (page.length < EVENTS_A_READ) break;
  }
  const reply = [...messages.values()].findLast((text) => text.trim() !== "") ?? "";
  return { reply, changes, checks, output, typedOutputs };
}
