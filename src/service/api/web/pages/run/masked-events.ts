// A run's events as whoever has its link downloads them: what looks like a secret is masked, as it is on the page. A text that was said
// in pieces is masked as a whole. Pure.
// Why: docs/decisions/067-who-reads-a-run-page.md

import { type StoredRunEvent, storedRunEventSchema } from "../../../../../contract/runs/run-event.ts";
import { maskSecrets } from "../../../../../report/find-secrets.ts";

/** A text that does not end is masked in parts of this size. */
const MAX_HELD_CHARS = 4_000_000;

type Fields = Readonly<Record<string, unknown>>;

export class MaskedEvents {
  #held: StoredRunEvent[] = [];
  #heldChars = 0;
  readonly #open = new Set<string>();

  /** The events that are ready, in their order. Those of a text come when it ends. */
  add(stored: StoredRunEvent): readonly StoredRunEvent[] {
    this.#held.push(stored);
    const fields: Fields = { ...stored.event };
    const key = keyOf(fields);
    if (key !== null && typeof fields.delta === "string") {
      this.#open.add(key);
      this.#heldChars += fields.delta.length;
    } else if (key !== null && String(fields.type).endsWith("_END")) this.#open.delete(key);
    return this.#open.size === 0 || this.#heldChars > MAX_HELD_CHARS ? this.end() : [];
  }

  /** Those that are left. */
  end(): readonly StoredRunEvent[] {
    const held = this.#held;
    this.#held = [];
    this.#heldChars = 0;
    this.#open.clear();
    const whole = new Map<string, string>();
    for (const { event } of held) {
      const fields: Fields = { ...event };
      const key = keyOf(fields);
      if (key !== null && typeof fields.delta === "string")
        whole.set(key, (whole.get(key) ?? "") + fields.delta);
    }
    const said = new Set<string>();
    return held.flatMap((stored) => {
      const fields: Fields = { ...stored.event };
      const key = keyOf(fields);
      if (key === null || typeof fields.delta !== "string") return [withEvent(stored, masked(fields))];
      const text = whole.get(key) ?? "";
      const delta = maskSecrets(text);
      if (delta === text) return [stored];
      // The first piece has all of it.
      if (said.has(key)) return [];
      said.add(key);
      return [withEvent(stored, { ...fields, delta })];
    });
  }
}

/** Of the message or call that an event is a piece of. */
function keyOf({ messageId, toolCallId }: Fields): string | null {
  const id = toolCallId ?? messageId;
  return typeof id === "string" ? id : null;
}

function withEvent(stored: StoredRunEvent, event: unknown): StoredRunEvent {
  return { ...stored, event: storedRunEventSchema.shape.event.parse(event) };
}

/** Each text within. */
function masked(value: unknown): unknown {
  if (typeof value === "string") return maskSecrets(value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]));
}
