// Requests to the API server of Kubernetes, with the token and the authority that a pod has from its service account: one object, one
// watch. Looked up on 2026-11-29: https://kubernetes.io/docs/reference/using-api/api-concepts/.

import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { errorCode } from "../../../base/error-code.ts";
import { isObject, parseObject } from "../../../base/json.ts";

const REQUEST_MS = 30_000;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_SAID_CHARS = 500;
/** The server ends a watch after this time, so that one that nobody answers any more is noticed. */
const WATCH_SECONDS = 240;

export type ClusterAccess = {
  /** Of the API server, https. */
  readonly url: string;
  /** Holds `token`, which is replaced from time to time, `ca.crt` and `namespace`. */
  readonly credentials: string;
  /** Default: the one in `credentials`. */
  readonly namespace: string | null;
};

/** A request failed. `status` is null where the server was not reached, or went away before its answer. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";
  readonly status: number | null;
  /** In a word, as Kubernetes names it: AlreadyExists. "" where it does not. */
  readonly reason: string;

  constructor(
    message: string,
    { status, reason = "", cause }: { status: number | null; reason?: string; cause?: unknown },
  ) {
    super(message, { cause });
    this.status = status;
    this.reason = reason;
  }

  /** Whether the same request may succeed a moment later. */
  get isAway(): boolean {
    return this.status === null || this.status === 429 || this.status >= 500;
  }
}

export type ClusterRequest = {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the server's root, without a query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly signal: AbortSignal;
};

export class ClusterClient {
  readonly #access: ClusterAccess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(access: ClusterAccess) {
    this.#access = access;
  }

  get url(): string {
    return this.#access.url;
  }

  /** The namespace of the settings, or the pod's own. */
  async namespace(): Promise<string> {
    return this.#access.namespace ?? (await this.#read("namespace")).trim();
  }

  /** Read anew each time: the kubelet replaces the token long before it ends. */
  async headersAndCa(): Promise<{ readonly headers: Record<string, string>; readonly ca: string }> {
    const [token, ca] = await Promise.all([this.#read("token"), this.#read("ca.crt")]);
    return { headers: { authorization: `Bearer ${token.trim()}` }, ca };
  }

  /** The object that the server answers with. Rejects with a `ClusterError`, or with the signal's reason. */
  async request(asked: ClusterRequest): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#send(asked).catch(async (cause: unknown) => {
      // The token was replaced between its reading and its use.
      if (cause instanceof ClusterError && cause.status === 401) return await this.#send(asked);
      throw cause;
    });
    const body = parseObject(await textOf(answer, asked.signal));
    if (body === null) throw new ClusterError("The API server answered with no object.", { status: null });
    return body;
  }

  /**
   * Tells of each change after `resourceVersion` as `{type, object}`. Ends when the server ends it; rejects with a `ClusterError`,
   * of status 410 where that version is not known any more, also where the server says so after its answer began.
   */
  async *watch(
    asked: Pick<ClusterRequest, "path" | "query" | "signal"> & { readonly resourceVersion: string },
  ): AsyncGenerator<{ readonly type: string; readonly object: Readonly<Record<string, unknown>> }> {
    const { path, resourceVersion, signal } = asked;
    const query = { ...asked.query, watch: "1", timeoutSeconds: `${WATCH_SECONDS}`, resourceVersion };
    const answer = await this.#send({ method: "GET", path, query, signal }, (WATCH_SECONDS + 30) * 1000);
    let rest = "";
    try {
      answer.setEncoding("utf8");
      for await (const chunk of answer) {
        rest += String(chunk);
        if (rest.length > MAX_BODY_BYTES) throw new ClusterError("An event is too large.", { status: null });
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const event = parseObject(line);
          if (event === null || typeof event.type !== "string" || !isObject(event.object)) continue;
          if (event.type === "ERROR") throw errorOf(event.object, numberOf(event.object.code));
          yield { type: event.type, object: event.object };
        }
      }
    } catch (cause) {
      signal.throwIfAborted();
      throw cause instanceof ClusterError ? cause : away(cause);
    } finally {
      answer.destroy();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #read(name: string): Promise<string> {
    const path = join(this.#access.credentials, name);
    return await readFile(path, "utf8").catch((cause: unknown) => {
      throw new ClusterError(`${path} cannot be read: does the pod have a service account?`, {
        status: 0,
        cause,
      });
    });
  }

  async #send(
    { method, path, query = {}, body, signal }: ClusterRequest,
    timeoutMs = REQUEST_MS,
  ): Promise<IncomingMessage> {
    signal.throwIfAborted();
    const { headers, ca } = await this.headersAndCa();
    const url = new URL(this.#access.url);
    url.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
    url.search = new URLSearchParams(query).toString();
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request(url, {
        method,
        ca,
        agent: this.#agent,
        signal,
        timeout: timeoutMs,
        headers: {
          ...headers,
          accept: "application/json",
          ...(sent === undefined
            ? {}
            : // Node names no length for DELETE by itself: the server would take the body for another request.
              { "content-type": "application/json", "content-length": Buffer.byteLength(sent) }),
        },
      });
      asked.once("timeout", () => asked.destroy(new Error("no answer in time")));
      asked.once("error", (cause) => reject(signal.aborted ? signal.reason : away(cause)));
      asked.once("response", resolve);
      asked.end(sent);
    });
    const { statusCode = 0 } = answer;
    if (statusCode < 300) return answer;
    const text = await textOf(answer, signal);
    throw errorOf(parseObject(text) ?? { message: text.slice(0, MAX_SAID_CHARS) }, statusCode);
  }
}

/** What a `Status` of Kubernetes says. */
export function errorOf(status: Readonly<Record<string, unknown>>, code: number | null): ClusterError {
  const { message, reason } = status;
  const said = typeof message === "string" && message !== "" ? message.slice(0, MAX_SAID_CHARS) : "no reason";
  return new ClusterError(`The API server of Kubernetes refused (${code ?? "?"}): ${said}`, {
    status: code,
    reason: typeof reason === "string" ? reason : "",
  });
}

export function away(cause: unknown): ClusterError {
  const code = errorCode(cause);
  const why = code ?? (cause instanceof Error ? cause.message : "no reason");
  return new ClusterError(`The API server of Kubernetes does not answer (${why}).`, { status: null, cause });
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

async function textOf(answer: IncomingMessage, signal: AbortSignal): Promise<string> {
  let text = "";
  try {
    answer.setEncoding("utf8");
    for await (const chunk of answer) {
      text += String(chunk);
      if (text.length > MAX_BODY_BYTES) throw new Error("the answer is too large");
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw away(cause);
  }
  return text;
}
