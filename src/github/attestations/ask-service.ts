// One question to a service that vouches for a signature, repeated while it is away. What it refuses is an AttestationError.

import type { BackoffPolicy, RetryNotice } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { parseObject } from "../../base/json.ts";
import { singleLine } from "../../base/untrusted-text.ts";
import { ConnectionError, DecodeError } from "../../client/errors.ts";
import { retrying } from "../../client/retry.ts";
import type { Transport, TransportResponse } from "../../client/transport.ts";
import { AttestationError } from "./attestation-error.ts";

const RETRY: BackoffPolicy = { attempts: 3, firstDelayMs: 500, maxDelayMs: 5_000 };
const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 512 * 1024;
const MAX_SAID_CHARS = 200;

export type ServiceAccess = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

type Question = {
  readonly method?: "POST" | "GET";
  readonly url: string;
  readonly body?: unknown;
  readonly bodyAs?: "text" | "base64";
  /** Whose answer it is, for messages. */
  readonly title: string;
  /** What to do where it refuses. */
  readonly advice: string;
  /** Statuses that are no refusal, beside those of success. */
  readonly allowed?: readonly number[];
};

/** Rejects with AttestationError, or with the signal's reason. */
export async function askService(access: ServiceAccess, question: Question): Promise<TransportResponse> {
  const { signal, transport } = access;
  const { method = "POST", url, body, bodyAs = "text", title, advice, allowed = [] } = question;
  const { host } = new URL(url);
  try {
    return await retrying({ ...access, policy: RETRY }, async () => {
      const answer = await transport({
        method,
        url,
        headers: { "content-type": "application/json", "user-agent": "agent-service-action" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        bodyAs,
        timeoutMs: TIMEOUT_MS,
        maxBodyBytes: MAX_ANSWER_BYTES,
        signal,
      }).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw unanswered(cause);
      });
      const { status } = answer;
      if ((status >= 200 && status < 300) || allowed.includes(status)) return answer;
      if (status >= 500 || status === 429)
        throw new DecodeError({ message: `It answered ${status}.`, status, contentType: "" });
      const said = bodyAs === "text" ? saidIn(answer.body) : "";
      throw new AttestationError(`${title} (${host}) answered ${status}${said}. ${advice}`);
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof AttestationError) throw cause;
    const why = cause instanceof Error ? cause.message : "unknown";
    throw new AttestationError(
      `${title} (${host}) cannot be reached: ${why} Let the job reach that host, and re-run it: it attests the commit that is there.`,
      { cause },
    );
  }
}

/** Told by codes: the transport's bundle has classes of its own. */
function unanswered(cause: unknown): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  const message = cause instanceof Error ? cause.message : "";
  return code === "connection_failed" || code === "timed_out"
    ? new ConnectionError(message, { cause })
    : cause;
}

/** As both services say why: `{"message": "…"}`. */
function saidIn(body: string): string {
  const message = parseObject(body)?.message;
  return typeof message === "string" ? `: ${singleLine(message, MAX_SAID_CHARS)}` : "";
}
