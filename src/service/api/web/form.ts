// The body of a form: bounded, of this service's own pages, decoded once.

import type { MiddlewareHandler } from "hono";
import { html } from "hono/html";
import type * as z from "zod/mini";
import { ok, type Result, refused } from "../../../base/result.ts";
import { readText } from "../http/read-body.ts";
import { decode } from "../shared/decode.ts";
import { page } from "./page.ts";
import type { WebContext, WebEnv } from "./web-context.ts";
import { sessionOf } from "./web-session.ts";

const MAX_FORM_BYTES = 64 * 1024;

/** A field that is sent twice has its last value. The refusal is one line for its reader. */
export async function readForm<Schema extends z.ZodMiniType>(
  context: WebContext,
  schema: Schema,
  maxBytes = MAX_FORM_BYTES,
): Promise<Result<z.output<Schema>, string>> {
  const text = await readText(context, maxBytes);
  if (text === undefined) return refused("The form was cut off.");
  if (text === null) return refused(`The form may have ${maxBytes} bytes at most.`);
  const decoded = decode(schema, Object.fromEntries(new URLSearchParams(text)), "The form");
  return decoded.ok ? ok(decoded.value) : refused(decoded.refusal.message);
}

/** Only this service's own pages change anything: browsers say where a request comes from. */
export const refuseOtherOrigins: MiddlewareHandler<WebEnv> = async (context, next) => {
  if (["GET", "HEAD"].includes(context.req.method) || isOwnOrigin(context)) return await next();
  const body = html`<h1>This did not come from a page of this service</h1>
<p>So nothing was done. Open the page again here, and try once more.</p>`;
  const session = await sessionOf(context);
  return page(context, { title: "Refused", body, session, status: 403, isNarrow: true });
};

/** Whether a page of this service sent the request. */
export function isOwnOrigin(context: WebContext): boolean {
  const site = context.req.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const { baseUrl, webUrl } = context.get("parts").core.policy;
  const own = [baseUrl, webUrl].map((url) => new URL(url).origin);
  return own.includes(context.req.header("origin") ?? "");
}
