// A run's events as whoever has its link reads them: without what is left of the account's credits. Pure.

import { QUOTA_EVENT } from "../../../contract/runs/run-event.ts";
import type { StoredEvent } from "./run-record.ts";

/** Of a type that no reader knows: it keeps the event's number, and readers pass over it. */
const WITHHELD = JSON.stringify({ type: "WITHHELD" });

export function forViewer(event: StoredEvent): StoredEvent {
  return isWithheld(event.json) ? { ...event, json: WITHHELD } : event;
}

function isWithheld(json: string): boolean {
  if (!json.includes(`"${QUOTA_EVENT}"`)) return false;
  const event: unknown = JSON.parse(json);
  return typeof event === "object" && event !== null && "name" in event && event.name === QUOTA_EVENT;
}
