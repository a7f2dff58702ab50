// The API reference: /openapi.json for programs, /docs for people, rendered once. The document is loaded at its first reader.

import { Hono, type MiddlewareHandler } from "hono";
import type { JsonObject } from "../../../../contract/openapi/json-schema.ts";
import type { Core } from "../../../core/core.ts";
import { chargeAddress } from "../../shared/admit-caller.ts";
import { answerTagged, type TaggedBody, tagBody } from "../entity-tag.ts";
import { answerRefusal } from "../problems.ts";
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

/** For public routes: 429 with `Retry-After` once the address has asked too often. */
function limitByAddress(core: Core): MiddlewareHandler<Env> {
  return async (context, next) => {
    const refusal = chargeAddress(core, context.get("address"));
    return refusal === null ? await next() : answerRefusal(context, refusal);
  };
}
