// A JSON object that somebody else understands, within bounds. Pure.

import * as z from "zod/mini";

/** Any JSON object of at most so many bytes as JSON and levels of nesting. */
export function boundedObject({ maxBytes, maxDepth }: { maxBytes: number; maxDepth: number }) {
  return z
    .record(z.string(), z.unknown())
    .check(
      z.refine(
        (value) =>
          isWithin(value, maxDepth) && new TextEncoder().encode(JSON.stringify(value)).length <= maxBytes,
        `must have at most ${maxBytes} bytes as JSON and ${maxDepth} levels of nesting`,
      ),
    );
}

/** Level by level: JSON.stringify gives up on what JSON.parse still reads. */
function isWithin(object: unknown, maxDepth: number): boolean {
  let level: unknown[] = [object];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null
        ? Object.values(value).filter((inner) => typeof inner === "object")
        : [],
    );
  }
  return true;
}
