// The faces of a node that people and their programs reach with a browser or a client of their own. Each is a bundle.

import type { Face } from "./api/http/face.ts";

import { oauthFacePaths } from "./api/oauth/paths.ts";

export const faces: readonly Face[] = [
  {
    paths: [
      "/",
      "/assets/*",
      "/agent/*",
      "/approve/*",
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
];
