// Blobs in a bucket of an S3 server: single PUTs with a known length, GET with a range, HEAD, DELETE, presigned GET.
// Loaded only where BLOB_STORE is "s3".

import { Readable } from "node:stream";
import { AwsClient } from "aws4fetch";
import { type BackoffPolicy, nextDelayMs } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import {
  type BlobStore,
  BlobStoreError,
  checkBlobKey,
  type GetBlob,
  type NewBlob,
  type OpenBlob,
} from "../core/ports/blobs.ts";
import type { S3Config } from "./s3-config.ts";

/** About ten seconds in all. */
const RETRY: BackoffPolicy = { attempts: 5, firstDelayMs: 300, maxDelayMs: 5_000 };
/** Without an answer. A body that is sent or read has the caller's time. */
const ANSWER_TIMEOUT_MS = 60_000;
/** At most so slow may an upload be. */
const SLOWEST_BYTES_A_MS = 100;
const DELETES_AT_ONCE = 8;
const MAX_ERROR_BYTES = 4096;

export type S3Options = {
  readonly config: S3Config;
  readonly clock: Clock;
  /** A number in [0, 1): the jitter. */
  readonly random: () => number;
  readonly fetch?: typeof fetch;
};

/** Opens nothing until it is used. */
export function s3Blobs(options: S3Options): BlobStore {
  const { config } = options;
  const client = new AwsClient({
    accessKeyId: config.accessKeyId,
    secretAccessKey: config.secretAccessKey,
    region: config.region,
    service: "s3",
    // Retried here, where a body can be opened again.
    retries: 0,
  });
  const s3: S3 = { ...options, client };
  return {
    put: (blob) => put(s3, blob),
    get: (key, call = {}) => get(s3, key, call),
    head: async (key) => {
      const response = await send(s3, { method: "HEAD", key });
      if (response.status === 404) return null;
      return { size: Number(response.headers.get("content-length")) };
    },
    delete: async (keys) => {
      for (let at = 0; at < keys.length; at += DELETES_AT_ONCE) {
        const some = keys.slice(at, at + DELETES_AT_ONCE);
        await Promise.all(some.map((key) => send(s3, { method: "DELETE", key })));
      }
    },
    presignGet: async ({ key, seconds }) => {
      const url = new URL(addressOf(config, key));
      url.searchParams.set("X-Amz-Expires", String(seconds));
      return (await client.sign(url.href, { method: "GET", aws: { signQuery: true } })).url;
    },
  };
}

type S3 = S3Options & { readonly client: AwsClient };

type Call = {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly blob?: NewBlob;
  readonly signal?: AbortSignal | undefined;
};

async function put(s3: S3, blob: NewBlob): Promise<void> {
  const { key, size, signal } = blob;
  await send(s3, { method: "PUT", key, headers: { "content-length": String(size) }, blob, signal });
}

async function get(s3: S3, key: string, { range, signal }: GetBlob): Promise<OpenBlob | null> {
  if (range !== undefined && range.start >= range.end) return { size: 0, content: nothing() };
  const headers: Record<string, string> =
    range === undefined ? {} : { range: `bytes=${range.start}-${range.end - 1}` };
  const response = await send(s3, { method: "GET", key, headers, signal });
  if (response.status === 404) return null;
  if (response.status === 416) return { size: 0, content: nothing() };
  return {
    size: Number(response.headers.get("content-length")),
    content: response.body === null ? nothing() : readable(s3, response.body),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* readable(
  { config }: S3,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (cause) {
    throw new BlobStoreError(`The S3 server at S3_ENDPOINT (${hostOf(config)}) broke off.`, { cause });
  }
}

/** Sends a request until it is answered, at most a few times. Rejects with a BlobStoreError, or the signal's reason. */
async function send(s3: S3, call: Call): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    call.signal?.throwIfAborted();
    const tried = await sendOnce(s3, call);
    if (tried.type === "answered") return tried.response;
    const delayMs = tried.isTransient
      ? nextDelayMs(RETRY, { attempt, retryAfterMs: undefined, random: s3.random() })
      : null;
    if (delayMs === null) throw tried.error;
    await s3.clock.sleep(delayMs, call.signal);
  }
}

type Tried =
  | { readonly type: "answered"; readonly response: Response }
  | { readonly type: "failed"; readonly isTransient: boolean; readonly error: BlobStoreError };

