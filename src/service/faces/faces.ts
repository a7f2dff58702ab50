// The faces of a node that people and their programs reach with a browser or a client of their own. Each is loaded at its
// first request.
// Why: docs/decisions/062-faces-are-loaded-at-first-use.md

import { workspaceOfHost } from "../../base/site-host.ts";
import { agUi, workspaceAddresses } from "../../contract/endpoints.ts";
import { gitFacePaths } from "../api/git/paths.ts";
import type { AnyFace } from "../api/http/any-face.ts";
import { oauthFacePaths } from "../api/oauth/paths.ts";

export const faces: readonly AnyFace[] = [
  {
    paths: [
      "/",
      "/assets/*",
      "/agent/*",
      "/approvals",
      "/runs",
      "/approve/*",
      "/accounts",
      "/invitation/*",
      "/workspaces",
      "/workspace/*",
      "/confirm/*",
      "/claim/*",
      "/sign-in",
      "/sign-in/*",
      "/sign-out",
      "/usage",
      "/usage.csv",
      "/usage/*",
      "/settings",
      "/settings/*",
      "/oauth/client.json",
    ],
    load: async () => (await import("../api/web/web-app.ts")).webApp,
  },
  {
    paths: ["/operator", "/operator/*"],
    load: async () => (await import("../api/web/operator/operator-app.ts")).operatorApp,
  },
  {
    paths: ["/mcp", "/mcp/"],
    load: async () => (await import("../api/mcp/mcp-app.ts")).mcpApp,
  },
  {
    paths: oauthFacePaths,
    load: async () => (await import("../api/oauth/oauth-app.ts")).oauthApp,
  },
  {
    paths: ["/id/*"],
    load: async () => (await import("../api/identity/identity-app.ts")).identityApp,
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
    paths: gitFacePaths,
    load: async () => (await import("../wiring/workspaces.ts")).gitApp,
  },
  {
    addresses: { agUi },
    load: async () => (await import("../api/http/ag-ui/open-ag-ui.ts")).openAgUi,
  },
  {
    addresses: workspaceAddresses,
    load: async () => (await import("../wiring/workspaces.ts")).openWorkspaces,
  },
];
