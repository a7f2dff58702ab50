// The part of the benchmark about the journal of runs: its rows of the table.

import { makeLargeRepository, makeMiddleRepository } from "../made-repositories.ts";
import { onPostgres } from "../postgres-schema.ts";
import type { Figure, Row } from "../table.ts";
import { type ChangedCheckout, openChangedCheckout } from "./changed-checkout.ts";
import { measureDiskWrite } from "./disk-write.ts";
import { measureEngines } from "./engines.ts";
import { type JournalFigures, measureJournal, type TurnFigures } from "./measure-journal.ts";
import { JOURNAL_RUNS, STEPS_A_RUN } from "./size.ts";
import { measureTakenUp, TAKEN_UP_STALLED_SECONDS, type TakenUpFigures } from "./taken-up.ts";

const ASKED_WRITE_MS = [60, 220];
const ASKED_READ_MS = 2;

export async function journal(): Promise<Row[]> {
  const repositories = [await makeMiddleRepository(), await makeLargeRepository()];
  const checkouts: ChangedCheckout[] = [];
  for (const repository of repositories) checkouts.push(await openChangedCheckout(repository));
  const disk = await measureDiskWrite();
  const sqlite = await measureJournal(checkouts);
  const postgres = await onPostgres(({ url }) => measureJournal(checkouts, url));
  const engines = await measureEngines();
  const onBoth = (figure: (figures: JournalFigures) => Figure) => ({
    sqlite: figure(sqlite),
    postgres: postgres === null ? ("no database" as const) : figure(postgres),
  });
  const rows: Row[] = [
    {
      what: "journal: a turn that reads",
      ...onBoth(({ reads }) => ({
        text: textOf(reads),
        isReached: reads.medianMs <= ASKED_READ_MS && reads.transactions === 1,
      })),
      floor: `${disk.medianMs.toFixed(1)} ms (p90 ${disk.p90Ms.toFixed(1)}) 16 KB to the disk alone`,
      asked: `≤ ${ASKED_READ_MS} ms, one transaction`,
    },
    {
      what: "journal: the entry before an outside call",
      ...onBoth(({ outside }) => ({ text: textOf(outside), isReached: outside.transactions === 1 })),
      floor: "–",
      asked: "one transaction more",
    },
  ];
  for (const [at, checkout] of checkouts.entries()) {
    const start = await checkout.gitStart();
    const asked = ASKED_WRITE_MS[at] ?? 0;
    rows.push({
      what: `journal: a turn that wrote, ${checkout.files.toLocaleString("en")} files`,
      ...onBoth(({ writes }) => {
        const turn = writes[at];
        if (turn === undefined) throw new Error("A checkout was not measured.");
        return { text: textOf(turn), isReached: turn.medianMs <= asked && turn.transactions === 1 };
      }),
      floor: `${start.medianMs.toFixed(1)} ms (p90 ${start.p90Ms.toFixed(1)}) one start of git; a turn has two side by side`,
      asked: `≤ ${asked} ms`,
    });
  }
  rows.push({
    what: `journal: entries of 2 KB, ${JOURNAL_RUNS} runs of ${STEPS_A_RUN} at once`,
    ...onBoth(({ steps }) => ({
      text: `${Math.round(steps.perSecond).toLocaleString("en")}/s\n${steps.cpuMs.toFixed(2)} ms CPU`,
    })),
    floor: engines.length === 0 ? "–" : engines.join("\n"),
  });
  for (const opened of [...checkouts, ...repositories]) await opened.remove();
  const takenUp = await measureTakenUp();
  const takenUpOnPostgres = await onPostgres(({ url }) => measureTakenUp(url));
  rows.push({
    what: "journal: a killed worker → the next request of its run",
    sqlite: { text: takenUpText(takenUp) },
    postgres: takenUpOnPostgres === null ? "no database" : { text: takenUpText(takenUpOnPostgres) },
    floor: `PostgreSQL: STALLED_SECONDS is ${TAKEN_UP_STALLED_SECONDS}`,
  });
  return rows;
}

function takenUpText({ medianMs, longestMs, readyMs }: TakenUpFigures): string {
  const times = `${Math.round(medianMs)} ms, longest ${Math.round(longestMs)}`;
  return readyMs === null ? times : `${times}\nof that ${Math.round(readyMs)} ms the process starts again`;
}

function textOf({ medianMs, p90Ms, cpuMs, storedBytes, transactions }: TurnFigures): string {
  const times = `${medianMs.toFixed(1)} ms, p90 ${p90Ms.toFixed(1)}`;
  return `${times}\n${cpuMs.toFixed(1)} ms CPU\n${storedBytes.toLocaleString("en")} bytes\n${transactions} transaction(s)`;
}
