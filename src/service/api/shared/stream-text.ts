// Runs and events as JSON text, written once for all who read the same record at the same moment. Pure.

import type { RunRecord, StoredEvent } from "../../core/runs/run-record.ts";
import { toRun } from "./run-view.ts";

const runs = new WeakMap<RunRecord, string>();
const events = new WeakMap<StoredEvent, string>();

/** A run, as the contract has it. */
export function runText(run: RunRecord): string {
  let text = runs.get(run);
  if (text === undefined) {
    text = JSON.stringify(toRun(run));
    runs.set(run, text);
  }
  return text;
}

/** The fields of an event, without braces: its JSON is put in, not parsed and written again. */
export function eventFields(event: StoredEvent): string {
  let text = events.get(event);
  if (text === undefined) {
    text = `"seq":${event.seq},"at":"${new Date(event.at).toISOString()}","event":${event.json}`;
    events.set(event, text);
  }
  return text;
}
