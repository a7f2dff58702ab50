// Blobs in a bucket of an S3 server: single PUTs with a known length, GET with a range, HEAD, DELETE.
// Loaded only where BLOB_STORE is "s3".
// Why: docs/decisions/108-a-bucket-that-is-silent.md

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
} from "../core/blobs/blob-store.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { S3Config } from "./s3-config.ts";

/** About ten seconds in all. */
const RETRY: BackoffPolicy = { attempts: 5, firstDelayMs: 300, maxDelayMs: 5_000 };
/** In which nothing is sent, answered or read. */
const SILENCE_TIMEOUT_MS = 10_000;
const DELETES_AT_ONCE = 8;
const MAX_ERROR_BYTES = 4096;

type S3Options = {
  readonly config: S3Config;
  readonly clock: Clock;
  /** A number in [0, 1): the jitter. */
  readonly random: () => number;
  readonly fetch?: typeof fetch;
  /** The time that the server may be silent: 10 seconds unless told. */
  readonly silenceMs?: number;
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
  const s3: S3 = { ...options, client, breaker: new CircuitBreaker(options.clock) };
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
        // Each is answered before the next attempt, so that none of this one counts in it.
        const answers = await Promise.allSettled(some.map((key) => send(s3, { method: "DELETE", key })));
        const failed = answers.find(({ status }) => status === "rejected");
        if (failed?.status === "rejected") throw failed.reason;
      }
    },
    health: () => s3.breaker.health(),
  };
}

type S3 = S3Options & { readonly client: AwsClient; readonly breaker: CircuitBreaker };

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
  const { response, silence } = await sendWatched(s3, { method: "GET", key, headers, signal });
  if (response.status === 404) return null;
  if (response.status === 416) return { size: 0, content: nothing() };
  return {
    size: Number(response.headers.get("content-length")),
    content: response.body === null ? nothing() : readable(s3, response.body, silence),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** A reader that takes its time is not the server's silence. */
async function* readable(
  s3: S3,
  body: ReadableStream<Uint8Array>,
  silence: Silence,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  let isRead = false;
  try {
    for (;;) {
      silence.begin();
      const { done, value } = await reader.read();
      silence.end();
      isRead = done;
      if (done) return;
      yield value;
    }
  } catch (cause) {
    isRead = true;
    if (silence.isOver) s3.breaker.failed();
    throw new BlobStoreError(`The S3 server at S3_ENDPOINT (${hostOf(s3.config)}) broke off.`, { cause });
  } finally {
    silence.end();
    if (!isRead) await reader.cancel().catch(() => {});
  }
}

/** Aborts a request while the server is silent for too long. */
class Silence {
  readonly #silenceMs: number;
  readonly #late = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor({ silenceMs = SILENCE_TIMEOUT_MS }: Pick<S3Options, "silenceMs">) {
    this.#silenceMs = silenceMs;
  }

  get signal(): AbortSignal {
    return this.#late.signal;
  }

  get isOver(): boolean {
    return this.#late.signal.aborted;
  }

  /** From here on it is the server's turn. Safe to repeat: the time begins again. */
  begin(): void {
    clearTimeout(this.#timer);
    const silent = () => this.#late.abort(new Error(`no answer for ${this.#silenceMs / 1_000} s`));
    this.#timer = setTimeout(silent, this.#silenceMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

async function send(s3: S3, call: Call): Promise<Response> {
  return (await sendWatched(s3, call)).response;
}

type Answered = { readonly response: Response; readonly silence: Silence };

/** Sends a request until it is answered, at most a few times. Rejects with a BlobStoreError, or the signal's reason. */
async function sendWatched(s3: S3, call: Call): Promise<Answered> {
  const { breaker, config } = s3;
  call.signal?.throwIfAborted();
  if (!breaker.mayAsk()) {
    throw new BlobStoreError(
      `The S3 server at S3_ENDPOINT (${hostOf(config)}) has not answered lately, and is asked again in some seconds.`,
    );
  }
  try {
    return await sendUntilAnswered(s3, call);
  } finally {
    breaker.asked();
  }
}

async function sendUntilAnswered(s3: S3, call: Call): Promise<Answered> {
  const { breaker } = s3;
  for (let attempt = 1; ; attempt += 1) {
    call.signal?.throwIfAborted();
    const tried = await sendOnce(s3, call);
    if (tried.type === "answered") {
      breaker.succeeded();
      return tried;
    }
    const { isTransient, isSilent, error } = tried;
    const step = { attempt, retryAfterMs: undefined, random: s3.random() };
    // Who has waited for a silent server once is not made to wait again.
    const delayMs = isTransient && !isSilent ? nextDelayMs(RETRY, step) : null;
    if (delayMs !== null) {
      await s3.clock.sleep(delayMs, call.signal);
      continue;
    }
    if (isTransient) breaker.failed();
    else breaker.succeeded();
    throw error;
  }
}

type Tried =
  | ({ readonly type: "answered" } & Answered)
  | {
      readonly type: "failed";
      readonly isTransient: boolean;
      readonly isSilent: boolean;
      readonly error: BlobStoreError;
    };

async function sendOnce(s3: S3, { method, key, headers = {}, blob, signal }: Call): Promise<Tried> {
  const { config, client } = s3;
  const url = addressOf(config, checkBlobKey(key));
  // The bytes are not hashed before they are sent: TLS protects them, and whoever reads them knows their hash.
  const signed = await client.sign(url, {
    method,
    headers: { ...headers, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
  });
  const silence = new Silence(s3);
  silence.begin();
  try {
    const response = await (s3.fetch ?? fetch)(url, {
      method,
      headers: Object.fromEntries([...signed.headers, ...Object.entries(headers)]),
      redirect: "manual",
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
      ...(blob === undefined
        ? {}
        : { body: streamOf(sending(blob.open(), silence)), duplex: "half" as const }),
    });
    const { ok, status } = response;
    if (ok || (status === 404 && method !== "PUT" && !(await isBucketMissing(response)))) {
      if (method !== "GET") await response.body?.cancel();
      return { type: "answered", response, silence };
    }
    if (status === 416) return { type: "answered", response, silence };
    return { type: "failed", isSilent: false, ...(await refusalOf(config, response)) };
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof BlobStoreError) throw cause;
    const { isOver: isSilent } = silence;
    const why = isSilent ? "it does not answer" : reasonOf(cause);
    const message = `The S3 server at S3_ENDPOINT (${hostOf(config)}) cannot be reached: ${why}.`;
    return { type: "failed", isTransient: true, isSilent, error: new BlobStoreError(message, { cause }) };
  } finally {
    silence.end();
  }
}

/** Each piece that the server takes is a sign of life. */
async function* sending(
  content: AsyncIterable<Uint8Array>,
  silence: Silence,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of content) {
    silence.begin();
    yield chunk;
  }
  silence.begin();
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
