// The API reference: /openapi.json for programs, /docs for people, rendered once.

import { Hono } from "hono";
import { openApiDocument } from "../../../../contract/openapi/document.ts";
import type { Core } from "../../../core/core.ts";
import { answerTagged, type TaggedBody, tagBody } from "../entity-tag.ts";
import { limitByAddress } from "../limit-rate.ts";
import { referencePage } from "../reference-page.ts";
import { referencePolicy } from "../reference-style.ts";
import type { Env } from "../request-context.ts";

export function docsRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();
  let page: Promise<TaggedBody> | null = null;

  routes.get("/openapi.json", limitByAddress(core), async (context) =>
    context.json(await openApiDocument(core.policy.baseUrl)),
  );

  routes.get("/docs", limitByAddress(core), async (context) => {
    page ??= openApiDocument(core.policy.baseUrl).then(referencePage).then(tagBody);
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
