// The transport of an exchange for a program without one of its own, over `fetch`.

import type { ExchangeAnswer, SendExchange } from "./exchange-id-token.ts";

export const fetchExchange: SendExchange = async (message) => await fetchBounded(message);

type BoundedMessage = Omit<Parameters<SendExchange>[0], "method" | "body"> & {
  readonly method: string;
  readonly body?: string | undefined;
};

/** Rejects as SendExchange does. */
export async function fetchBounded({
  method,
  url,
  headers,
  body,
  timeoutMs,
  maxBodyBytes,
  signal,
}: BoundedMessage): Promise<ExchangeAnswer> {
  const expired = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
    signal: signal === undefined ? expired : AbortSignal.any([signal, expired]),
  }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new Error(expired.aborted ? `No answer within ${timeoutMs} ms.` : reasonOf(cause), { cause });
  });
  const { status } = answer;
  return {
    status,
    headers: (name) => answer.headers.get(name) ?? undefined,
    body: await readCapped(answer, maxBodyBytes),
  };
}

async function readCapped(answer: Response, maxBodyBytes: number): Promise<ExchangeAnswer["body"]> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the body.
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) {
      const message = `The answer is larger than ${maxBodyBytes} bytes.`;
      throw Object.assign(new Error(message), { status: answer.status });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Node hides the reason of a failed fetch in its cause. */
function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = inner instanceof Error && "code" in inner ? String(inner.code) : "the connection broke";
  return `The request failed: ${code}.`;
}
