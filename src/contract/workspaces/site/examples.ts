// Examples of a workspace's site. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { REVISION_ID, WORKSPACE_ID } from "../../story.ts";
import type { siteRoutes } from "./routes.ts";

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
