// Assets of pages: one style sheet, and the scripts that esbuild bundled beside this code. An asset's address has its hash, so
// that a browser keeps it for ever.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import type { FaceEnv } from "../http/face.ts";
import { diffStyle } from "./diff-style.ts";
import { runStyle } from "./run-style.ts";
import { stepsStyle } from "./steps-style.ts";
import { style } from "./style.ts";
import { usageStyle } from "./usage-style.ts";
import { workspaceStyle } from "./workspace-style.ts";

/** The scripts of src/web, by the name of their bundle in npm/. */
const scriptNames = ["copy", "diff", "list", "passkey", "run"] as const;
export type ScriptName = (typeof scriptNames)[number];

type Asset = { readonly path: string; readonly body: string; readonly contentType: string };

const HASH_CHARS = 12;

const loaded = new Map<string, Asset>();

/** Beside the bundle of the pages; where they run from source, in npm/, which `npm ci` builds. */
const scriptFolders = [import.meta.dirname, join(import.meta.dirname, "../../../../npm")];

export function stylePath(): string {
  const rules = [style, runStyle, stepsStyle, diffStyle, workspaceStyle, usageStyle];
  return assetOf("style.css", () => rules.join("")).path;
}

export function scriptPath(name: ScriptName): string {
  return assetOf(`${name}.js`, () => readScript(name)).path;
}

export function assetRoutes(): Hono<FaceEnv> {
  const routes = new Hono<FaceEnv>();
  routes.get("/assets/:file", (context) => {
    const found = findAsset(context.req.path);
    if (found === null) return context.text("There is no such asset.", 404);
    context.header("Cache-Control", "public, max-age=31536000, immutable");
    context.header("Content-Type", found.contentType);
    return context.body(found.body);
  });
  return routes;
}

function findAsset(path: string): Asset | null {
  // After a restart a page that is open still may ask.
  stylePath();
  for (const name of scriptNames) scriptPath(name);
  return [...loaded.values()].find((asset) => asset.path === path) ?? null;
}

function assetOf(file: string, read: () => string): Asset {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const body = read();
  const hash = createHash("sha256").update(body).digest("hex").slice(0, HASH_CHARS);
  const path = `/assets/${file.replace(".", `.${hash}.`)}`;
  const type = file.endsWith(".css") ? "text/css" : "text/javascript";
  const asset = { path, body, contentType: `${type}; charset=utf-8` };
  loaded.set(file, asset);
  return asset;
}

function readScript(name: ScriptName): string {
  const folder = scriptFolders.find((one) => existsSync(join(one, `web-${name}.js`)));
  if (folder === undefined) throw new Error(`web-${name}.js is not there: "npm run build" makes it.`);
  return readFileSync(join(folder, `web-${name}.js`), "utf8");
}
