// The client for programs in Node and in browsers, and the scripts of pages: one file each.

import type { BuildOptions } from "esbuild";
import type { BuiltFiles } from "./built-file.ts";
import { type Bundle, besides, buildBundles, shared, standIns } from "./esbuild.ts";

const library: BuildOptions = {
  ...shared,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
};

/** For Node before version 22, which has no WebSocket of its own. */
const webSocket: BuildOptions = {
  ...shared,
  banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
  format: "esm",
  minifySyntax: true,
  minifyWhitespace: true,
  platform: "node",
  target: "node20",
};

/** For browsers of the last three years. */
const page: BuildOptions = {
  ...shared,
  format: "esm",
  minify: true,
  platform: "browser",
  target: ["chrome120", "firefox120", "safari17"],
};

const CLIENT = "src/client/client.ts";
const WEB_SOCKET = "src/client/node-web-socket.ts";

const bundles: readonly Bundle[] = [
  {
    entry: CLIENT,
    name: "client.mjs",
    options: { ...library, plugins: [besides({ [WEB_SOCKET]: "ws.mjs" })] },
  },
  {
    entry: CLIENT,
    name: "client-browser.mjs",
    // A page has a WebSocket of its own, and a bundler for pages finds no module of Node.
    options: {
      ...library,
      plugins: [
        standIns(
          { "./node-web-socket.ts": 'throw new Error("There is none.");' },
          { importers: /\/session\.ts$/ },
        ),
      ],
    },
  },
  { entry: WEB_SOCKET, name: "ws.mjs", options: webSocket },
  { entry: "src/web/copy.ts", name: "web-copy.js", options: page },
  { entry: "src/web/diff.ts", name: "web-diff.js", options: page },
  { entry: "src/web/list.ts", name: "web-list.js", options: page },
  { entry: "src/web/passkey.ts", name: "web-passkey.js", options: page },
  { entry: "src/web/run/run.ts", name: "web-run.js", options: page },
];

/** `client.mjs`, `client-browser.mjs` and the scripts of pages. */
export async function buildClient(): Promise<BuiltFiles> {
  return await buildBundles(bundles);
}
