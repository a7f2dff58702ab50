// The API reference: /openapi.json for programs, /docs for people, rendered once. The document is loaded at its first reader.

import { Hono } from "hono";
import type { JsonObject } from "../../../../contract/openapi/json-schema.ts";
import type { Core } from "../../../core/core.ts";
import { answerTagged, type TaggedBody, tagBody } from "../entity-tag.ts";
import { limitByAddress } from "../limit-rate.ts";
import { referencePolicy } from "../reference-style.ts";
import type { Env } from "../request-context.ts";

export function docsRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();
  let page: Promise<TaggedBody> | null = null;

  routes.get("/openapi.json", limitByAddress(core), async (context) => context.json(await documentOf(core)));

  routes.get("/docs", limitByAddress(core), async (context) => {
    page ??= pageOf(core);
    context.header("Content-Security-Policy", referencePolicy);
    context.header("Referrer-Policy", "no-referrer");
    return answerTagged(context, {
      ...(await page),
      contentType: "text/html; charset=utf-8",
      cacheControl: "public, max-age=300",
    });
  });

  return routes;
}

async function documentOf({ policy }: Core): Promise<JsonObject> {
  const { openApiDocument } = await import("../../../../contract/openapi/document.ts");
  return openApiDocument(policy.baseUrl);
}

async function pageOf(core: Core): Promise<TaggedBody> {
  const { referencePage } = await import("../reference-page.ts");
  return tagBody(await referencePage(await documentOf(core)));
}
