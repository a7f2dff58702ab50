// Bytes through the client and the service over a real socket, in both directions: streamed, capped, aborted, in ranges.

import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ByteContent } from "../../../../../src/service/api/http/bytes/answer-bytes.ts";
import { RequestBodyError } from "../../../../../src/service/api/http/bytes/request-bytes.ts";
import { ContentsLostError } from "../../../../../src/service/core/blobs/blob-store.ts";
import { type FileStore, MAX_BYTES, openByteServer } from "./byte-server.ts";

const CHUNK = new Uint8Array(64 * 1024).fill(97);
/** What sockets and streams may hold between the two ends; a body that is collected holds all of it. */
const MAX_LAG = 16 * 1024 * 1024;
const LARGE = 48 * 1024 * 1024;
const TEXT = Buffer.from("0123456789");

const smallFile: ByteContent = {
  contentType: "text/plain",
  size: TEXT.length,
  etag: "1234",
  open: async function* (part) {
    yield part === null ? TEXT : TEXT.subarray(part.start, part.end);
  },
};
const store: FileStore = { write: count, content: smallFile };

async function count(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let total = 0;
  for await (const chunk of bytes) total += chunk.length;
  return total;
}

/** How far a writer runs ahead of its reader. */
class Lag {
  max = 0;
  #produced = 0;
  #consumed = 0;

  async *produce(bytes: number): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    for (let left = bytes; left > 0; left -= CHUNK.length) {
      this.#produced += CHUNK.length;
      this.max = Math.max(this.max, this.#produced - this.#consumed);
      yield CHUNK;
    }
  }

  /** Reads slowly: the writer gets every turn of the event loop in between. */
  async consume(bytes: AsyncIterable<Uint8Array>): Promise<number> {
    for await (const chunk of bytes) {
      this.#consumed += chunk.length;
      await setImmediate();
    }
    return this.#consumed;
  }
}

async function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  return await new Response(body).text();
}

describe("an upload", () => {
  it("waits for the handler: what is on its way stays small, however large the body", async () => {
    const lag = new Lag();
    await using at = await openByteServer({ ...store, write: (bytes) => lag.consume(bytes) });
    expect(await at.files.write({ id: "a", body: lag.produce(LARGE) })).toEqual({ bytes: LARGE });
    expect(lag.max).toBeLessThan(MAX_LAG);
  });

  it("takes bytes, a blob, a stream, an iterable, and a function that makes one", async () => {
    await using at = await openByteServer(store);
    const iterable = () => new Lag().produce(CHUNK.length);
    for (const body of [CHUNK, new Blob([CHUNK]), new Blob([CHUNK]).stream(), iterable(), iterable]) {
      expect(await at.files.write({ id: "a", body })).toEqual({ bytes: CHUNK.length });
    }
  });

  it("is refused with 413 while it arrives, once it passes the cap", async () => {
    await using at = await openByteServer(store);
    const failure = at.files.write({ id: "a", body: new Lag().produce(MAX_BYTES + 1) });
    await expect(failure).rejects.toMatchObject({ status: 413, code: "body_too_large" });
  });

  it("is refused with 413 before it is read, when it declares more than the cap", async () => {
    let isRead = false;
    await using at = await openByteServer({
      ...store,
      write: async () => {
        isRead = true;
        return 0;
      },
    });
    const { hostname, port } = new URL(at.url);
    const socket = connect(Number(port), hostname);
    const head = ["PUT /files/a HTTP/1.1", "Host: x", "Connection: close"];
    const headers = ["Content-Type: application/octet-stream", `Content-Length: ${MAX_BYTES + 1}`];
    socket.write([...head, ...headers, "", ""].join("\r\n"));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
    expect(isRead).toBe(false);
  });

  it("of another type is refused with 415", async () => {
    await using at = await openByteServer(store);
    const failure = at.files.write({ id: "a", body: CHUNK, contentType: "text/plain" });
    await expect(failure).rejects.toMatchObject({ status: 415, code: "unsupported_media_type" });
  });

  it("that is aborted ends the handler's reading, and is no error of the service", async () => {
    const seen = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<void>();
    const stop = new AbortController();
    await using at = await openByteServer({
      ...store,
      write: async (bytes) => {
        try {
          for await (const _ of bytes) begun.resolve();
          return 0;
        } catch (cause) {
          seen.resolve(cause);
          throw cause;
        }
      },
    });
    const endless = new Lag().produce(MAX_BYTES);
    const slow = (async function* () {
      yield* [(await endless.next()).value ?? CHUNK];
      await new Promise<never>(() => {});
    })();
    const failure = at.files.write({ id: "a", body: slow, signal: stop.signal });
    failure.catch(() => {});
    await begun.promise;
    stop.abort(new Error("enough"));
    await expect(failure).rejects.toThrow("enough");
    expect(await seen.promise).toBeInstanceOf(RequestBodyError);
    expect(at.fixture.logs.filter((line) => line.startsWith("error"))).toEqual([]);
  });

  it("with a stale If-Match is refused with 412, which says the ETag that holds", async () => {
    await using at = await openByteServer(store);
    const stale = at.files.write({ id: "a", body: CHUNK, ifMatch: "1233" });
    await expect(stale).rejects.toMatchObject({
      status: 412,
      code: "precondition_failed",
      message: "etag mismatch",
      currentEtag: "1234",
    });
    expect(await at.files.write({ id: "a", body: CHUNK, ifMatch: "1234" })).toEqual({ bytes: CHUNK.length });
  });
});

