// The faces of a node that people and their programs reach with a browser or a client of their own. Each is a bundle.

import { workspaceOfHost } from "../../base/site-host.ts";
import { workspaceNounEndpoints } from "../../contract/workspaces/endpoints.ts";
import type { AnyFace } from "../api/http/any-face.ts";

import { oauthFacePaths } from "../api/oauth/paths.ts";

export const faces: readonly AnyFace[] = [
  {
    paths: [
      "/",
      "/assets/*",
      "/agent/*",
      "/approve/*",
      "/workspaces",
      "/workspace/*",
      "/confirm/*",
      "/claim/*",
      "/sign-in",
      "/sign-in/*",
      "/sign-out",
      "/settings",
      "/settings/*",
    ],
    load: async () => (await import("./web.ts")).openWeb,
  },
  {
    paths: ["/mcp", "/mcp/"],
    load: async () => (await import("./mcp.ts")).openMcp,
  },
  {
    paths: oauthFacePaths,
    load: async () => (await import("./oauth.ts")).openOAuth,
  },
  {
    paths: ["/site/*"],
    ownsHost: ({ workspaces }, host) => {
      const siteUrl = workspaces?.siteUrl ?? null;
      return siteUrl !== null && workspaceOfHost(siteUrl, host) !== null;
    },
    load: async () => (await import("../wiring/workspaces.ts")).openSites,
  },
  {
    endpoints: workspaceNounEndpoints,
    load: async () => (await import("../wiring/workspaces.ts")).openWorkspaces,
  },
];
