// Every stored event of a run, read in pages, as the reader may see them.

import { type StoredRunEvent, storedRunEventSchema } from "../../../../../contract/runs/run-event.ts";
import type { Core } from "../../../../core/core.ts";
import { readEventPage } from "../../../../core/runs/read-run.ts";
import type { StoredEvent } from "../../../../core/runs/run-record.ts";
import { MaskedEvents } from "../../../shared/masked-events.ts";
import type { ReadableRun } from "./run-reader.ts";

const EVENTS_A_PAGE = 1_000;

/**
 * Up to the newest at the moment. Ends early where the reader may not read on, or the events are deleted. Whoever has the link sees what
 * looks like a secret masked, and no text that is open; `after` lies before the text that is read. The owner has all as it is.
 */
export async function* storedEvents(
  core: Core,
  { run, reader }: Pick<ReadableRun, "run" | "reader">,
  { after = 0, signal }: { after?: number; signal: AbortSignal },
): AsyncGenerator<readonly StoredEvent[], void> {
  const masks = reader.kind === "run_view" ? new MaskedEvents() : null;
  for (let cursor = after; ; ) {
    const query = { caller: reader, runId: run.id, after: cursor, limit: EVENTS_A_PAGE, waitMs: 0, signal };
    const page = await readEventPage(core, query);
    if (!page.ok || page.value.events.length === 0) return;
    yield masks === null ? page.value.events : masks.take(page.value);
    cursor = page.value.next;
    if (cursor >= page.value.run.lastSeq || signal.aborted) return;
  }
}

export function toStoredRunEvent({ seq, at, json }: StoredEvent): StoredRunEvent {
  return {
    seq,
    at: new Date(at).toISOString(),
    event: storedRunEventSchema.shape.event.parse(JSON.parse(json)),
  };
}
