// A run's events as whoever has its link reads them, on the page, in downloads and live: texts that look like secrets are
// masked. A text that is said in pieces is masked as a whole, and is held back until it ends: half of a secret has no form that
// is known. Pure.
// Why: docs/decisions/067-who-reads-a-run-page.md

import { storedRunEventSchema } from "../../../contract/runs/run-event.ts";
import { maskSecrets } from "../../../report/find-secrets.ts";
import type { EventPage } from "../../core/runs/read-run.ts";
import type { RunRecord, StoredEvent } from "../../core/runs/run-record.ts";

/** A text that does not end is masked in parts of this size. */
const MAX_HELD_CHARS = 4_000_000;

type Fields = Readonly<Record<string, unknown>>;
type Held = { readonly stored: StoredEvent; readonly fields: Fields };

const shown = new WeakMap<RunRecord, RunRecord>();

/** The run itself: without what was asked, and with its job's words masked. The same record gives the same object. */
export function maskedRun(run: RunRecord): RunRecord {
  const before = shown.get(run);
  if (before !== undefined) return before;
  const { delivery } = run;
  const masked: RunRecord = {
    ...run,
    request: null,
    ...(delivery?.state === "reported"
      ? {
          delivery: {
            ...delivery,
            report: { ...delivery.report, title: maskSecrets(delivery.report.title) },
          },
        }
      : {}),
  };
  shown.set(run, masked);
  return masked;
}

/** Begins with the run's first event, or with the first of the one text that is read: no piece may be missing. */
export class MaskedEvents {
  #held: Held[] = [];
  #heldChars = 0;
  readonly #open = new Set<string>();

  /** The events that are ready, in their order: of the pages so far, but not of texts that are open. All are when the run is done. */
  take({ events, done }: Pick<EventPage, "events" | "done">): readonly StoredEvent[] {
    const ready = events.flatMap((event) => this.#add(event));
    return done ? [...ready, ...this.#release()] : ready;
  }

  #add(stored: StoredEvent): readonly StoredEvent[] {
    const fields: Fields = { ...storedRunEventSchema.shape.event.parse(JSON.parse(stored.json)) };
    this.#held.push({ stored, fields });
    const key = keyOf(fields);
    if (key !== null && typeof fields.delta === "string") {
      this.#open.add(key);
      this.#heldChars += fields.delta.length;
    } else if (key !== null && String(fields.type).endsWith("_END")) this.#open.delete(key);
    return this.#open.size === 0 || this.#heldChars > MAX_HELD_CHARS ? this.#release() : [];
  }

  #release(): readonly StoredEvent[] {
    const held = this.#held;
    this.#held = [];
    this.#heldChars = 0;
    this.#open.clear();
    const whole = new Map<string, string>();
    for (const { fields } of held) {
      const key = keyOf(fields);
      if (key !== null && typeof fields.delta === "string")
        whole.set(key, (whole.get(key) ?? "") + fields.delta);
    }
    const said = new Set<string>();
    return held.flatMap(({ stored, fields }) => {
      const key = keyOf(fields);
      if (key === null || typeof fields.delta !== "string") return [withFields(stored, masked(fields))];
      const text = whole.get(key) ?? "";
      const delta = maskSecrets(text);
      if (delta === text) return [stored];
      // The first piece has all of it.
      if (said.has(key)) return [];
      said.add(key);
      return [withFields(stored, { ...fields, delta })];
    });
  }
}

/** Of the message or call that an event is a piece of. */
function keyOf({ messageId, toolCallId }: Fields): string | null {
  const id = toolCallId ?? messageId;
  return typeof id === "string" ? id : null;
}

/** The record itself where nothing is masked: its text was written once for all readers. */
function withFields(stored: StoredEvent, fields: unknown): StoredEvent {
  const json = JSON.stringify(fields);
  return json === stored.json ? stored : { ...stored, json };
}

/** Each text within. */
function masked(value: unknown): unknown {
  if (typeof value === "string") return maskSecrets(value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]));
}