async function sendOnce(s3: S3, { method, key, headers = {}, blob, signal }: Call): Promise<Tried> {
  const { config, client } = s3;
  const url = addressOf(config, checkBlobKey(key));
  // The bytes are not hashed before they are sent: TLS protects them, and whoever reads them knows their hash.
  const signed = await client.sign(url, {
    method,
    headers: { ...headers, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
  });
  const timeoutMs = ANSWER_TIMEOUT_MS + (blob?.size ?? 0) / SLOWEST_BYTES_A_MS;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error("no answer in time")), timeoutMs);
  try {
    const response = await (s3.fetch ?? fetch)(url, {
      method,
      headers: Object.fromEntries([...signed.headers, ...Object.entries(headers)]),
      redirect: "manual",
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      ...(blob === undefined ? {} : { body: streamOf(blob.open()), duplex: "half" as const }),
    });
    const { ok, status } = response;
    if (ok || (status === 404 && method !== "PUT" && !(await isBucketMissing(response)))) {
      if (method !== "GET") await response.body?.cancel();
      return { type: "answered", response };
    }
    if (status === 416) return { type: "answered", response };
    return { type: "failed", ...(await refusalOf(config, response)) };
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof BlobStoreError) throw cause;
    const message = `The S3 server at S3_ENDPOINT (${hostOf(config)}) cannot be reached: ${reasonOf(cause)}.`;
    return { type: "failed", isTransient: true, error: new BlobStoreError(message, { cause }) };
  } finally {
    clearTimeout(timer);
  }
}

/** A GET that finds no bucket answers as one that finds no key does, but for the code in its body. */
async function isBucketMissing(response: Response): Promise<boolean> {
  return codeIn(await textOf(response)) === "NoSuchBucket";
}

async function refusalOf(
  config: S3Config,
  response: Response,
): Promise<{ isTransient: boolean; error: BlobStoreError }> {
  const { status } = response;
  const code = codeIn(await textOf(response));
  const what = `The S3 server at S3_ENDPOINT (${hostOf(config)}) answered ${status}${code === "" ? "" : ` ${code}`}.`;
  return {
    isTransient: status >= 500 || status === 429 || code === "RequestTimeout" || code === "SlowDown",
    error: new BlobStoreError(`${what} ${adviceFor(status, code)}`),
  };
}

function adviceFor(status: number, code: string): string {
  if (code === "NoSuchBucket" || (status === 404 && code === ""))
    return "Look at S3_BUCKET: it does not exist.";
  if (code === "InvalidAccessKeyId") return "Look at S3_ACCESS_KEY_ID.";
  if (code === "SignatureDoesNotMatch") return "Look at S3_SECRET_ACCESS_KEY and S3_REGION.";
  if (status === 301 || code === "AuthorizationHeaderMalformed" || code === "PermanentRedirect")
    return "Look at S3_REGION and S3_ENDPOINT.";
  if (status === 401 || status === 403)
    return "Look at S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and at what that key may do in S3_BUCKET.";
  if (status >= 300 && status < 400)
    return "Redirects are not followed: look at S3_ENDPOINT and S3_PATH_STYLE.";
  return "Look at the server's own log.";
}

function addressOf({ endpoint, bucket, pathStyle }: S3Config, key: string): string {
  if (pathStyle) return `${endpoint}/${bucket}/${key}`;
  const url = new URL(endpoint);
  return `${url.protocol}//${bucket}.${url.host}${url.pathname.replace(/\/$/, "")}/${key}`;
}

function hostOf({ endpoint }: S3Config): string {
  return new URL(endpoint).host;
}

async function textOf(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_ERROR_BYTES) break;
    }
  } catch {
    // What has arrived of it.
  }
  return text;
}

/** The stable word of an error, in XML. */
function codeIn(text: string): string {
  return /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text.slice(0, MAX_ERROR_BYTES))?.[1] ?? "";
}

/** The system's word for what broke: it may sit on a cause of the cause. */
function reasonOf(cause: unknown): string {
  for (let at: unknown = cause; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return cause instanceof Error ? cause.message : "the connection broke";
}

function streamOf(content: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(content, { objectMode: false })) as ReadableStream<Uint8Array>;
}
