// One image that GitHub keeps, from an address that is allowed, and from nowhere else.

import type { BackoffPolicy } from "../../base/backoff.ts";
import { type ImageType, imageTypeOf } from "../../base/image-type.ts";
import { retrying } from "../../client/retry.ts";
import type { CodeHostOptions } from "../api/octokit.ts";
import { mayBeRead } from "./image-references.ts";

const RETRY: BackoffPolicy = { attempts: 2, firstDelayMs: 500, maxDelayMs: 5_000 };
const TIMEOUT_MS = 20_000;
const MAX_REDIRECTS = 2;
const HEAD_CHARS = 64;

export type DownloadOptions = Pick<
  CodeHostOptions,
  "transport" | "clock" | "random" | "signal" | "onRetry" | "token"
> & {
  /** The code host's own address. Its token goes there alone. */
  readonly serverUrl: string;
};

type DownloadedImage =
  | { readonly ok: true; readonly mime: ImageType; readonly base64: string; readonly bytes: number }
  /** `why` is a few words for the model and for the log. */
  | { readonly ok: false; readonly why: string };

/** Rejects only with the signal's reason. */
export async function downloadImage(
  options: DownloadOptions,
  { url, maxBytes }: { readonly url: string; readonly maxBytes: number },
): Promise<DownloadedImage> {
  const { serverUrl, signal } = options;
  let address = url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    if (!mayBeRead(address, serverUrl)) return refused("it is kept at another host");
    const answer = await ask(options, { address, maxBytes }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      const code = cause instanceof Error && "code" in cause ? cause.code : null;
      return code === "unexpected_answer" ? "too_large" : null;
    });
    if (answer === "too_large") return refused(`it has more than ${maxBytes} bytes`);
    if (answer === null) return refused("the code host did not answer");
    const { status, body } = answer;
    if (status === 200) return imageOf(body);
    const location = answer.headers("location");
    const isRedirect = [301, 302, 303, 307, 308].includes(status) && location !== undefined;
    if (!isRedirect || !URL.canParse(location, address)) return refused(`the code host answered ${status}`);
    address = new URL(location, address).href;
  }
  return refused("the code host sent it from one address to the next");
}

/** Bodies are in base 64. */
async function ask(
  options: DownloadOptions,
  { address, maxBytes }: { readonly address: string; readonly maxBytes: number },
) {
  const { transport, token, serverUrl, signal } = options;
  const url = new URL(address);
  const isOwn = url.origin === new URL(serverUrl).origin && url.search === "";
  const headers = {
    accept: "image/png, image/jpeg, image/gif, image/webp",
    "user-agent": "agent-service-action",
    // An address with a query is its own permission.
    ...(isOwn ? { authorization: `Bearer ${token}` } : {}),
  };
  const request = { method: "GET" as const, url: address, headers, timeoutMs: TIMEOUT_MS };
  return await retrying({ ...options, policy: RETRY }, () =>
    transport({ ...request, maxBodyBytes: maxBytes, bodyAs: "base64", signal }),
  );
}

function imageOf(base64: string): DownloadedImage {
  const mime = imageTypeOf(Buffer.from(base64.slice(0, HEAD_CHARS), "base64"));
  if (mime === null) return refused("it is no PNG, JPEG, GIF or WebP");
  return { ok: true, mime, base64, bytes: Buffer.byteLength(base64, "base64") };
}

function refused(why: string): DownloadedImage {
  return { ok: false, why };
}
