// Sites of workspaces, for whoever has a link: on an origin of their own, or on the service's in a sandbox.
// Why: docs/decisions/086-sites-of-workspaces.md

import { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { msUntil } from "../../../base/clock.ts";
import { workspaceOfHost } from "../../../base/site-host.ts";
import type { Core } from "../../core/core.ts";
import { findLinkedSite, type LinkedSite } from "../../core/workspaces/consumers/site.ts";
import { findSitePath, type SiteFile } from "../../core/workspaces/consumers/site-files.ts";
import { answerBytes } from "../http/bytes/answer-bytes.ts";
import { type FaceContext, type FaceEnv, type FaceParts, prepareFace } from "../http/face.ts";
import { hangUpOf } from "../http/hang-up.ts";
import { chargeAddress } from "../shared/admit-caller.ts";
import { toProblem } from "../shared/problems/to-problem.ts";
import { contentTypeOf } from "./content-type.ts";

export function openSites({ core }: FaceParts): Hono<FaceEnv> {
  const app = new Hono<FaceEnv>();
  prepareFace(app);
  app.use(async (context, next) => {
    for (const [name, value] of commonHeaders) setHeader(context, name, value);
    const { method } = context.req;
    if (method !== "GET" && method !== "HEAD") return context.text("Sites are read alone.", 405);
    // It would answer for the site after its link has ended.
    if (context.req.header("service-worker") !== undefined) return context.text("No service workers.", 403);
    return await next();
  });
  app.all("*", async (context) => {
    const siteUrl = core.workspaces?.siteUrl ?? null;
    const host = context.req.header("host") ?? "";
    const workspaceId = siteUrl === null ? null : workspaceOfHost(siteUrl, host);
    return workspaceId === null
      ? await serveInSandbox(core, context)
      : await serveOnOrigin(core, context, { workspaceId, isSecure: siteUrl?.startsWith("https:") === true });
  });
  return app;
}

const commonHeaders = [
  ["X-Content-Type-Options", "nosniff"],
  // The address of a page in a sandbox holds its link.
  ["Referrer-Policy", "no-referrer"],
  ["Cache-Control", "private, no-cache"],
  ["X-Robots-Tag", "noindex, nofollow"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
] as const;

/** `/site/<link>/<path>` of the service's own origin. */
async function serveInSandbox(core: Core, context: FaceContext): Promise<Response> {
  const asked = linkPathOf(context.req.url);
  // Nothing is loaded but the site's own files, nothing is executed or sent, and no page of the service is in its origin.
  const own = `${core.policy.baseUrl}/site/${asked?.token ?? ""}/`;
  setHeader(context, "Content-Security-Policy", sandboxPolicy(own));
  const linked = asked === null ? null : await findLinkedSite(core, asked.token);
  if (asked === null || linked === null) return refuse(core, context);
  return await servePath(core, context, { linked, path: asked.path, isolation: "sandbox" });
}

function sandboxPolicy(own: string): string {
  return [
    "sandbox",
    "default-src 'none'",
    `img-src ${own} data:`,
    `media-src ${own}`,
    `font-src ${own} data:`,
    `style-src ${own} 'unsafe-inline'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Its link is opened once, and kept as a cookie of this origin alone: pages name their files as they will. */
async function serveOnOrigin(
  core: Core,
  context: FaceContext,
  { workspaceId, isSecure }: { readonly workspaceId: string; readonly isSecure: boolean },
): Promise<Response> {
  setHeader(context, "Content-Security-Policy", "frame-ancestors 'self'");
  setHeader(context, "Origin-Agent-Cluster", "?1");
  const cookie = isSecure ? "__Host-svc_site" : "svc_site";
  const asked = linkPathOf(context.req.url);
  const token = asked?.token ?? getCookie(context, cookie) ?? "";
  const linked = await findLinkedSite(core, token);
  if (linked === null || linked.site.workspaceId !== workspaceId) return refuse(core, context);
  if (asked === null) {
    const path = decoded(new URL(context.req.url).pathname.slice(1));
    return path === null
      ? notFound(context)
      : await servePath(core, context, { linked, path, isolation: "origin" });
  }
  const maxAge = Math.max(1, Math.floor(msUntil(core.clock, linked.expiresAt) / 1000));
  setCookie(context, cookie, token, { path: "/", httpOnly: true, secure: isSecure, sameSite: "Lax", maxAge });
  return context.redirect(`/${encodedPath(asked.path)}`, 302);
}

/** The outer context has those of every answer, of bytes too. */
function setHeader(context: FaceContext, name: string, value: string): void {
  context.env.outer.header(name, value);
}

type Serving = {
  readonly linked: LinkedSite;
  readonly path: string;
  readonly isolation: "origin" | "sandbox";
};

async function servePath(
  core: Core,
  context: FaceContext,
  { linked: { site }, path, isolation }: Serving,
): Promise<Response> {
  const found = await findSitePath(core, site, path);
  if (found === null) return notFound(context);
  if (found.type === "folder") {
    // Relative, so that no path of a site leads to another host.
    return context.redirect(`./${encodeURIComponent(path.slice(path.lastIndexOf("/") + 1))}/`, 302);
  }
  return await serveFile(context, found, isolation);
}

async function serveFile(
  context: FaceContext,
  file: SiteFile,
  isolation: Serving["isolation"],
): Promise<Response> {
  const type = contentTypeOf(file.path, isolation);
  if (type === null) setHeader(context, "Content-Disposition", "attachment");
  const { oid: etag, size } = file;
  const { outer } = context.env;
  return answerBytes(
    outer,
    {
      contentType: type ?? "application/octet-stream",
      size,
      etag,
      open: async (part, signal) => {
        const opened = await file.open(part === null ? { signal } : { range: part, signal });
        return opened.content;
      },
    },
    { hangUp: hangUpOf(outer) },
  );
}

/** Null where the address has no link in it. */
function linkPathOf(url: string): { readonly token: string; readonly path: string } | null {
  const [, token, rest = "/"] = /^\/site\/([^/]+)(\/.*)?$/.exec(new URL(url).pathname) ?? [];
  const path = decoded(rest.slice(1));
  // Without further slashes: a path that began with two would lead to another host.
  return token === undefined || path === null ? null : { token, path: path.replace(/^\/+/, "") };
}

function decoded(path: string): string | null {
  try {
    return path.split("/").map(decodeURIComponent).join("/");
  } catch {
    return null;
  }
}

function encodedPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Refuses a link that is none, or none any more, and counts it for its address: nobody guesses one. */
function refuse(core: Core, context: FaceContext): Response {
  const excess = chargeAddress(core, context.get("address"));
  if (excess === null) return context.text("There is no site here, or the link to it has ended.", 404);
  const { message, retryAfterSeconds = 1 } = toProblem(excess);
  setHeader(context, "Retry-After", String(retryAfterSeconds));
  return context.text(message, 429);
}

function notFound(context: FaceContext): Response {
  return context.text("The site has no such page.", 404);
}