describe("a download", () => {
  it("waits for the reader: what is on its way stays small, however large the content", async () => {
    const lag = new Lag();
    const open = () => lag.produce(LARGE);
    await using at = await openByteServer({ ...store, content: { ...smallFile, size: LARGE, open } });
    const { body, size, etag } = await at.files.read({ id: "a" });
    expect([size, etag]).toEqual([LARGE, "1234"]);
    expect(await lag.consume(body)).toBe(LARGE);
    expect(lag.max).toBeLessThan(MAX_LAG);
  });

  it("of unknown size has no length and no ranges", async () => {
    await using at = await openByteServer({ ...store, content: { ...smallFile, size: null, etag: null } });
    const { status, body, size, etag } = await at.files.read({ id: "a", range: { start: 2 } });
    expect([status, size, etag, await textOf(body)]).toEqual([200, null, null, "0123456789"]);
  });

  it.each([
    [{ start: 2, end: 5 }, "bytes 2-4/10", "234"],
    [{ start: 7 }, "bytes 7-9/10", "789"],
    [{ start: 7, end: 900 }, "bytes 7-9/10", "789"],
  ])("gives the range %j", async (range, contentRange, bytes) => {
    await using at = await openByteServer(store);
    const part = await at.files.read({ id: "a", range });
    expect([part.status, part.size, part.contentRange]).toEqual([206, bytes.length, contentRange]);
    expect(await textOf(part.body)).toBe(bytes);
  });

  it("refuses a range that is not there, or is malformed, with 416 and the size", async () => {
    await using at = await openByteServer(store);
    await expect(at.files.read({ id: "a", range: { start: 10 } })).rejects.toMatchObject({
      status: 416,
      code: "range_not_satisfiable",
    });
    for (const range of ["bytes=-", "bytes=x-y", "bytes=5-2", "bytes=10-"]) {
      const answer = await fetch(`${at.url}/files/a`, { headers: { range } });
      expect([answer.status, answer.headers.get("content-range")], range).toEqual([416, "bytes */10"]);
    }
  });

  it("gives the whole to units and lists that it does not serve, and to an If-Range of another version", async () => {
    await using at = await openByteServer(store);
    const headers: Record<string, string>[] = [
      { range: "lines=1-2" },
      { range: "bytes=0-1,3-4" },
      { range: "bytes=0-1", "if-range": '"1"' },
    ];
    for (const sent of headers) {
      const answer = await fetch(`${at.url}/files/a`, { headers: sent });
      expect([answer.status, await answer.text()]).toEqual([200, "0123456789"]);
    }
    const last = await fetch(`${at.url}/files/a`, { headers: { range: "bytes=-3", "if-range": '"1234"' } });
    expect([last.status, await last.text()]).toEqual([206, "789"]);
  });

  it("answers 304 to whoever has it, and HEAD without opening it", async () => {
    let opened = 0;
    const open: ByteContent["open"] = (part, signal) => {
      opened += 1;
      return smallFile.open(part, signal);
    };
    await using at = await openByteServer({ ...store, content: { ...smallFile, open } });
    const known = await fetch(`${at.url}/files/a`, { headers: { "if-none-match": '"1234"' } });
    expect([known.status, known.headers.get("etag")]).toEqual([304, '"1234"']);
    const head = await fetch(`${at.url}/files/a`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "10"]);
    expect(opened).toBe(0);
  });

  it.each([
    ["of known size", 200],
    ["of unknown size", null],
  ])("%s that fails on its way breaks off: nothing takes the place of what is missing", async (_, size) => {
    const seen = Promise.withResolvers<void>();
    const open: ByteContent["open"] = async function* () {
      yield TEXT;
      await seen.promise;
      throw new Error("what only the log may know");
    };
    await using at = await openByteServer({ ...store, content: { ...smallFile, size, open } });
    const { hostname, port } = new URL(at.url);
    const socket = connect(Number(port), hostname);
    socket.write("GET /files/a HTTP/1.1\r\nHost: x\r\n\r\n");
    let raw = "";
    socket.on("data", (chunk) => {
      raw += chunk.toString("latin1");
      if (raw.includes(String(TEXT))) seen.resolve();
    });
    await new Promise<void>((resolve) => {
      socket.on("close", () => resolve());
      // A connection that is reset has broken off, too.
      socket.on("error", () => {});
    });
    expect(raw).toMatch(/^HTTP\/1.1 200 /);
    expect(raw.slice(raw.indexOf("\r\n\r\n") + 4)).toBe(size === null ? "a\r\n0123456789\r\n" : "0123456789");
    const errors = at.fixture.logs.filter((line) => line.startsWith("error"));
    expect(errors).toEqual([expect.stringContaining("an answer broke off")]);
  });

  it("that is not there is refused before anything of it is sent", async () => {
    const open: ByteContent["open"] = async () => {
      throw new ContentsLostError("It has gone.");
    };
    await using at = await openByteServer({ ...store, content: { ...smallFile, open } });
    const refused = await fetch(`${at.url}/files/a`, { headers: { range: "bytes=1-2" } });
    const length = Number(refused.headers.get("content-length"));
    expect([refused.status, refused.headers.get("content-range"), refused.headers.get("etag")]).toEqual([
      500,
      null,
      null,
    ]);
    expect(length).toBe((await refused.text()).length);
  });

  it("that is aborted tells the service, which stops reading", async () => {
    const closed = Promise.withResolvers<boolean>();
    const open: ByteContent["open"] = async function* (_part, signal) {
      try {
        for (;;) {
          yield CHUNK;
          await setImmediate();
        }
      } finally {
        closed.resolve(signal.aborted);
      }
    };
    await using at = await openByteServer({ ...store, content: { ...smallFile, size: null, open } });
    const stop = new AbortController();
    const { body } = await at.files.read({ id: "a", signal: stop.signal });
    const reader = body.getReader();
    await reader.read();
    stop.abort(new Error("enough"));
    await expect(reader.read().then(() => reader.read())).rejects.toThrow("enough");
    await closed.promise;
    expect(at.fixture.logs.filter((line) => line.startsWith("error"))).toEqual([]);
  });
});
