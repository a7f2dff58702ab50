// An answer as a stream of bytes: its length and ranges where they are known, sent as fast as the client reads.

import { Readable } from "node:stream";
import { isKnown } from "../entity-tag.ts";
import type { HangUp } from "../hang-up.ts";
import { answerProblem } from "../problems.ts";
import type { RequestContext } from "../request-context.ts";
import { type ByteRange, readRange } from "./range.ts";

/** What is read before the client has taken what came before it. */
const READ_AHEAD_BYTES = 64 * 1024;

export type ByteContent = {
  readonly contentType: string;
  /** In bytes. Null where it is not known: then there are no ranges, and the answer says no length. */
  readonly size: number | null;
  /** Without quotes. Null where the content has none. */
  readonly etag: string | null;
  /** Opens the content, or a part of it. `signal` aborts when the client goes away. Called at most once. */
  open(part: ByteRange | null, signal: AbortSignal): AsyncIterable<Uint8Array>;
};

/** Answers 200 or 206, 304 to a known ETag, 416 to a range that is not there. Owns `hangUp` from here on. */
export function answerBytes(context: RequestContext, content: ByteContent, hangUp: HangUp): Response {
  const { contentType, size } = content;
  const etag = content.etag === null ? null : `"${content.etag}"`;
  if (etag !== null) context.header("ETag", etag);
  if (etag !== null && isKnown(context.req.header("if-none-match"), etag))
    return finish(context, hangUp, 304);
  context.header("Content-Type", contentType);
  if (size === null) return send(context, { content, part: null, hangUp });
  context.header("Accept-Ranges", "bytes");
  const range = rangeOf(context, { etag, size });
  if (range === "unsatisfiable") {
    hangUp.stop();
    return answerProblem(context, {
      status: 416,
      code: "range_not_satisfiable",
      message: `Range "${context.req.header("range")}" is malformed or not there: there are ${size} bytes.`,
      headers: { "Content-Range": `bytes */${size}` },
    });
  }
  const part = range === "whole" ? null : range;
  context.header("Content-Length", String(part === null ? size : part.end - part.start));
  if (part !== null) {
    context.status(206);
    context.header("Content-Range", `bytes ${part.start}-${part.end - 1}/${size}`);
  }
  return send(context, { content, part, hangUp });
}

/** With If-Range, a range only of the version that it names. */
function rangeOf(
  context: RequestContext,
  { etag, size }: { etag: string | null; size: number },
): ReturnType<typeof readRange> {
  const ifRange = context.req.header("if-range");
  if (ifRange !== undefined && ifRange !== etag) return "whole";
  return readRange(context.req.header("range"), size);
}

type Sending = {
  readonly content: ByteContent;
  readonly part: ByteRange | null;
  readonly hangUp: HangUp;
};

function send(context: RequestContext, { content, part, hangUp }: Sending): Response {
  if (context.req.method === "HEAD") return finish(context, hangUp);
  async function* bytes() {
    try {
      yield* content.open(part, hangUp.signal);
    } finally {
      hangUp.stop();
    }
  }
  return context.body(
    Readable.toWeb(
      Readable.from(bytes(), { objectMode: false, highWaterMark: READ_AHEAD_BYTES }),
    ) as ReadableStream<Uint8Array>,
  );
}

function finish(context: RequestContext, hangUp: HangUp, status?: 304): Response {
  hangUp.stop();
  return status === undefined ? context.body(null) : context.body(null, status);
}
