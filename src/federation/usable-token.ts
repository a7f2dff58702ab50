// Checks an access token as somebody gave it. Pure.

import type { AccessToken, Granted } from "./provider.ts";

/** OpenAI may leave `expires_in` out. */
const DEFAULT_LIFE_SECONDS = 3600;
const MAX_LIFE_SECONDS = 24 * 3600;
const ACCESS_TOKEN = /^[\x21-\x7e]{8,16384}$/;

/** Null: it can be used for no request. `begunAt`: when it was asked for. */
export function usableToken(
  { accessToken, type = "Bearer", expiresInSeconds = DEFAULT_LIFE_SECONDS }: Granted,
  begunAt: number,
): AccessToken | null {
  const seconds = typeof expiresInSeconds === "number" ? expiresInSeconds : Number.NaN;
  const isBearer = typeof type === "string" && type.toLowerCase() === "bearer";
  if (typeof accessToken !== "string" || !ACCESS_TOKEN.test(accessToken) || !isBearer || !(seconds > 0))
    return null;
  return { accessToken, expiresAt: begunAt + Math.min(seconds, MAX_LIFE_SECONDS) * 1000 };
}
