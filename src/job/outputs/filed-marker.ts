// The hidden line by which a job finds the issues and discussions that it filed. It is the last one: the agent's text is above it. Pure.

import { createHash } from "node:crypto";
import type { Filing } from "./outputs-host.ts";

const HASH_CHARS = 32;
const LAST_LINE = /\r?\n<!-- agent-service:filed ([0-9a-f]{32}) ([0-9a-f]{32}) -->\s*$/;

/** `place`: the step of a workflow, whichever branch it is on. `item`: one text of one run. */
export type FiledMarker = { readonly place: string; readonly item: string };

type Filed = Pick<Filing, "place" | "runKey"> & {
  readonly type: "issue" | "discussion";
  /** Counted from 0 within the run. */
  readonly index: number;
};

export function filedMarker({ place, runKey, type, index }: Filed): FiledMarker {
  return { place: hashOf([type, ...place]), item: hashOf([type, runKey, String(index)]) };
}

export function markerLine({ place, item }: FiledMarker): string {
  return `<!-- agent-service:filed ${place} ${item} -->`;
}

/** Null for a text that no job of ours ended. */
export function markerOf(body: string): FiledMarker | null {
  const [, place, item] = LAST_LINE.exec(body) ?? [];
  return place === undefined || item === undefined ? null : { place, item };
}

/** Whether the text ends with this very marker: two steps of one job have the same run, and each its own texts. */
export function isMarked(body: string, marker: FiledMarker): boolean {
  const found = markerOf(body);
  return found !== null && found.place === marker.place && found.item === marker.item;
}

function hashOf(what: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(what)).digest("hex").slice(0, HASH_CHARS);
}
