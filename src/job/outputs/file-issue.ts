// New issues of a run. Each has a marker by which a re-run of the job finds it, and a later job the older ones.

import type { OutputOf, TypedOutputs } from "../../contract/runs/typed-outputs.ts";
import type { WrittenOutput } from "../../report/written-outputs.ts";
import { filedMarker, isMarked, markerOf } from "./filed-marker.ts";
import { filedText, originNote } from "./filed-text.ts";
import type { FiledIssue, Filing, OutputsHost } from "./outputs-host.ts";

const MAX_CLOSED = 20;

type IssueFiling = {
  readonly host: OutputsHost;
  readonly filing: Filing;
  readonly declared: NonNullable<TypedOutputs["issue"]>;
  readonly asked: OutputOf<"issue">;
  readonly index: number;
};

/** Rejects with NotWritten. Safe to repeat: a job files it once, in all of its attempts. */
export async function fileIssue(options: IssueFiling): Promise<WrittenOutput> {
  const { host, filing, declared, asked, index } = options;
  const { title_prefix: prefix = "", close_older: closesOlder = false } = declared;
  const marker = filedMarker({ ...filing, type: "issue", index });
  const ours = (await host.ownIssues()).filter(({ body }) => markerOf(body) !== null);
  const there = ours.find(({ body }) => isMarked(body, marker));
  const older = closesOlder
    ? ours
        .filter((issue) => isOlder(issue, { before: there?.number ?? null, place: marker.place, prefix }))
        // Those of this very run are no older ones.
        .filter(({ body }) => !isOfRun(body, options))
        .slice(0, MAX_CLOSED)
    : [];
  const replaced = older.map(({ number }) => nameOf(host, number)).join(", ");
  const notes = [...(older.length === 0 ? [] : [`It replaces ${replaced}.`]), originNote(filing.jobUrl)];
  const inert = (text: string) => host.inert(text);
  const filed = there ?? (await host.createIssue(filedText({ asked, prefix, marker, notes, inert })));
  for (const { number } of older) await host.closeIssue(number, "not_planned");
  const name = nameOf(host, filed.number);
  const done = there === undefined ? `Filed ${name}.` : `${name} was filed before.`;
  const text = older.length === 0 ? done : `${done} Closed ${replaced}.`;
  return { type: "issue", text, url: filed.url };
}

function nameOf(host: OutputsHost, number: number): string {
  return host.nameOf({ number, isPullRequest: false });
}

function isOlder(
  { number, isOpen, title, body }: FiledIssue,
  { before, place, prefix }: { before: number | null; place: string; prefix: string },
): boolean {
  if (!isOpen || !title.startsWith(prefix)) return false;
  return markerOf(body)?.place === place && (before === null || number < before);
}

function isOfRun(body: string, { filing, declared }: IssueFiling): boolean {
  return Array.from({ length: declared.max }).some((_, index) =>
    isMarked(body, filedMarker({ ...filing, type: "issue", index })),
  );
}
