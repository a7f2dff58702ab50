// Declares the tests that kill a service at its boundaries, on every store. `npm test` kills at a few, `npm run test:long` at all.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NeedName } from "../../../scripts/test-needs.ts";
import { isLong } from "../run/long.ts";
import { onEveryStore } from "../stores/on-every-store.ts";
import type { BlobKind } from "./blob-places.ts";
import { BoundaryService } from "./boundary-service.ts";
import { CommitSource } from "./commit-source.ts";
import { allRounds, type Played, playRounds } from "./play-rounds.ts";

/** Without the long run, each of them killed once. */
const SOME: readonly string[] = ["an upload", "an adoption", "the start after an erasure was cut off"];
const LONG_TIMEOUT = 900_000;

export function killAtBoundaries(blobs: BlobKind, { tags }: { tags: readonly NeedName[] }): void {
  onEveryStore((store) => {
    describe(`kill -9 at boundaries, with blobs in ${blobs.name}`, { tags: [...tags] }, () => {
      let service: BoundaryService;
      let source: CommitSource;

      beforeAll(async () => {
        source = await CommitSource.open();
        service = await BoundaryService.start({ store, blobs, settings: source.settings });
      });

      afterAll(async () => {
        await service.close();
        await source.close();
      });

      for (const name of isLong ? Object.keys(allRounds) : SOME) {
        it(`loses nothing of ${name}`, { timeout: LONG_TIMEOUT }, async () => {
          const played = await playRounds({ service, source, name, choose });
          expect(played.boundaries).toContain("before commit");
          expect(played.killed).toBeGreaterThan(0);
          if (isLong) process.stdout.write(`${name}, ${store.name}, ${blobs.name}: ${textOf(played)}\n`);
        });
      }
    });
  });
}

/** Where one is enough, none of the last: what the service does by itself comes at other moments, and not each round has as many. */
function choose(count: number): readonly number[] {
  return isLong
    ? Array.from({ length: count }, (_, index) => index + 1)
    : fc.sample(fc.integer({ min: 1, max: Math.ceil(count * 0.75) }), 1);
}

function textOf({ rounds, killed, killedLater, boundaries }: Played): string {
  const kinds = Map.groupBy(boundaries, (kind) => kind);
  const counts = [...kinds].map(([kind, those]) => `${those.length} ${kind}`).join(", ");
  return `${rounds} rounds, ${killed} killed, ${killedLater} of them after the answer: ${counts}`;
}
