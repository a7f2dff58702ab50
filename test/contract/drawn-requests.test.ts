// Requests that are drawn from the schemas of the OpenAPI document, of every operation, on what is there: none has an answer
// that the document does not declare. `npm run test:long` draws more, with a seed of its own.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DocumentedRoute, documentedRoutes, mainCallerOf } from "../support/document-checker.ts";
import { DocumentedWorld, type WorldJob } from "../support/every-route/documented-world.ts";
import { type DrawnRequest, requestsOf } from "../support/every-route/drawn-requests.ts";
import {
  filled,
  makeStandingThings,
  paramsFor,
  type StandingThings,
  takesAway,
} from "../support/every-route/standing-things.ts";
import { amount, isLong } from "../support/run/long.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const REQUESTS = amount({ short: 2_000, long: 50_000 });
const SEED = 20_261_126;
/** All but the WebSocket. What takes things away comes last. */
const routes = documentedRoutes
  .filter(({ operation }) => operation.operationId !== "sessionsFollow")
  .toSorted((one, other) => takesAway(one) - takesAway(other));

type Drawn = { readonly route: DocumentedRoute; readonly request: DrawnRequest };

onEveryStore((kind) => {
  describe("drawn requests", () => {
    let world: DocumentedWorld;
    let things: StandingThings;
    let job: WorldJob;

    const renew = async () => {
      const { fixture, mine: account, api } = world;
      things = await makeStandingThings({ fixture, account, api });
      job = await world.job();
    };

    beforeAll(async () => {
      world = await DocumentedWorld.start(kind);
      await renew();
    });

    afterAll(() => world.close());

    it("have only answers that the document declares", { timeout: REQUESTS * 300 }, async () => {
      const seed = isLong ? Date.now() : SEED;
      if (isLong) process.stdout.write(`drawn requests: seed ${seed}\n`);
      const faults: string[] = [];
      for (const round of drawn(seed)) {
        await renew();
        for (const one of round) {
          try {
            await ask(one);
          } catch (cause) {
            const request = JSON.stringify(one.request).slice(0, 500);
            faults.push(`${String(cause).slice(0, 500)} when asked ${request}`);
          }
        }
      }
      expect(faults).toEqual([]);
    });

    async function ask({ route: { path, operation }, request: { params, asked } }: Drawn) {
      const caller = mainCallerOf(operation);
      const there = { ...paramsFor(path, things), ...(caller === "job" ? job.params : {}) };
      const { query, raw } = asked;
      return await world.api.answer(operation.operationId, {
        ...asked,
        params: { ...there, ...params },
        ...(query === undefined ? {} : { query: filled(query, there) }),
        ...(raw === undefined ? {} : { raw: filled(raw, there) }),
        ...(caller === "owner" ? {} : { bearer: caller === "job" ? job.capability : null }),
      });
    }
  });
});

/** Rounds of one request of each operation. */
function drawn(seed: number): readonly (readonly Drawn[])[] {
  const numRuns = Math.ceil(REQUESTS / routes.length);
  const ofRoutes = routes.map((route, at) =>
    fc.sample(requestsOf(route), { seed: seed + at, numRuns }).map((request) => ({ route, request })),
  );
  return Array.from({ length: numRuns }, (_, at) => ofRoutes.flatMap((some) => some[at] ?? []));
}
