// The size of a message in a model's window, in characters. An image takes what providers count for one, not its bytes. Pure.

import type { ModelMessage } from "ai";

/** 1,600 tokens: the most that Anthropic counts for an image (looked up on 2026-11-22). Google and OpenAI count less for most. */
export const IMAGE_CHARS = 6_400;

const sizes = new WeakMap<ModelMessage, number>();

/** Messages are replaced, never changed: each is measured once. */
export function charsOf(message: ModelMessage): number {
  const known = sizes.get(message);
  if (known !== undefined) return known;
  let images = 0;
  const text = JSON.stringify(message, (_, value: unknown) => {
    if (!isImage(value)) return value;
    images += 1;
    return null;
  });
  const chars = text.length + images * IMAGE_CHARS;
  sizes.set(message, chars);
  return chars;
}

/** A part of a message, or of a tool's result, that holds an image or another file. */
export function isImage(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string")
    return false;
  return imageTypes.has(value.type) && ("data" in value || "image" in value || "url" in value);
}

/** As the AI SDK 7 calls them in messages and in results of tools. */
const imageTypes: ReadonlySet<string> = new Set([
  "image",
  "file",
  "media",
  "image-data",
  "image-url",
  "file-data",
  "file-url",
]);
