// The answer to whoever asks for pages too often.

import { html } from "hono/html";
import { personIn } from "../../core/web-sessions/web-sessions.ts";
import { chargeAddress, chargeCaller } from "../shared/admit-caller.ts";
import { toProblem } from "../shared/problems/to-problem.ts";
import { page } from "./page.ts";
import type { WebContext } from "./web-context.ts";
import { sessionOf } from "./web-session.ts";

/** Whoever is signed in counts as their account, everybody else by their address. */
export async function refuseExcess(context: WebContext): Promise<Response | null> {
  const { core } = context.get("parts");
  const session = await sessionOf(context);
  const excess =
    session === null ? chargeAddress(core, context.get("address")) : chargeCaller(core, personIn(session));
  if (excess === null) return null;
  const { message, retryAfterSeconds = 1 } = toProblem(excess);
  context.header("Retry-After", String(retryAfterSeconds));
  const body = html`<h1>Too many requests</h1><p>${message}</p>`;
  return await page(context, { title: "Too many requests", body, session, status: 429, isNarrow: true });
}
