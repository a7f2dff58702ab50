// The cookie of a sign-in that takes several requests: what it remembers is usable in the browser that began it alone.

import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AttemptKind } from "../../core/sign-in/attempt.ts";
import { ATTEMPT_MS, beginAttempt, takeAttempt } from "../../core/sign-in/attempts.ts";
import type { WebContext } from "./web-context.ts";
import { isSecure } from "./web-session.ts";

/** Remembers `state` for this browser. */
export async function rememberAttempt(
  context: WebContext,
  attempt: { kind: AttemptKind; state: unknown },
): Promise<void> {
  const secret = await beginAttempt(context.get("parts").core, attempt);
  setCookie(context, cookieName(attempt.kind), secret, {
    path: "/",
    httpOnly: true,
    // An identity provider leads back here by a link.
    sameSite: "Lax",
    secure: isSecure(context),
    maxAge: ATTEMPT_MS / 1000,
    ...(isSecure(context) ? { prefix: "host" } : {}),
  });
}

/** The value that was remembered for this browser, once; null where there is none. */
export async function recallAttempt(context: WebContext, kind: AttemptKind): Promise<unknown> {
  const prefix = isSecure(context) ? "host" : undefined;
  const secret = getCookie(context, cookieName(kind), prefix) ?? null;
  const options = isSecure(context) ? { prefix: "host", secure: true } : {};
  deleteCookie(context, cookieName(kind), { path: "/", ...options } as Parameters<typeof deleteCookie>[2]);
  return await takeAttempt(context.get("parts").core, { kind, secret });
}

function cookieName(kind: AttemptKind): string {
  return `attempt-${kind.replaceAll("_", "-")}`;
}
