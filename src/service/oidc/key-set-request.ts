// The one request for a key set: pinned URL, no redirect, a time limit, a body cap, a defensive decode.

import * as z from "zod/mini";
import type { Clock } from "../../base/clock.ts";
import { decodeJsonObject } from "./compact-token.ts";

export const KEY_SET_TIMEOUT_MS = 5_000;
export const MAX_KEY_SET_BYTES = 256 * 1024;
const MAX_KEYS = 100;

const keySetSchema = z.object({
  keys: z.array(z.looseObject({})).check(z.minLength(1), z.maxLength(MAX_KEYS)),
});
type Jwk = z.infer<typeof keySetSchema>["keys"][number];

type KeySetFaultCode = "timeout" | "network" | "status" | "too_large" | "not_a_key_set";

/** Why the key set could not be had. Its text is safe to log. */
export class KeySetFault extends Error {
  override readonly name = "KeySetFault";
  readonly code: KeySetFaultCode;

  constructor(code: KeySetFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

type KeySetRequest = {
  readonly url: string;
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
};

/** Gets and decodes a key set of at least one entry. Throws `KeySetFault`. Safe to repeat. */
export async function requestKeySet(request: KeySetRequest): Promise<readonly Jwk[]> {
  const deadline = new AbortController();
  const answered = new AbortController();
  request.clock.sleep(KEY_SET_TIMEOUT_MS, answered.signal).then(
    () => deadline.abort(),
    () => {},
  );
  try {
    return await getKeySet(request, deadline.signal);
  } catch (cause) {
    if (cause instanceof KeySetFault) throw cause;
    if (deadline.signal.aborted) {
      throw new KeySetFault("timeout", `No key set within ${KEY_SET_TIMEOUT_MS / 1000} s.`, { cause });
    }
    throw new KeySetFault("network", "The key set's server cannot be reached.", { cause });
  } finally {
    answered.abort();
  }
}

async function getKeySet(request: KeySetRequest, signal: AbortSignal): Promise<readonly Jwk[]> {
  const response = await request.fetch(request.url, {
    headers: { accept: "application/json, application/jwk-set+json" },
    redirect: "manual",
    signal,
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new KeySetFault(
      "status",
      `The key set's server answered ${response.status}, redirects are not followed.`,
    );
  }
  const parsed = keySetSchema.safeParse(decodeJsonObject(await readCapped(response)));
  if (!parsed.success)
    throw new KeySetFault("not_a_key_set", "The answer is not a JSON Web Key Set with a key.");
  return parsed.data.keys;
}

/** Counts decoded bytes, so that a compressed body cannot grow past the cap either. */
async function readCapped(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the body.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_KEY_SET_BYTES) {
      throw new KeySetFault("too_large", `The key set is larger than ${MAX_KEY_SET_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
