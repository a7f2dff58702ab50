// The routes of a workspace's site. Pure.

import { accounts, defineRoute, nounRoutes, optionalJsonBody, owners } from "../../route.ts";
import { openedSiteSchema, openSiteRequestSchema, publishSiteRequestSchema, siteSchema } from "./site.ts";

const MAX_BODY_BYTES = 32 * 1024;

export const siteRoutes = nounRoutes("site", "Workspaces", {
  get: defineRoute("GET /v1/workspaces/{workspaceID}/site", {
    callers: accounts,
    repeat: "safe",
    answer: siteSchema,
    summary: "Read which folder a workspace shows as its site",
    scopes: ["workspaces:read"],
    answers: { 200: "The site." },
  }),
  publish: defineRoute("PUT /v1/workspaces/{workspaceID}/site", {
    callers: owners,
    repeat: "safe",
    answer: siteSchema,
    summary: "Show a folder of an accepted revision as the workspace's site",
    description:
      "Only the owner may, of an account that somebody has signed in to. The site stays as it is when other files are accepted. `revision_id: null` takes it away, and answers the site as it was.",
    body: optionalJsonBody(publishSiteRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The site." },
    refusals: [409],
  }),
  open: defineRoute("POST /v1/workspaces/{workspaceID}/site/open", {
    callers: accounts,
    repeat: "safe",
    answer: openedSiteSchema,
    summary: "Make a link by which a workspace's site is looked at for a while",
    description:
      "Whoever has the link sees the site until `expires_at`. With `SITE_URL` each workspace has an origin of its own; without it pages come from the service's own origin, in a sandbox and without scripts.",
    scopes: ["workspaces:read"],
    body: optionalJsonBody(openSiteRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The link." },
  }),
});
