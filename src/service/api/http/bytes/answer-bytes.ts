// An answer as a stream of bytes: its length and ranges where they are known, sent as fast as the client reads.

import { Readable } from "node:stream";
import { isKnown } from "../entity-tag.ts";
import type { HangUp } from "../hang-up.ts";
import { answerProblem } from "../problems.ts";
import type { RequestContext } from "../request-context.ts";

/** Bytes that are read before the client has taken those before them. */
const READ_AHEAD_BYTES = 64 * 1024;

export type ByteContent = {
  readonly contentType: string;
  /** In bytes. Null where it is not known: then there are no ranges, and the answer says no length. */
  readonly size: number | null;
  /** Without quotes. Null where the content has none. */
  readonly etag: string | null;
  /**
   * Opens the content, or a part of it: what is not there is refused before anything is sent. `signal` aborts when the client goes
   * away. Called at most once.
   */
  open(
    part: ByteRange | null,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
};

type ByteAnswer = {
  readonly hangUp: HangUp;
  /** Of the answer with the content, not of a refusal. */
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * Answers 200 or 206 once the content is open, 304 to a known ETag, 416 to a range that is not there. Rejects as opening does. Owns
 * `hangUp` from here on.
 */
export async function answerBytes(
  context: RequestContext,
  content: ByteContent,
  { hangUp, headers = {} }: ByteAnswer,
): Promise<Response> {
  const { contentType, size } = content;
  const etag = content.etag === null ? null : `"${content.etag}"`;
  const tag: Record<string, string> = etag === null ? {} : { ETag: etag };
  if (etag !== null && isKnown(context.req.header("if-none-match"), etag)) {
    setHeaders(context, { ...headers, ...tag });
    hangUp.stop();
    return context.body(null, 304);
  }
  const shown = { ...headers, ...tag, "Content-Type": contentType };
  if (size === null) return await send(context, { content, part: null, hangUp, headers: shown });
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
  const ofPart: Record<string, string> =
    part === null ? {} : { "Content-Range": `bytes ${part.start}-${part.end - 1}/${size}` };
  const length = String(part === null ? size : part.end - part.start);
  const sized = { ...shown, "Accept-Ranges": "bytes", "Content-Length": length, ...ofPart };
  return await send(context, { content, part, hangUp, headers: sized });
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
  readonly headers: Readonly<Record<string, string>>;
};

async function send(context: RequestContext, { content, part, hangUp, headers }: Sending): Promise<Response> {
  const status = part === null ? 200 : 206;
  if (context.req.method === "HEAD") {
    hangUp.stop();
    setHeaders(context, headers);
    return context.body(null, status);
  }
  const bytes = await openedBytes(context, { content, part, hangUp });
  setHeaders(context, headers);
  return context.body(
    Readable.toWeb(
      Readable.from(bytes, { objectMode: false, highWaterMark: READ_AHEAD_BYTES }),
    ) as ReadableStream<Uint8Array>,
    status,
  );
}

/** Watches the client until the last byte was read, or nothing could be opened. */
async function openedBytes(
  context: RequestContext,
  { content, part, hangUp }: Pick<Sending, "content" | "part" | "hangUp">,
): Promise<AsyncIterable<Uint8Array>> {
  try {
    return watched(context, await content.open(part, hangUp.signal), hangUp);
  } catch (cause) {
    hangUp.stop();
    throw cause;
  }
}

/** Where reading fails, the connection breaks off: the client never takes a part for the whole. */
async function* watched(
  context: RequestContext,
  bytes: AsyncIterable<Uint8Array>,
  hangUp: HangUp,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (cause) {
    if (!hangUp.signal.aborted) context.get("log")().error({ err: cause }, "an answer broke off");
    context.env.outgoing.destroy();
  } finally {
    hangUp.stop();
  }
}

function setHeaders(context: RequestContext, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
}

/** From `start` up to, and not including, `end`. */
type ByteRange = { readonly start: number; readonly end: number };

/**
 * The range that a header asks for of so many bytes; "whole" where there is none, for units other than bytes and for
 * several ranges; "unsatisfiable" where it is malformed, or begins after the end.
 */
export function readRange(header: string | undefined, size: number): ByteRange | "whole" | "unsatisfiable" {
  const [, spec] = /^bytes=(.*)$/i.exec(header ?? "") ?? [];
  if (spec === undefined || spec.includes(",")) return "whole";
  const [, first = "", last = ""] = /^\s*(\d*)-(\d*)\s*$/.exec(spec) ?? [];
  if (first === "" && last === "") return "unsatisfiable";
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  return start < end ? { start, end } : "unsatisfiable";
}
