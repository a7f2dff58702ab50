// The authorization server over HTTP: metadata, the library's endpoints, and the pages on which an account's owner decides.

import { Hono } from "hono";
import type Provider from "oidc-provider";
import { JWT_BEARER_GRANT, TOKEN_EXCHANGE_GRANT } from "../../../contract/ci/exchange.ts";
import { baseAskedBy } from "../../core/oauth/resource.ts";
import { allowEveryOrigin } from "../http/cors.ts";
import { type FaceContext, type FaceEnv, type FaceParts, prepareFace } from "../http/face.ts";
import { readText } from "../http/read-body.ts";
import { chargeAddress } from "../shared/admit-caller.ts";
import { resourceMetadataPaths } from "../shared/bearer-challenge.ts";
import { toProblem } from "../shared/problems/to-problem.ts";
import { refuseExcess } from "../web/excess.ts";
import { refuseOtherOrigins } from "../web/form.ts";
import type { WebContext, WebEnv } from "../web/web-context.ts";
import { type OpenServer, openAuthorizationServer } from "./authorization-server.ts";
import { documentFetcher, type FetchDocument, publicDocuments } from "./client-document.ts";
import { consentRoutes } from "./consent-page.ts";
import { deviceRoutes } from "./device-page.ts";
import { errorPage } from "./error-page.ts";
import { keyRoutes } from "./key-exchange.ts";
import { resourceMetadata, type ServerPolicy, serverMetadata } from "./metadata.ts";
import { askLibrary } from "./mount.ts";
import { metadataPaths, oauthPaths } from "./paths.ts";
import { isPermittedRedirect } from "./redirect-uri.ts";
import { registrationOf } from "./registration.ts";
import { withOneResource, withScope } from "./request-words.ts";
import { answerAssertion, answerExchange } from "./token-exchange.ts";

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const MAX_BODY_BYTES = 32 * 1024;
/** Of one address: what is registered or fetched is kept. */
const REGISTRATIONS_PER_MINUTE = 5;
const DOCUMENTS_PER_MINUTE = 20;

export function oauthApp(
  parts: FaceParts,
  fetchDocument: FetchDocument = documentFetcher(publicDocuments),
): Hono<FaceEnv> {
  const app = new Hono<FaceEnv>();
  const open = opener(parts, fetchDocument);
  prepareFace(app);
  metadataRoutes(app, parts);
  libraryRoutes(app, parts, open);
  keyRoutes(app, parts);
  app.route("/", pageRoutes(parts, open) as unknown as Hono<FaceEnv>);
  return app;
}

/** One for each name of the service. Opened at the first request that needs it; an opening that fails is tried again. */
function opener({ core }: FaceParts, fetchDocument: FetchDocument): OpenServer {
  const opened = new Map<string, Promise<Provider>>();
  const mayFetch = (address: string) => hasRoom(core, `document:${address}`, DOCUMENTS_PER_MINUTE);
  return ({ req }) => {
    const issuer = baseAskedBy(core.policy.baseUrl, req.header("host"));
    const opening =
      opened.get(issuer) ??
      openAuthorizationServer({ core, issuer, fetchDocument, mayFetch }).catch((cause: unknown) => {
        opened.delete(issuer);
        throw cause;
      });
    opened.set(issuer, opening);
    return opening;
  };
}

function hasRoom({ limits, clock }: FaceParts["core"], key: string, perMinute: number): boolean {
  return limits.take({ key, perMinute, now: clock.monotonic() }) === 0;
}

/** The same for everybody, and readable from every page: it holds no secret. */
function metadataRoutes(app: Hono<FaceEnv>, { core }: FaceParts): void {
  const { baseUrl } = core.policy;
  const serve = (path: string, documentOf: (place: ServerPolicy) => object) => {
    app.use(path, allowEveryOrigin());
    app.get(path, (context) => {
      context.header("Cache-Control", "public, max-age=300");
      const place = { ...core.policy, baseUrl: baseAskedBy(baseUrl, context.req.header("host")) };
      return context.json(documentOf(place));
    });
  };
  for (const path of metadataPaths) serve(path, serverMetadata);
  for (const path of resourceMetadataPaths) serve(path, resourceMetadata);
}

