// Answers that a client may keep: their ETag, and 304 to a client that has them already.

import { hash } from "node:crypto";
import type { RequestContext } from "./request-context.ts";

/** A body with its strong ETag. */
export type TaggedBody = { readonly body: string; readonly etag: string };

export function tagBody(body: string): TaggedBody {
  return { body, etag: `"${hash("sha1", body, "base64url")}"` };
}

/** Answers with the body, or with 304 when If-None-Match names it. */
export function answerTagged(
  context: RequestContext,
  { body, etag, contentType, cacheControl }: TaggedBody & { contentType: string; cacheControl?: string },
): Response {
  context.header("ETag", etag);
  if (cacheControl !== undefined) context.header("Cache-Control", cacheControl);
  if (isKnown(context.req.header("if-none-match"), etag)) return context.body(null, 304);
  context.header("Content-Type", contentType);
  return context.body(body);
}

/** True when If-None-Match names the answer: among others, weakly, or as "any" (RFC 9110 §13.1.2). */
export function isKnown(header: string | undefined, etag: string): boolean {
  const known = (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*");
}
