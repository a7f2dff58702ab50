// A text that GitHub keeps at another host, behind an address that is its own permission: the job's token stays at home.

import type { BackoffPolicy } from "../../base/backoff.ts";
import { isConfidential } from "../../base/confidential-url.ts";
import { ConnectionError, DecodeError } from "../../client/errors.ts";
import { retrying } from "../../client/retry.ts";
import { GitHubError } from "./github-error.ts";
import type { CodeHostOptions } from "./octokit.ts";

const RETRY: BackoffPolicy = { attempts: 3, firstDelayMs: 500, maxDelayMs: 10_000 };
const TIMEOUT_MS = 60_000;

type Download = {
  readonly url: string;
  /** Method and path of the call that named the address, for messages: the address itself is a secret for a minute. */
  readonly call: string;
  readonly maxBytes: number;
};

/** Rejects with GitHubError, or with the signal's reason when that aborts. Follows no further redirect. */
export async function downloadText(
  options: Pick<CodeHostOptions, "transport" | "clock" | "random" | "signal" | "onRetry">,
  { url, call, maxBytes }: Download,
): Promise<string> {
  const { signal, transport } = options;
  if (!URL.canParse(url) || !isConfidential(url)) {
    throw failure(call, { status: null, detail: "It names no address that could be read safely." });
  }
  try {
    return await retrying({ ...options, policy: RETRY }, async () => {
      const headers = { accept: "text/plain", "user-agent": "agent-service-action" };
      const request = { method: "GET" as const, url, headers, timeoutMs: TIMEOUT_MS, maxBodyBytes: maxBytes };
      const { status, body } = await transport({ ...request, signal }).catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw unanswered(call, { cause, maxBytes });
      });
      if (status === 200) return body;
      const message = `The storage behind ${call} answered ${status}.`;
      if (status === 429 || status >= 500) throw new DecodeError({ message, status, contentType: "" });
      throw failure(call, { status, detail: message });
    });
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof GitHubError) throw cause;
    throw failure(call, { status: null, detail: "The storage behind it did not answer.", cause });
  }
}

/** Told by codes: the transport's bundle has classes of its own. */
function unanswered(call: string, { cause, maxBytes }: { cause: unknown; maxBytes: number }): Error {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  if (code === "connection_failed" || code === "timed_out") return new ConnectionError("", { cause });
  const detail =
    code === "unexpected_answer"
      ? `The text behind it is larger than ${maxBytes} bytes.`
      : "The storage behind it cannot be read.";
  return failure(call, { status: null, detail, cause });
}

function failure(
  call: string,
  { status, detail, cause }: { status: number | null; detail: string; cause?: unknown },
): GitHubError {
  return new GitHubError({ code: "code_host_unavailable", call, status, detail, cause });
}
