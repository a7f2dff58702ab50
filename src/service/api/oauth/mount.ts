// Hands a request to the library and takes its answer back: a request of our making, with the service's own address, the
// library's cookies alone, and a body that was read and bounded before.

import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type Provider from "oidc-provider";
import type { FaceContext } from "../http/face.ts";
import { cookieOutside, cookiesInside } from "./library-cookies.ts";

type LibraryRequest = {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body?: { readonly type: string; readonly text: string };
  /** Whether the browser's cookies of the library go with it. */
  readonly hasCookies: boolean;
};

/** The library's answer, as an answer of this service. */
export async function askLibrary(
  context: FaceContext,
  provider: Provider,
  request: LibraryRequest,
): Promise<Response> {
  const { req, res } = messagesOf(context, provider, request);
  const library = provider.createContext(req, res);
  res.statusCode = 404;
  const [route] = provider.middleware;
  await route?.(library, async () => {});
  const headers = new Headers();
  for (const [name, value] of Object.entries(res.getHeaders())) {
    const shown = name.toLowerCase() === "set-cookie" ? cookieOutside : String;
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, shown(String(one)));
  }
  headers.delete("content-length");
  const { body } = library;
  const text = body === null || body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return new Response(text === "" ? null : (text ?? null), { status: res.statusCode, headers });
}

/** The two messages that the library's own functions for pages take. Cookies that they set are in `res`. */
export function messagesOf(
  { env, req: { raw } }: FaceContext,
  provider: Provider,
  { method, url, body, hasCookies }: LibraryRequest,
): { req: IncomingMessage; res: ServerResponse } {
  const base = new URL(provider.issuer);
  // A connection of nobody: a message that ends may end the one that it came by.
  const req = new IncomingMessage(new Socket());
  const cookies = hasCookies ? cookiesInside(raw.headers.get("cookie") ?? "", pathOf(url)) : "";
  const origin = raw.headers.get("origin");
  req.method = method;
  req.url = url;
  req.headers = {
    host: base.host,
    "x-forwarded-proto": base.protocol.slice(0, -1),
    "x-forwarded-host": base.host,
    "x-forwarded-for": env.outer.get("address"),
    accept: raw.headers.get("accept") ?? "*/*",
    ...(cookies === "" ? {} : { cookie: cookies }),
    ...(origin === null ? {} : { origin }),
    ...(body === undefined
      ? {}
      : { "content-type": body.type, "content-length": String(Buffer.byteLength(body.text)) }),
  };
  if (body !== undefined) req.push(body.text);
  req.push(null);
  return { req, res: new ServerResponse(req) };
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? "";
}
