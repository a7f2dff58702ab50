// The transport: one request to the service and one answer back. No retry, no meaning: request.ts has those.

import type { SizedBytes } from "./byte-source.ts";
import { ConnectionError, DecodeError, TimeoutError } from "./errors.ts";

/** One request, ready to be sent. */
export type TransportRequest = {
  /** The HTTP method. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The whole address, with its query. */
  readonly url: string;
  /** Headers by name, the credential among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes are sent as they are read, with their size as Content-Length. */
  readonly body?: string | SizedBytes;
  /** For the whole exchange, to the last byte of the answer. */
  readonly timeoutMs: number;
  /** The largest answer that is read; a larger one is a DecodeError. */
  readonly maxBodyBytes: number;
  /** Default: text, in UTF-8. */
  readonly bodyAs?: "text" | "base64";
  /** Ends the exchange: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
};

/** One whole answer. */
export type TransportResponse = {
  /** The HTTP status. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: (name: string) => string | undefined;
  /** The body, as the request's `bodyAs` says. */
  readonly body: string;
};

/**
 * Sends one request. Rejects with ConnectionError or TimeoutError when no whole answer came, with DecodeError when
 * the answer is larger than `maxBodyBytes`, with the signal's reason when it aborts. Follows no redirect: the
 * credential goes to the address that was configured and to no other.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The transport of Node and browsers, over `fetch`. */
export const fetchTransport: Transport = async (request) => {
  const expired = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal === undefined ? expired : AbortSignal.any([request.signal, expired]);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      redirect: "manual",
      signal,
      ...contentsOf(request),
    });
    return {
      status: response.status,
      headers: (name) => response.headers.get(name) ?? undefined,
      body: await readBody(response, request),
    };
  } catch (cause) {
    request.signal?.throwIfAborted();
    if (expired.aborted) throw timedOut(request);
    if (cause instanceof DecodeError) throw cause;
    throw connectionFailed(request, cause);
  }
};

function contentsOf({ headers, body }: TransportRequest) {
  if (body === undefined) return { headers };
  if (typeof body === "string") return { headers, body };
  const length = { "content-length": String(body.size) };
  return { headers: { ...headers, ...length }, body: streamOf(body.open()), duplex: "half" as const };
}

/** Read as fast as it is sent, and ended when it is not wanted any more. */
export function streamOf(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The error of a transport when time is up. */
export function timedOut(request: TransportRequest): TimeoutError {
  const where = describe(request);
  return new TimeoutError(`No answer to ${where} within ${request.timeoutMs} ms.`, request.timeoutMs);
}

/** The error of a transport when the connection broke before the last byte, or was not to be trusted. */
export function connectionFailed(request: TransportRequest, cause: unknown): ConnectionError {
  const why = causeCode(cause);
  const message = `No answer to ${describe(request)}: ${why}.`;
  if (!/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_TLS/.test(why)) return new ConnectionError(message, { cause });
  return new ConnectionError(`${message} Trust its certificate with NODE_EXTRA_CA_CERTS.`, {
    cause,
    code: "certificate_refused",
  });
}

/** The error of an answer that has begun and does not come to its end. */
export function transferBroken(request: TransportRequest, cause: unknown): ConnectionError {
  const message = `The answer to ${describe(request)} broke off: ${causeCode(cause)}.`;
  return new ConnectionError(message, { cause });
}

/** The error of a transport when the answer passes the cap. */
export function bodyTooLarge(request: TransportRequest, status: number): DecodeError {
  const message = `The answer to ${describe(request)} is larger than ${request.maxBodyBytes} bytes.`;
  return new DecodeError({ message, status, contentType: "" });
}

/** Method, host and path; never the query or the headers. */
export function describe(request: TransportRequest): string {
  const { host, pathname } = new URL(request.url);
  return `${request.method} ${host}${pathname}`;
}

async function readBody(
  response: Response,
  { maxBodyBytes, bodyAs }: Pick<TransportRequest, "maxBodyBytes" | "bodyAs">,
): Promise<string> {
  if (bodyAs !== "base64") return await readText(response, maxBodyBytes);
  let binary = "";
  await readChunks(response, maxBodyBytes, (chunk) => {
    for (const byte of chunk) binary += String.fromCharCode(byte);
  });
  return btoa(binary);
}

/** A body as text, at most so many bytes. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  await readChunks(response, maxBytes, (chunk) => {
    text += decoder.decode(chunk, { stream: true });
  });
  return text + decoder.decode();
}

async function readChunks(
  response: Response,
  maxBytes: number,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  if (response.body === null) return;
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      const message = `The answer is larger than ${maxBytes} bytes.`;
      throw new DecodeError({ message, status: response.status, contentType: "" });
    }
    take(value);
  }
}

/** The system's word for what broke ("ECONNRESET"): it may sit on a cause of the cause. */
function causeCode(cause: unknown): string {
  for (let at: unknown = cause; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return cause instanceof Error && cause.message !== "" ? cause.message : "the connection broke";
}
