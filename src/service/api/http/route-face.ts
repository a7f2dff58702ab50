// Routes of the table that are loaded at their first request: their paths are known from the start, and a request is then
// served as any other.
// Why: docs/decisions/062-faces-are-loaded-at-first-use.md

import type { Hono } from "hono";
import type { Address, Route } from "../../../contract/route.ts";
import type { FaceParts } from "./face.ts";
import type { Env } from "./request-context.ts";
import { type AnyHandler, honoPath, serveRoute } from "./serve-routes.ts";

/** A route with what handles it. */
type OpenedRoute = { readonly route: Route; readonly handler: AnyHandler };
/** By noun and name. */
export type OpenedRoutes = ReadonlyMap<string, ReadonlyMap<string, OpenedRoute>>;

export type RouteFace = {
  readonly addresses: Readonly<Record<string, Readonly<Record<string, Address>>>>;
  /** Opens no connection and no file but its own code. */
  load(): Promise<(parts: FaceParts) => OpenedRoutes>;
};

/** A load that fails is tried again at the next request. */
export function mountRouteFace(app: Hono<Env>, { addresses, load }: RouteFace, parts: FaceParts): void {
  let opened: OpenedRoutes | null = null;
  const open = async (): Promise<OpenedRoutes> => {
    const make = await load();
    // Two first requests open it once.
    opened ??= make(parts);
    return opened;
  };
  for (const [noun, ofNoun] of Object.entries(addresses)) {
    for (const [name, { method, path }] of Object.entries(ofNoun)) {
      app.on(method, honoPath(path), async (context) => {
        const found = (opened ?? (await open())).get(noun)?.get(name);
        if (found === undefined) throw new TypeError(`Route ${noun}.${name} is not served.`);
        const { core, exchangeRatePerMinute } = parts;
        return await serveRoute(context, { core, ...found, exchangeRatePerMinute, offersTokens: true });
      });
    }
  }
}
