// The cookie of a browser that is signed in, as pages set it and the socket reads it. Pure.

import { parse } from "hono/utils/cookie";

export const SESSION_COOKIE = "session";

/** The session's secret in a Cookie header; null without one. Over https it has the prefix that binds it to the host. */
export function sessionSecretIn(header: string | undefined, webUrl: string): string | null {
  if (header === undefined) return null;
  const name = webUrl.startsWith("https:") ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;
  return parse(header, name)[name] ?? null;
}
