// The site of a workspace: a folder of an accepted revision, shown to whoever has a link. Under /v1/workspaces/{workspaceID}/site. Pure.

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { field, object, strictObject } from "../field.ts";
import { accounts, defineRoute, nounRoutes, optionalJsonBody, owners } from "../route.ts";
import { REVISION_ID, WORKSPACE_ID } from "../story.ts";

export const siteSchema = object({
  workspace_id: field(z.uuid(), "The workspace."),
  revision_id: field(z.uuid(), "The revision."),
  folder: field(z.string(), "The folder; empty for all files."),
  isolation: field(
    z.enum(["origin", "sandbox"]),
    "`origin`: the site has an origin of its own. `sandbox`: it comes from the service's origin, and executes no scripts.",
  ),
  published_at: field(z.iso.datetime(), "When it was published."),
});
export type SiteView = z.infer<typeof siteSchema>;

export const publishSiteRequestSchema = strictObject({
  revision_id: field(
    z.optional(z.nullable(z.uuid())),
    "An accepted revision. Left out: the current one. Null: nothing any more.",
  ),
  folder: field(z.optional(z.string().check(z.maxLength(4_096))), "A folder of it. Left out: all files."),
});
export type PublishSiteRequest = z.infer<typeof publishSiteRequestSchema>;

export const openSiteRequestSchema = strictObject({
  path: field(
    z.optional(z.string().check(z.maxLength(4_096))),
    "A page of the site. Left out: the first one.",
  ),
});
export type OpenSiteRequest = z.infer<typeof openSiteRequestSchema>;

export const openedSiteSchema = object({
  url: field(z.url(), "The link. It is a secret."),
  expires_at: field(z.iso.datetime(), "When it opens nothing any more."),
});
export type OpenedSite = z.infer<typeof openedSiteSchema>;

export const siteComponents: Components = {
  Site: component(siteSchema, "A folder of an accepted revision that a workspace shows."),
  PublishSiteRequest: component(publishSiteRequestSchema, "What to show."),
  OpenSiteRequest: component(openSiteRequestSchema, "Where the link leads."),
  OpenedSite: component(openedSiteSchema, "A link by which a site is looked at."),
};

const MAX_BODY_BYTES = 32 * 1024;

export const siteRoutes = nounRoutes("site", "Workspaces", {
  get: defineRoute("GET /v1/workspaces/{workspaceID}/site", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: siteSchema,
    summary: "Read which folder a workspace shows as its site",
    scopes: ["workspaces:read"],
    answers: { 200: "The site." },
  }),
  publish: defineRoute("PUT /v1/workspaces/{workspaceID}/site", {
    callers: owners,
    role: "admin",
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
    role: "member",
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

const site = {
  workspace_id: WORKSPACE_ID,
  revision_id: REVISION_ID,
  folder: "public",
  isolation: "origin" as const,
  published_at: "2026-03-09T11:00:00.000Z",
};

export const siteExamples: ExamplesOf<typeof siteRoutes> = {
  get: { answers: { 200: { site: { summary: "A site", value: site } } } },
  publish: {
    body: { siteToPublish: { summary: "A folder of the current revision", value: { folder: "public" } } },
    answers: { 200: { sitePublished: { summary: "It is shown", value: site } } },
  },
  open: {
    body: { siteToOpen: { summary: "The first page", value: {} } },
    answers: {
      200: {
        siteOpened: {
          summary: "A link",
          value: {
            url: `https://${WORKSPACE_ID}.sites.example/site/svc_site_EXAMPLE/`,
            expires_at: "2026-03-09T11:15:00.000Z",
          },
        },
      },
    },
  },
};
