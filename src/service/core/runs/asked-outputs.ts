// The typed outputs that a run has asked for so far, as its stream has them: another worker goes on with them.

import { asRunEvent } from "../../../contract/runs/run-event.ts";
import { TYPED_OUTPUT_EVENT, type TypedOutput } from "../../../contract/runs/typed-outputs.ts";
import type { StoreReader } from "../ports/store.ts";

const EVENTS_A_READ = 500;

export async function readAskedOutputs(store: StoreReader, runId: string): Promise<readonly TypedOutput[]> {
  const asked: TypedOutput[] = [];
  for (let after = 0; ; ) {
    const page = await store.events.list({ runId, after, limit: EVENTS_A_READ });
    for (const { json, seq } of page) {
      const event = asRunEvent(JSON.parse(json));
      if (event?.type === "CUSTOM" && event.name === TYPED_OUTPUT_EVENT) asked.push(event.value);
      after = seq;
    }
    if (page.length < EVENTS_A_READ) return asked;
  }
}
