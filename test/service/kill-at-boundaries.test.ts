// The service is killed before and after each commit, write to disk, rename and start of a program of one thing that it does:
// what was acknowledged is there, byte by byte, what was not is whole or absent, and can be done again. `npm test` kills at a
// few boundaries, `npm run test:long` at all.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NeedName } from "../../scripts/test-needs.ts";
import { BoundaryService, type Round } from "../support/boundaries/boundary-service.ts";
import { CommitSource, commitRounds } from "../support/boundaries/commit-rounds.ts";
import { workspaceRounds } from "../support/boundaries/workspace-rounds.ts";
import { isLong } from "../support/run/long.ts";
import { openS3Gate, type S3Gate } from "../support/s3-gate.ts";
import { startS3Server } from "../support/s3-server.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";

/** Of the requests to the bucket. */
const FAILS_EVERY = 7;
const SHORT_ROUNDS = 1;
const LONG_TIMEOUT = 900_000;

for (const blobs of ["a folder", "a bucket that fails in turn"]) {
  const tags: NeedName[] = blobs === "a folder" ? [] : ["long"];
  describe(`kill -9 at boundaries, with blobs in ${blobs}`, { tags }, () => {
    let service: BoundaryService;
    let source: CommitSource;
    let gate: S3Gate | null = null;

    beforeAll(async () => {
      if (blobs !== "a folder") gate = await failingGate();
      source = await CommitSource.open();
      service = await BoundaryService.start({ ...source.settings, ...gate?.settings });
    });

    afterAll(async () => {
      await service.close();
      await source.close();
      await gate?.stop();
    });

    for (const [name, prepare] of Object.entries({ ...workspaceRounds, ...commitRounds })) {
      it(`loses nothing of ${name}`, { timeout: LONG_TIMEOUT }, () => killAtBoundaries(name, prepare));
    }

    async function killAtBoundaries(
      name: string,
      prepare: (service: BoundaryService, source: CommitSource) => Promise<Round>,
    ): Promise<void> {
      const whole = await prepare(service, source);
      const { boundaries } = await service.play(whole, { name, killAt: 0 });
      await whole.check(true);
      expect(boundaries).toContain("before commit");
      const count = boundaries.length;
      const all = Array.from({ length: count }, (_, index) => index + 1);
      const chosen = isLong ? all : fc.sample(fc.integer({ min: 1, max: count }), SHORT_ROUNDS);
      let killed = 0;
      for (const killAt of chosen) {
        const round = await prepare(service, source);
        const { isKilled, boundaries: passed } = await service.play(round, { name, killAt });
        if (isKilled) killed += 1;
        if (isKilled) expect(passed, "the boundaries that it reached").toHaveLength(killAt);
        await service.startAgain();
        const at = `killed at ${killAt}: ${passed.at(-1)}`;
        await expectRound(round, { isAcknowledged: !isKilled, at });
      }
      expect(killed).toBeGreaterThan(0);
      await expectSoundLedger(service.place);
      const { code, stdout } = await service.command(["store", "verify", "--contents"]);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^Compared [^0]/)]);
      const kinds = Map.groupBy(boundaries, (kind) => kind);
      const counts = [...kinds].map(([kind, those]) => `${those.length} ${kind}`).join(", ");
      if (isLong)
        process.stdout.write(`${name}, ${blobs}: ${chosen.length} rounds, ${killed} killed: ${counts}\n`);
    }

    async function expectRound(
      round: Round,
      { isAcknowledged, at }: { isAcknowledged: boolean; at: string },
    ): Promise<void> {
      try {
        await round.check(isAcknowledged);
        expect(await service.persist(round.act), "the service goes on").toBe(true);
        await round.check(true);
      } catch (cause) {
        throw new Error(`Wrong after it was ${at}`, { cause });
      }
    }
  });
}

async function failingGate(): Promise<S3Gate> {
  const gate = await openS3Gate(await startS3Server());
  let requests = 0;
  gate.judge(() => {
    requests += 1;
    return requests % FAILS_EVERY === 0 ? 503 : "pass";
  });
  return gate;
}
