// Where the routes of a workspace's site are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint, owners } from "../../route.ts";

const site = async () => (await import("./site.ts")).siteSchema;
const common = { callers: accounts, repeat: "safe", path: "/v1/workspaces/{workspaceID}/site" } as const;

export const siteEndpoints = {
  get: { ...common, method: "GET", answer: site },
  publish: { ...common, callers: owners, method: "PUT", answer: site },
  open: {
    ...common,
    method: "POST",
    path: "/v1/workspaces/{workspaceID}/site/open",
    answer: async () => (await import("./site.ts")).openedSiteSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