function libraryRoutes(app: Hono<FaceEnv>, parts: FaceParts, open: OpenServer): void {
  const { core } = parts;
  const { baseUrl, registersClients } = core.policy;

  app.use(`${oauthPaths.authorize}/*`, limit(parts));
  for (const path of [
    oauthPaths.token,
    oauthPaths.revoke,
    oauthPaths.register,
    oauthPaths.deviceAuthorization,
  ]) {
    // Before what may refuse: a page reads why.
    app.use(path, allowEveryOrigin(), limit(parts));
  }

  app.get(oauthPaths.authorize, async (context) => {
    const asked = withScope(withOneResource(new URL(context.req.url).searchParams, baseUrl));
    // Also one that was registered before it was refused.
    if (!asked.getAll("redirect_uri").every(isPermittedRedirect)) {
      return await errorPage(webContext(context, parts), "invalid_redirect_uri");
    }
    // A page that posts by itself is the only other way that the library knows.
    const mode = asked.get("response_mode") ?? "query";
    if (mode !== "query") return await errorPage(webContext(context, parts), "unsupported_response_mode");
    const url = `${oauthPaths.authorize}?${asked}`;
    // Without cookies: whoever was signed in with the library before is nobody.
    return await shown(
      context,
      parts,
      await askLibrary(context, await open(context), { method: "GET", url, hasCookies: false }),
    );
  });

  app.get(`${oauthPaths.authorize}/:uid`, async (context) => {
    const url = new URL(context.req.url).pathname;
    return await shown(
      context,
      parts,
      await askLibrary(context, await open(context), { method: "GET", url, hasCookies: true }),
    );
  });

  const post = (path: string, change: (form: URLSearchParams) => URLSearchParams) =>
    app.post(path, async (context) => {
      const text = await readText(context, MAX_BODY_BYTES);
      if (typeof text !== "string") return tooLarge(context);
      const type = context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
      if (type !== FORM) return oauthError(context, "invalid_request", `the body has to be ${FORM}`);
      const form = new URLSearchParams(text);
      if (path === oauthPaths.token && form.get("grant_type") === TOKEN_EXCHANGE_GRANT) {
        return await answerExchange(context, parts, form);
      }
      if (path === oauthPaths.token && form.get("grant_type") === JWT_BEARER_GRANT) {
        return await answerAssertion(context, parts, form);
      }
      const body = { type: FORM, text: change(form).toString() };
      return await askLibrary(context, await open(context), {
        method: "POST",
        url: path,
        body,
        hasCookies: false,
      });
    });
  post(oauthPaths.token, (form) => withOneResource(form, baseUrl));
  post(oauthPaths.revoke, (form) => form);
  post(oauthPaths.deviceAuthorization, (form) => withScope(withOneResource(form, baseUrl)));

  if (registersClients) {
    app.post(oauthPaths.register, async (context) => {
      if (!hasRoom(core, `register:${context.get("address")}`, REGISTRATIONS_PER_MINUTE)) {
        context.header("Retry-After", "12");
        return context.json(
          { error: "temporarily_unavailable", error_description: "too many registrations" },
          429,
        );
      }
      const text = await readText(context, MAX_BODY_BYTES);
      if (typeof text !== "string") return tooLarge(context);
      const metadata = registrationOf(text);
      if (metadata === null) {
        return oauthError(context, "invalid_client_metadata", "redirect_uris is missing or wrong");
      }
      const refused = metadata.redirect_uris.findIndex((uri) => !isPermittedRedirect(uri));
      if (refused >= 0) {
        const description =
          `redirect_uris[${refused}] is not permitted: an address is https, http on localhost, 127.0.0.1 or [::1], or has a ` +
          "private-use scheme with a dot, and no user, fragment, '*' or ';' (RFC 8252)";
        return oauthError(context, "invalid_redirect_uri", description);
      }
      const body = { type: JSON_TYPE, text: JSON.stringify(metadata) };
      const request = { method: "POST", url: oauthPaths.register, body, hasCookies: false };
      return await askLibrary(context, await open(context), request);
    });
  }

  app.use(oauthPaths.jwks, allowEveryOrigin());
  app.get(oauthPaths.jwks, async (context) =>
    askLibrary(context, await open(context), { method: "GET", url: oauthPaths.jwks, hasCookies: false }),
  );
}

function limit({ core }: FaceParts) {
  return async (context: FaceContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const excess = chargeAddress(core, context.get("address"));
    if (excess === null) {
      await next();
      return undefined;
    }
    const { message, retryAfterSeconds = 1 } = toProblem(excess);
    context.header("Retry-After", String(retryAfterSeconds));
    return context.json({ error: "temporarily_unavailable", error_description: message }, 429);
  };
}

function tooLarge(context: FaceContext): Response {
  const error_description = `the body may have ${MAX_BODY_BYTES} bytes at most`;
  return context.json({ error: "invalid_request", error_description }, 413);
}

function oauthError(context: FaceContext, error: string, error_description: string): Response {
  return context.json({ error, error_description }, 400);
}

/** The library's redirects as they are; its errors as a page. */
async function shown(context: FaceContext, parts: FaceParts, answer: Response): Promise<Response> {
  if (answer.status < 400) return answer;
  const error = await answer.json().catch(() => null);
  const code = typeof error === "object" && error !== null && "error" in error ? String(error.error) : "";
  return await errorPage(webContext(context, parts), code);
}

function pageRoutes(parts: FaceParts, open: OpenServer): Hono<WebEnv> {
  const pages = new Hono<WebEnv>();
  pages.use(async (context, next) => {
    context.set("parts", parts);
    return (await refuseExcess(context)) ?? (await next());
  });
  pages.use(refuseOtherOrigins);
  pages.route("/", consentRoutes(open));
  pages.route("/", deviceRoutes(open));
  pages.all("*", (context) => context.text("There is nothing here.", 404));
  // Its errors are the outer application's.
  pages.onError((cause) => {
    throw cause;
  });
  return pages;
}

function webContext(context: FaceContext, parts: FaceParts): WebContext {
  const web = context as unknown as WebContext;
  web.set("parts", parts);
  return web;
}
