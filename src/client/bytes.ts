// Bytes in both directions, as streams: nothing is held as a whole. Retries only what can be sent again.

import type { Endpoint } from "../contract/endpoints.ts";
import type { ByteSource, Bytes, Download } from "./byte-source.ts";
import { decodeAnswer, decodeEmpty, refusalOf } from "./decode.ts";
import { ClientError } from "./errors.ts";
import type { ApiConnection, ApiResponse, ByteCall } from "./request.ts";
import { retrying } from "./retry.ts";
import {
  connectionFailed,
  readText,
  streamOf,
  type TransportRequest,
  type TransportResponse,
  transferBroken,
} from "./transport.ts";

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Whether a body is sent as bytes, not as JSON. */
export function isByteSource(body: unknown): body is ByteSource {
  return (
    typeof body === "function" ||
    body instanceof Uint8Array ||
    body instanceof Blob ||
    (typeof body === "object" && body !== null && (Symbol.asyncIterator in body || "getReader" in body))
  );
}

/** Sends bytes, or answers with bytes, or both. The signal ends also a download that is being read. */
export async function callBytes(
  connection: ApiConnection,
  { endpoint, source, ...call }: ByteCall,
): Promise<ApiResponse<unknown>> {
  const canRepeat = source === null || typeof source === "function" || !isOnce(source);
  let mayRefresh =
    call.credential === "renewable" && connection.credential.refresh !== undefined && canRepeat;
  const attempt = async (): Promise<ApiResponse<unknown>> => {
    const token = call.credential === "none" ? null : await connection.credential.token();
    const headers = {
      accept: endpoint.answer === "bytes" ? "*/*" : "application/json",
      "user-agent": connection.userAgent,
      ...(source === null ? {} : { "content-type": "application/octet-stream" }),
      ...call.headers,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    const request = { method: endpoint.method, url: call.url, headers, signal: call.signal };
    const response = await open(request, typeof source === "function" ? source() : source);
    try {
      return await read(connection, { endpoint, request, response });
    } catch (error) {
      if (!mayRefresh || response.status !== 401) throw error;
      mayRefresh = false;
      await connection.credential.refresh?.(call.signal);
      return await attempt();
    }
  };
  if (!canRepeat || endpoint.repeat === "once") return await attempt();
  return await retrying(
    { ...connection, policy: call.retry ?? connection.retry, signal: call.signal },
    attempt,
  );
}

function isOnce(bytes: Bytes): boolean {
  return !(bytes instanceof Uint8Array || bytes instanceof Blob);
}

type OpenRequest = Pick<TransportRequest, "method" | "url" | "headers" | "signal">;

async function open(request: OpenRequest, source: Bytes | null): Promise<Response> {
  const { method, url, headers, signal } = request;
  try {
    return await fetch(url, {
      method,
      headers,
      redirect: "manual",
      ...(signal === undefined ? {} : { signal }),
      ...(source === null ? {} : { body: bodyOf(source), duplex: "half" as const }),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ClientError) throw cause;
    throw connectionFailed(described(request), cause);
  }
}

function bodyOf(source: Bytes): Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> {
  if (source instanceof Uint8Array || source instanceof Blob || source instanceof ReadableStream)
    return source;
  return streamOf(source);
}

type Received = { readonly endpoint: Endpoint; readonly request: OpenRequest; readonly response: Response };

async function read(
  connection: ApiConnection,
  { endpoint, request, response }: Received,
): Promise<ApiResponse<unknown>> {
  const header: TransportResponse["headers"] = (name) => response.headers.get(name) ?? undefined;
  const isDownload = endpoint.answer === "bytes";
  if (isDownload && (response.ok || response.status === 304))
    return { value: downloadOf(request, response), header };
  const text = { status: response.status, headers: header, body: await readText(response, MAX_ANSWER_BYTES) };
  const answer = { request: described(request), response: text, nowMs: connection.clock.now() };
  if (isDownload) throw await refusalOf(answer);
  const { answer: decoder } = endpoint;
  if (typeof decoder === "function") return { value: await decodeAnswer(answer, decoder), header };
  return { value: await decodeEmpty(answer), header };
}

function downloadOf(request: OpenRequest, response: Response): Download {
  const { headers } = response;
  const size = headers.get("content-length");
  return {
    status: response.status,
    size: size === null ? null : Number(size),
    etag: headers.get("etag")?.replace(/^"(.*)"$/, "$1") ?? null,
    contentType: headers.get("content-type") ?? "",
    contentRange: headers.get("content-range"),
    body: response.body === null ? new Blob([]).stream() : streamOf(unbroken(request, response.body)),
  };
}

/** The same bytes. A transfer that breaks off is an error of the client's own. */
async function* unbroken(
  request: OpenRequest,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBufferLike>, void, undefined> {
  const reader = body.getReader();
  let isRead = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isRead = done;
      if (done) return;
      yield value;
    }
  } catch (cause) {
    isRead = true;
    request.signal?.throwIfAborted();
    throw transferBroken(described(request), cause);
  } finally {
    if (!isRead) await reader.cancel();
  }
}

/** As messages and errors describe a request. A stream has no time limit of its own: the caller's signal has. */
function described(request: OpenRequest): TransportRequest {
  return { ...request, timeoutMs: Number.POSITIVE_INFINITY, maxBodyBytes: MAX_ANSWER_BYTES };
}
