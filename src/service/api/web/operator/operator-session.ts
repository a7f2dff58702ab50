// The session of an operator's browser, by a cookie of its own that no page of an account gets.

import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { OPERATOR_SESSION_MS, type OperatorSession } from "../../../core/operators/operator.ts";
import { findOperatorSession } from "../../../core/operators/operator-sessions.ts";
import type { WebContext } from "../web-context.ts";
import { isSecure } from "../web-session.ts";

const NAME = "operator";
const PATH = "/operator";

/** Null where nobody is signed in. Read once a request. */
export async function operatorOf(context: WebContext): Promise<OperatorSession | null> {
  const known = context.get("operator");
  if (known !== undefined) return known;
  // A browser takes __Host- for "/" alone.
  const secret = getCookie(context, NAME, isSecure(context) ? "secure" : undefined) ?? null;
  const session = await findOperatorSession(context.get("parts").core, secret);
  context.set("operator", session);
  return session;
}

/** Signs this browser in. */
export function setOperator(
  context: WebContext,
  { session, secret }: { session: OperatorSession; secret: string },
): void {
  setCookie(context, NAME, secret, {
    path: PATH,
    httpOnly: true,
    // An identity provider leads back here by a link.
    sameSite: "Lax",
    secure: isSecure(context),
    maxAge: OPERATOR_SESSION_MS / 1000,
    ...(isSecure(context) ? { prefix: "secure" } : {}),
  });
  context.set("operator", session);
}

/** Forgets the cookie; the session itself is ended in the core. */
export function clearOperator(context: WebContext): void {
  const options = isSecure(context) ? { prefix: "secure", secure: true } : {};
  deleteCookie(context, NAME, { path: PATH, ...options } as Parameters<typeof deleteCookie>[2]);
  context.set("operator", null);
}
