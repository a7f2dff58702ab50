// The API reference: /openapi.json for programs, /docs for people, each page rendered once. The document is loaded at its first
// reader.

import { Hono, type MiddlewareHandler } from "hono";
import type { JsonObject } from "../../../../contract/openapi/json-schema.ts";
import type { Core } from "../../../core/core.ts";
import { chargeAddress } from "../../shared/admit-caller.ts";
import { answerTagged, type TaggedBody, tagBody } from "../entity-tag.ts";
import { answerRefusal } from "../problems.ts";
import { referencePolicy } from "../reference/reference-style.ts";
import type { Env, RequestContext } from "../request-context.ts";

export function docsRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();
  let site: Promise<ReferenceSite> | null = null;
  const opened = (): Promise<ReferenceSite> => {
    site ??= openSite(core);
    return site;
  };

  routes.get("/openapi.json", limitByAddress(core), async (context) => context.json(await documentOf(core)));

  routes.get("/docs", limitByAddress(core), async (context) => {
    const query = context.req.query("q")?.trim() ?? "";
    const reference = await opened();
    return answerPage(context, await (query === "" ? reference.contents : reference.search(query)));
  });

  routes.get("/docs/:page", limitByAddress(core), async (context, next) => {
    const page = await (await opened()).page(context.req.param("page"));
    return page === null ? await next() : answerPage(context, page);
  });

  return routes;
}

function answerPage(context: RequestContext, page: TaggedBody): Response {
  context.header("Content-Security-Policy", referencePolicy);
  context.header("Referrer-Policy", "no-referrer");
  return answerTagged(context, {
    ...page,
    contentType: "text/html; charset=utf-8",
    cacheControl: "public, max-age=300",
  });
}

async function documentOf({ policy }: Core): Promise<JsonObject> {
  const { openApiDocument } = await import("../../../../contract/openapi/document.ts");
  return openApiDocument(policy.baseUrl);
}

type ReferenceSite = {
  readonly contents: Promise<TaggedBody>;
  /** Null where there is no such page. */
  page(slug: string): Promise<TaggedBody | null>;
  search(query: string): Promise<TaggedBody>;
};

async function openSite(core: Core): Promise<ReferenceSite> {
  const { contentsPage, openReference, referencePage, searchPage } = await import(
    "../reference/reference-pages.ts"
  );
  const reference = openReference(await documentOf(core));
  const rendered = new Map<string, TaggedBody>();
  return {
    contents: contentsPage(reference).then(tagBody),
    page: async (slug) => {
      const body = rendered.get(slug) ?? (await referencePage(reference, slug));
      if (body === null) return null;
      const tagged = typeof body === "string" ? tagBody(body) : body;
      rendered.set(slug, tagged);
      return tagged;
    },
    search: async (query) => tagBody(await searchPage(reference, query)),
  };
}

/** For public routes: 429 with `Retry-After` once the address has asked too often. */
function limitByAddress(core: Core): MiddlewareHandler<Env> {
  return async (context, next) => {
    const refusal = chargeAddress(core, context.get("address"));
    return refusal === null ? await next() : answerRefusal(context, refusal);
  };
}
