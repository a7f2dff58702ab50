// Seals of thoughts: the signature of a thinking block, the encrypted content of a reasoning item, the signature of a call.
// A seal holds for its text and for all that came before it, as Anthropic checks it since Claude Fable 5.1:
// https://platform.claude.com/docs/build-with-claude/preserved-thinking/prefix-checks, looked up on 2026-11-23.

import { createHash } from "node:crypto";
import { canonicalJson } from "../../src/base/canonical-json.ts";

/** `prefix`: all that the thought follows (`prefixOf`), or a word of its own where an API binds a thought to nothing. */
export function sealThought(text: string, prefix: string): string {
  return createHash("sha256").update(`thought:${prefix}\n${text}`).digest("base64");
}

/** Equal for requests that say the same: marks of the cache do not count, and a text alone is the same as one block of it. */
export function prefixOf(...said: readonly unknown[]): string {
  return createHash("sha256")
    .update(canonicalJson(said.map(plain)))
    .digest("base64");
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).flatMap(([name, inner]): (readonly [string, unknown])[] => {
    if (name === "cache_control") return [];
    if (name === "content" && typeof inner === "string")
      return [[name, inner === "" ? [] : [{ type: "text", text: inner }]]];
    if (name === "role" && inner === "developer") return [[name, "system"]];
    return [[name, plain(inner)]];
  });
  return Object.fromEntries(fields);
}
