// The session of a browser, by its cookie.

import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { isRecent, WEB_SESSION_MS, type WebSession } from "../../core/web-sessions/web-session.ts";
import { findWebSession } from "../../core/web-sessions/web-sessions.ts";
import { SESSION_COOKIE } from "../shared/session-cookie.ts";
import type { WebContext } from "./web-context.ts";

const NAME = SESSION_COOKIE;

/** Null where nobody is signed in. Read once a request. */
export async function sessionOf(context: WebContext): Promise<WebSession | null> {
  const known = context.get("session");
  if (known !== undefined) return known;
  const secret = getCookie(context, NAME, prefixOf(context)) ?? null;
  const session = await findWebSession(context.get("parts").core, secret);
  context.set("session", session);
  return session;
}

/** The session, or the answer that leads to signing in and back here. */
export async function needSession(context: WebContext): Promise<WebSession | Response> {
  return (await sessionOf(context)) ?? context.redirect(signInPath(context), 303);
}

/** As needSession, for what only a person who is there should do: one who proved who they are some minutes ago. */
export async function needRecent(context: WebContext): Promise<WebSession | Response> {
  const session = await sessionOf(context);
  if (session === null) return context.redirect(signInPath(context), 303);
  const now = context.get("parts").core.clock.now();
  return isRecent(session, now) ? session : context.redirect(`${signInPath(context)}&again=1`, 303);
}

/** Signs this browser in. */
export function setSession(
  context: WebContext,
  { session, secret }: { session: WebSession; secret: string },
): void {
  setCookie(context, NAME, secret, {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure: isSecure(context),
    maxAge: WEB_SESSION_MS / 1000,
    ...(isSecure(context) ? { prefix: "host" } : {}),
  });
  context.set("session", session);
}

/** Forgets the cookie; the session itself is ended in the core. */
export function clearSession(context: WebContext): void {
  const options = isSecure(context) ? { prefix: "host", secure: true } : {};
  deleteCookie(context, NAME, { path: "/", ...options } as Parameters<typeof deleteCookie>[2]);
  context.set("session", null);
}

/** Back to the page itself; from a form's address, to the page that has the form. */
function signInPath(context: WebContext): string {
  const { pathname, search } = new URL(context.req.url);
  return `/sign-in?to=${encodeURIComponent(pathname + (context.req.method === "GET" ? search : ""))}`;
}

function prefixOf(context: WebContext): "host" | undefined {
  return isSecure(context) ? "host" : undefined;
}

/** Plain http is for this machine alone, and knows no secure cookies. */
export function isSecure(context: WebContext): boolean {
  return context.get("parts").core.policy.webUrl.startsWith("https:");
}
