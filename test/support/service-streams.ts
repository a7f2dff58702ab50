// What every stored stream of a run must be, whatever happened to the run: numbered without a gap, of our own events,
// and accepted by AG-UI's own verifier.

import { type BaseEvent, verifyEvents } from "@ag-ui/client";
import { EventSchema } from "@ag-ui/core/schemas";
import { from, lastValueFrom, toArray } from "rxjs";
import { expect } from "vitest";
import {
  type StoredRunEvent,
  type WrittenEvent,
  writtenEventSchema,
} from "../../src/contract/runs/run-event.ts";
import { turnUsageOf } from "../../src/contract/runs/turn-usage.ts";

const ENDS: readonly string[] = ["RUN_FINISHED", "RUN_ERROR"];

/** Checks a whole stream, and returns its events. */
export async function expectValidStream(stored: readonly StoredRunEvent[]): Promise<readonly WrittenEvent[]> {
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
  const events = stored.map(({ event }) => writtenEventSchema.parse(event));
  expect(events[0]?.type).toBe("RUN_STARTED");
  expect(events.filter(({ type }) => ENDS.includes(type))).toHaveLength(1);
  expect(ENDS).toContain(events.at(-1)?.type);
  for (const event of events) EventSchema.parse(event);
  const accepted = await lastValueFrom(
    verifyEvents(false)(from(events as unknown as BaseEvent[])).pipe(toArray()),
  );
  expect(accepted).toHaveLength(events.length);
  expectTurnsOnce(events);
  return events;
}

/** Whoever executed them, and however often: turns are told in their order, and each once. */
function expectTurnsOnce(events: readonly WrittenEvent[]): void {
  const told = events.flatMap((event) => turnUsageOf(event) ?? []);
  const turns = told.map(({ turn }) => turn);
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
  const keys = told.map(({ turn, role, model }) => JSON.stringify([turn, role, model ?? null]));
  expect(keys).toEqual([...new Set(keys)]);
}

/** The types of a stream in order, what belongs together said once: "TEXT_MESSAGE_CONTENT ×3". */
export function outlineOf(events: readonly { readonly type: unknown }[]): string[] {
  const lines: { type: string; count: number }[] = [];
  for (const type of events.map((event) => String(event.type))) {
    const last = lines.at(-1);
    if (last?.type === type) last.count += 1;
    else lines.push({ type, count: 1 });
  }
  return lines.map(({ type, count }) => (count === 1 ? type : `${type} ×${count}`));
}
