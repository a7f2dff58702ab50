// node test/support/measure-write-back.ts: what it costs to keep what a run changes in its copy after each tool call, beside keeping it once at the end: the time from a call's
// end until its change is stored, and the whole of a run of such calls, both ways in the same process.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "../../bench/statistics.ts";
import { type Row, renderTable } from "../../bench/table.ts";
import { opened } from "../../scripts/opened.ts";
import { copyFolders } from "../../src/service/checkouts/copies/copy-folders.ts";
import type { Holder } from "../../src/service/core/workspaces/copies/copy.ts";
import { takeCopy } from "../../src/service/core/workspaces/copies/copy-lease.ts";
import { layOut, stateOfCopy } from "../../src/service/core/workspaces/runs/lay-out-copy.ts";
import { writeBack } from "../../src/service/core/workspaces/runs/write-back.ts";
import { CoreFixture } from "./fixtures/core-fixture.ts";
import { testDatabaseUrl } from "./stores/postgres-schema.ts";
import { postgresStore, type StoreKind, sqliteStore } from "./stores/stores.ts";
import { TestWorkspace } from "./workspaces.ts";

const CALLS = 40;
const MAX_FILE_BYTES = 100_000_000;

type WriteBackFigures = {
  /** Of one call that wrote a file, and of one that changed nothing. */
  readonly callMs: number;
  readonly idleCallMs: number;
  /** Of `CALLS` calls that each wrote a file, and were kept by one reading at the end. */
  readonly atEndMs: number;
};

/** In a copy of few files, and in one of many. */
async function writeBackPart(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const files of [50, 5_000]) {
    const sqlite = await measureWriteBack(sqliteStore, files);
    const postgres = testDatabaseUrl === undefined ? null : await measureWriteBack(postgresStore, files);
    const row = (what: string, text: (figures: WriteBackFigures) => string): Row => ({
      what,
      sqlite: { text: text(sqlite) },
      postgres: postgres === null ? "no database" : { text: text(postgres) },
      floor: "–",
    });
    const ms = (value: number) => `${value.toFixed(1)} ms`;
    rows.push(
      row(
        `copy of ${files} files: kept after each call that writes one`,
        ({ callMs }) => `${ms(callMs)} a call`,
      ),
      row("kept after a call that changed nothing", ({ idleCallMs }) => `${ms(idleCallMs)} a call`),
      row(
        `kept at the end alone, ${CALLS} calls`,
        ({ atEndMs }) => `${ms(atEndMs / CALLS)} a call\n${ms(atEndMs)} in all`,
      ),
    );
  }
  return rows;
}

async function measureWriteBack(store: StoreKind, files: number): Promise<WriteBackFigures> {
  const fixture = await CoreFixture.start({ store });
  const closeFixture = opened(() => fixture.close());
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const removeFolder = opened(() => rm(folder, { recursive: true, force: true }));
  try {
    return await measure(fixture, { folder, files });
  } finally {
    await removeFolder();
    await closeFixture();
  }
}

async function measure(
  fixture: CoreFixture,
  { folder, files }: { folder: string; files: number },
): Promise<WriteBackFigures> {
  const { core } = fixture;
  const { signal } = new AbortController();
  const workspace = await TestWorkspace.make(core);
  const copyId = await workspace.makeCopy();
  const given = Array.from({ length: files }, (_, at) => [pathOf(at), `line of ${at}\n`.repeat(150)]);
  await workspace.commit(copyId, Object.fromEntries(given));
  const holder: Holder = { runId: "bench", fence: 1 };
  const held = await takeCopy(core, { workspaceId: workspace.id, copyId, holder }, signal);
  if (!held.ok) throw new Error(held.refusal.reason);
  const folders = copyFolders({ folder, environment: process.env, maxObjects: 100_000 });
  const { commitOid: headSha, made } = await stateOfCopy(core, held.value);
  const source = {
    ...layOut(core, { workspaceId: held.value.workspaceId, headSha, made }),
    runId: "bench",
    copyId,
    maxFileBytes: MAX_FILE_BYTES,
  };
  const open = await folders.open(source, signal);
  if (!open.ok) throw new Error(open.refusal.detail);
  const { checkout, changes } = open.value;
  const keep = async () => {
    const written = await writeBack(core, {
      copy: held.value,
      holder,
      folder: await changes(signal),
      signal,
    });
    if (!written.ok) throw new Error(written.refusal.reason);
    return written.value.files;
  };
  const change = async (call: number, round: string) =>
    await writeFile(join(checkout.root, pathOf((call * 7) % files)), `${round} ${call}\n`);
  const timed = async (work: () => Promise<number>, expected: number) => {
    const startedAt = performance.now();
    const kept = await work();
    if (kept !== expected) throw new Error(`${kept} files were kept, not ${expected}.`);
    return performance.now() - startedAt;
  };
  const afterEach: number[] = [];
  const idle: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    await change(call, "each");
    afterEach.push(await timed(keep, 1));
    idle.push(await timed(keep, 0));
  }
  for (let call = 0; call < CALLS; call += 1) await change(call, "end");
  const atEndMs = await timed(keep, Math.min(CALLS, files));
  await checkout.close();
  return { callMs: median(afterEach), idleCallMs: median(idle), atEndMs };
}

function pathOf(at: number): string {
  return `folder-${Math.floor(at / 100)}/part-${Math.floor(at / 10) % 10}/file-${at}.txt`;
}

process.stdout.write(renderTable(await writeBackPart()));
