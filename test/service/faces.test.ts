// Every route of a face lies below the face's paths, and every path has a route: what is not below a path is answered 404 before
// the face is loaded.

import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunSubmitter } from "../../src/service/core/runs/submit-run.ts";
import { faces } from "../../src/service/faces/faces.ts";
import type { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { sqliteStore } from "../support/stores/stores.ts";

const mounted = faces.flatMap((face) => ("paths" in face && face.ownsHost === undefined ? [face] : []));

let fixture: CoreFixture;
beforeAll(async () => {
  fixture = await startFixture({ level: "core", store: sqliteStore });
});
afterAll(() => fixture.close());

/** A path that the pattern takes. */
function example(pattern: string): string {
  return pattern
    .replace(/:\w+\{\[\^\/\]\+\\\.git\}/, "1.git")
    .replace(/:\w+(\{[^}]*\})?/g, "1")
    .replace(/\*$/, "1");
}

describe.each(mounted.map((face) => [face.paths[0] ?? "", face] as const))(
  "the face at %s",
  (_name, face) => {
    it("has paths for all of its routes", async () => {
      const outer = new Hono();
      for (const path of face.paths) outer.all(path, ({ text }) => text("reached"));
      const unreached = [];
      for (const { method, path } of await routesOf(face)) {
        const { status } = await outer.request(example(path), { method });
        if (status !== 200) unreached.push(`${method} ${path}`);
      }
      expect(unreached).toEqual([]);
    });

    it("has routes for all of its paths", async () => {
      const routes = await routesOf(face);
      // One that answers all of its paths alike has none.
      if (routes.length === 0) return;
      const dead = face.paths.filter((path) => {
        const isBelow = (route: string) =>
          path.endsWith("*") ? route.startsWith(path.replace(/\*$/, "")) : route === path;
        return !routes.some((route) => isBelow(route.path));
      });
      expect(dead).toEqual([]);
    });
  },
);

async function routesOf({ load }: (typeof mounted)[number]): Promise<{ method: string; path: string }[]> {
  const make = await load();
  const { core } = fixture;
  const submitter = new RunSubmitter(core);
  const { routes } = make({ core, submitter, exchangeRatePerMinute: 1, corsOrigins: [] });
  // What stands before all routes is none.
  return routes.filter(({ method, path }) => method !== "ALL" || !["*", "/*"].includes(path));
}
