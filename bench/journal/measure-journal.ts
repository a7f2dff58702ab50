// The journal of runs: what its entries cost by kind of turn, and how many entries a second many runs keep at once. The entries
// are those of `keepEntry`, sealed, with two events each; the tree is that of a checkout in which one file was changed.

import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeRun, makeRunInput } from "../../fakes/records.ts";
import { opened } from "../../scripts/opened.ts";
import { cpuMsWithChildren } from "../../scripts/served-process.ts";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/ids.ts";
import { SEALING_KEY_BYTES, sealingKeyOf } from "../../src/base/sealed-text.ts";
import type { RunEvent } from "../../src/contract/runs/run-event.ts";
import type { Store } from "../../src/service/core/ports/store.ts";
import { type JournalKeeper, keepEntry, type NewEntry } from "../../src/service/core/runs/run-journal.ts";
import { RunSignals } from "../../src/service/core/runs/run-signals.ts";
import { openPostgresStore } from "../../src/service/store/postgres.ts";
import { openSqliteStore } from "../../src/service/store/sqlite.ts";
import { median, quantile } from "../statistics.ts";
import type { ChangedCheckout } from "./changed-checkout.ts";
import { JOURNAL_RUNS, STEP_BYTES, STEPS_A_RUN } from "./size.ts";

const ROUNDS = 100;
const TREE_ROUNDS = 20;
const REPEATS = 5;

export type TurnFigures = {
  readonly medianMs: number;
  readonly p90Ms: number;
  /** Of this process and of the processes of git, without those of a database. */
  readonly cpuMs: number;
  /** Of the newest entry. */
  readonly storedBytes: number;
  readonly transactions: number;
};

export type JournalFigures = {
  readonly reads: TurnFigures;
  /** In the order of the checkouts. */
  readonly writes: readonly TurnFigures[];
  readonly outside: TurnFigures;
  readonly steps: StepFigures;
};

export type StepFigures = { readonly perSecond: number; readonly cpuMs: number };

/** On the embedded store, or on the database at `databaseUrl`. */
export async function measureJournal(
  checkouts: readonly ChangedCheckout[],
  databaseUrl?: string,
): Promise<JournalFigures> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const removeFolder = opened(() => rm(folder, { recursive: true, force: true }));
  const store =
    databaseUrl === undefined
      ? await openSqliteStore({ folder })
      : await openPostgresStore({ url: databaseUrl });
  const closeStore = opened(() => store.close());
  let transactions = 0;
  const counted: Pick<Store, "transact"> = {
    transact: (work, options) => {
      transactions += 1;
      return store.transact(work, options);
    },
  };
  const keeper: JournalKeeper = {
    store: counted,
    clock: systemClock,
    random: systemRandom,
    signals: new RunSignals(),
    journalKeys: { current: sealingKeyOf(randomBytes(SEALING_KEY_BYTES)), previous: null },
  };
  const turn = async (name: string, entryOf: () => Promise<Partial<NewEntry>>, rounds: number) => {
    await startRun(store, name);
    const took: number[] = [];
    let [cpuMs, before] = [0, 0];
    for (let number = 0; number <= rounds; number += 1) {
      // The first has files to read, and statements to prepare, that no later one has.
      if (number === 1) [cpuMs, before] = [cpuNow(), transactions];
      const startedAt = performance.now();
      const more = await entryOf();
      await keepStep(keeper, { runId: name, entry: number + 1, more });
      if (number > 0) took.push(performance.now() - startedAt);
    }
    const newest = (await store.committed.journal.list(name)).at(-1);
    return {
      medianMs: median(took),
      p90Ms: quantile(took, 0.9),
      cpuMs: (cpuNow() - cpuMs) / rounds,
      storedBytes: (newest?.body.length ?? 0) + (newest?.tree?.length ?? 0),
      transactions: (transactions - before) / rounds,
    };
  };
  const reads = await turn("reads", async () => ({}), ROUNDS);
  const outside = await turn("outside", async () => ({ kind: "calls" }), ROUNDS);
  const writes: TurnFigures[] = [];
  for (const checkout of checkouts) {
    const change = async () => {
      const { tree, pack } = await checkout.changeAndKeep();
      return { tree: { tree, pack: Buffer.from(pack).toString("base64") } };
    };
    writes.push(await turn(`writes-${checkout.files}`, change, TREE_ROUNDS));
  }
  const steps: StepFigures[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    steps.push(await measureSteps({ store, keeper, repeat }));
  }
  await closeStore();
  await removeFolder();
  return {
    reads,
    writes,
    outside,
    steps: {
      perSecond: median(steps.map(({ perSecond }) => perSecond)),
      cpuMs: median(steps.map((each) => each.cpuMs)),
    },
  };
}

async function measureSteps(of: {
  readonly store: Store;
  readonly keeper: JournalKeeper;
  readonly repeat: number;
}): Promise<StepFigures> {
  const { store, keeper, repeat } = of;
  const runIds = Array.from({ length: JOURNAL_RUNS }, (_, index) => `steps-${repeat}-${index}`);
  for (const runId of runIds) await startRun(store, runId);
  const [startedAt, cpuMs] = [performance.now(), cpuNow()];
  await Promise.all(
    runIds.map(async (runId) => {
      for (let entry = 1; entry <= STEPS_A_RUN; entry += 1)
        await keepStep(keeper, { runId, entry, more: {} });
    }),
  );
  const steps = JOURNAL_RUNS * STEPS_A_RUN;
  return {
    perSecond: steps / ((performance.now() - startedAt) / 1000),
    cpuMs: (cpuNow() - cpuMs) / steps,
  };
}

async function keepStep(
  keeper: JournalKeeper,
  step: { readonly runId: string; readonly entry: number; readonly more: Partial<NewEntry> },
): Promise<void> {
  const { runId, entry, more } = step;
  const events: readonly RunEvent[] = [
    { type: "STEP_STARTED", stepName: `step-${entry}` },
    { type: "STEP_FINISHED", stepName: `step-${entry}` },
  ];
  // Text that no compression makes smaller.
  const body = { said: randomBytes(STEP_BYTES / 2).toString("hex") };
  const status = await keepEntry(keeper, {
    runId,
    fence: 1,
    events,
    entry: { kind: "turn", ...more, entry, body },
  });
  if (status !== "running") throw new Error(`Run ${runId} is not at work.`);
}

async function startRun(store: Store, id: string): Promise<void> {
  await store.transact(async (tx) => {
    await tx.sessions.insert({ id: `thread-${id}`, agentId: "agent-1", createdAt: 0 });
    await tx.runs.insert(makeRun({ id, sessionId: `thread-${id}` }), makeRunInput());
    await tx.queue.start({ runId: id, now: Date.now() });
  });
}

function cpuNow(): number {
  return cpuMsWithChildren(process.pid) ?? Number.NaN;
}
