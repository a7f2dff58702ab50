// Events appended to durable streams a second, by one process that tells the readers of each append as a worker does:
// many runs whose backends say a little at a time, and a few that say much at once.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { makeRun, makeRunInput } from "../fakes/records.ts";
import { opened } from "../scripts/opened.ts";
import type { Store } from "../src/service/core/ports/store.ts";
import { RunSignals } from "../src/service/core/runs/run-signals.ts";
import { openPostgresStore } from "../src/service/store/postgres.ts";
import { openPostgresLink } from "../src/service/store/postgres-link.ts";
import { openSqliteStore } from "../src/service/store/sqlite.ts";

const MS = 3_000;

/** `runs` streams are written at once, each `batch` events at a time. */
export type Writing = { readonly runs: number; readonly batch: number };

export const smallBatches: Writing = { runs: 32, batch: 3 };
export const bigBatches: Writing = { runs: 4, batch: 500 };

export type AppendFigures = { readonly small: number; readonly big: number };

/** Events a second, on the embedded store or on the database at `databaseUrl`. */
export async function measureAppends(databaseUrl?: string): Promise<AppendFigures> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const removeFolder = opened(() => rm(folder, { recursive: true, force: true }));
  const store =
    databaseUrl === undefined
      ? await openSqliteStore({ folder })
      : await openPostgresStore({ url: databaseUrl });
  const closeStore = opened(() => store.close());
  const link =
    databaseUrl === undefined
      ? null
      : await openPostgresLink({
          url: databaseUrl,
          onSignal: () => {},
          onReconnect: () => {},
          onFollowed: () => {},
          waitedFor: () => [],
          log: pino({ level: "warn" }),
          random: () => 0.5,
        });
  const closeLink = opened(async () => await link?.close());
  const signals = new RunSignals({ publish: (runId) => link?.publish("moved", runId) });
  const figures = {
    small: await append({ store, signals }, smallBatches),
    big: await append({ store, signals }, bigBatches),
  };
  await closeLink();
  await closeStore();
  await removeFolder();
  return figures;
}

async function append(parts: { store: Store; signals: RunSignals }, writing: Writing): Promise<number> {
  const { store, signals } = parts;
  const runIds = Array.from({ length: writing.runs }, (_, index) => `run-${writing.batch}-${index}`);
  for (const runId of runIds) await startRun(store, runId);
  const event = JSON.stringify({
    type: "TEXT_MESSAGE_CONTENT",
    messageId: "message-1",
    delta: "as a model ",
  });
  const jsons = Array.from({ length: writing.batch }, () => event);
  let appended = 0;
  const startedAt = performance.now();
  await Promise.all(
    runIds.map(async (runId) => {
      while (performance.now() - startedAt < MS) {
        const written = await store.transact((tx) =>
          tx.events.append({ runId, fence: 1, now: Date.now(), jsons }),
        );
        if (written === null) throw new Error(`Run ${runId} is not at work.`);
        signals.publish(runId);
        appended += jsons.length;
      }
    }),
  );
  return appended / ((performance.now() - startedAt) / 1000);
}

async function startRun(store: Store, id: string): Promise<void> {
  await store.transact(async (tx) => {
    await tx.sessions.insert({ id: `thread-${id}`, agentId: "agent-1", createdAt: 0 });
    await tx.runs.insert(makeRun({ id, sessionId: `thread-${id}` }), makeRunInput());
    await tx.queue.start({ runId: id, now: Date.now() });
  });
}
