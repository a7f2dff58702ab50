// Plays one thing that a service does, again and again, each time killed at another boundary, and compares contents.

import { expect } from "vitest";
import { expectSoundLedger } from "../service-ledger.ts";
import { adoptionRounds } from "./adoption-rounds.ts";
import type { BoundaryService, Outcome, Round } from "./boundary-service.ts";
import { commitRounds } from "./commit-rounds.ts";
import type { CommitSource } from "./commit-source.ts";
import { upkeepRounds } from "./upkeep-rounds.ts";
import { workspaceRounds } from "./workspace-rounds.ts";

export type Prepare = (service: BoundaryService, source: CommitSource) => Promise<Round>;

/** By the names of what the service does. */
export const allRounds: Readonly<Record<string, Prepare>> = {
  // First, so that they find nothing of the others.
  ...upkeepRounds,
  ...workspaceRounds,
  ...commitRounds,
  ...adoptionRounds,
};

export type Played = {
  readonly rounds: number;
  readonly killed: number;
  /** Of those that were killed, after the acknowledgement. */
  readonly killedLater: number;
  /** Of a round that nobody kills. */
  readonly boundaries: readonly string[];
};

export type PlayOptions = {
  readonly service: BoundaryService;
  readonly source: CommitSource;
  readonly name: string;
  /** Of so many boundaries those to be killed at, from 1 on. */
  readonly choose: (count: number) => readonly number[];
};

/** Rejects with the first thing that is wrong. */
export async function playRounds(options: PlayOptions): Promise<Played> {
  const { service, source, name, choose } = options;
  const prepare = allRounds[name];
  if (prepare === undefined) throw new TypeError(`There are no rounds of ${name}.`);
  const whole = await prepare(service, source);
  const { boundaries } = await service.play(whole, { name, killAt: 0 });
  await service.startAgain();
  await expectRound({
    service,
    round: whole,
    outcome: { isAcknowledged: true, isKilled: false, boundaries },
  });
  const counts = { rounds: 0, killed: 0, killedLater: 0 };
  for (const killAt of choose(boundaries.length)) {
    const round = await prepare(service, source);
    const outcome = await service.play(round, { name, killAt });
    if (outcome.isKilled) expect(outcome.boundaries, "the boundaries that it reached").toHaveLength(killAt);
    await service.startAgain();
    await expectRound({ service, round, outcome });
    counts.rounds += 1;
    if (outcome.isKilled) counts.killed += 1;
    if (outcome.isKilled && outcome.isAcknowledged) counts.killedLater += 1;
  }
  await expectNothingLeft(service);
  return { ...counts, boundaries };
}

async function expectRound(played: {
  service: BoundaryService;
  round: Round;
  outcome: Outcome;
}): Promise<void> {
  const { service, round, outcome } = played;
  const { isAcknowledged, isKilled, boundaries } = outcome;
  try {
    await service.untilDeleted(await service.keysOf("discarded"));
    if (isAcknowledged) await service.persist(async () => await round.settle?.());
    await round.check(isAcknowledged);
    expect(await service.persist(() => round.act()), "the service goes on").toBe(true);
    expect(await service.persist(async () => await round.settle?.()), "the service goes on").toBe(true);
    await round.check(true);
  } catch (cause) {
    const when = isAcknowledged ? "after the acknowledgement" : "before the acknowledgement";
    const how = isKilled ? `was killed ${when} at ${boundaries.length}: ${boundaries.at(-1)}` : "was stopped";
    throw new Error(`Wrong after it ${how}`, { cause });
  }
}

/** Money, rows and blobs agree: no blob is without its row, no row without its blob, and nothing waits for its deletion. */
async function expectNothingLeft(service: BoundaryService): Promise<void> {
  // What the last round has discarded.
  await service.startAgain();
  await service.untilDeleted(await service.keysOf("discarded"));
  const named = new Set([...(await service.keysOf("kept")), ...(await service.keysOf("unfinished"))]);
  const unnamed = (await service.listBlobs()).filter((key) => !named.has(key.replace(/\.part$/, "")));
  expect(unnamed, "blobs that no row names").toEqual([]);
  await expectSoundLedger(service.place);
  const { code, stdout } = await service.command(["store", "verify", "--contents"]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Compared \d/)]);
}
