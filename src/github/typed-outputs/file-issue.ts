// New issues of a run. Each has a marker by which a re-run of the job finds it, and a later job the older ones.
// https://docs.github.com/en/rest/issues/issues (2026-11-27)

import * as z from "zod/mini";
import type { OutputOf, TypedOutputs } from "../../contract/runs/typed-outputs.ts";
import type { WrittenOutput } from "../../report/written-outputs.ts";
import { jobPage } from "../api/pages.ts";
import { readViewer } from "../api/viewer.ts";
import { filedMarker, markerOf } from "./filed-marker.ts";
import { filedText, originNote } from "./filed-text.ts";
import { type OutputsOptions, permitted } from "./outputs-context.ts";

const PERMISSION = "issues";
/** Of a hundred issues each, the newest first. */
const MAX_PAGES = 10;
const MAX_CLOSED = 20;

const issueSchema = z.object({
  number: z.int(),
  html_url: z.string(),
  state: z.string(),
  title: z.string(),
  body: z.optional(z.nullable(z.string())),
  user: z.nullable(z.object({ id: z.int() })),
  pull_request: z.optional(z.unknown()),
});
type Issue = z.infer<typeof issueSchema>;

type Filing = Pick<OutputsOptions, "api" | "env" | "job" | "runKey"> & {
  readonly declared: NonNullable<TypedOutputs["issue"]>;
  readonly asked: OutputOf<"issue">;
  readonly index: number;
};

/** Rejects with NotWritten. Safe to repeat: a job files it once, in all of its attempts. */
export async function fileIssue(filing: Filing): Promise<WrittenOutput> {
  const { api, env, declared, asked } = filing;
  const { title_prefix: prefix = "", close_older: closesOlder = false } = declared;
  const marker = filedMarker({ ...filing, type: "issue" });
  const ours = await permitted(PERMISSION, issuesOfOurs(filing));
  const there = ours.find(({ body }) => markerOf(body ?? "")?.item === marker.item);
  const older = closesOlder
    ? ours
        .filter((issue) => isOlder(issue, { before: there?.number ?? null, place: marker.place, prefix }))
        // Those of this very run are no older ones.
        .filter(({ body }) => !isOfRun(body ?? "", filing))
        .slice(0, MAX_CLOSED)
    : [];
  const replaced = older.map(({ number }) => `#${number}`).join(", ");
  const notes = [
    ...(older.length === 0 ? [] : [`It replaces ${replaced}.`]),
    originNote(jobPage(env, api.repository)),
  ];
  const filed = there ?? (await create(filing, filedText({ asked, prefix, marker, notes })));
  for (const { number } of older) {
    const body = { state: "closed", state_reason: "not_planned" };
    const write = { method: "PATCH", path: `/issues/${number}`, body, isRepeatable: true } as const;
    await permitted(PERMISSION, api.write(write, issueSchema));
  }
  const done = there === undefined ? `Filed #${filed.number}.` : `#${filed.number} was filed before.`;
  const text = older.length === 0 ? done : `${done} Closed ${replaced}.`;
  return { type: "issue", text, url: filed.html_url };
}

/** Anybody can copy a marker: only those of our own account count. */
async function issuesOfOurs({ api }: Filing): Promise<Issue[]> {
  const { id } = await readViewer(api);
  const found: Issue[] = [];
  const path = "/issues?state=all&sort=created&direction=desc";
  for await (const issue of api.items(path, issueSchema, MAX_PAGES)) {
    const isOurs = issue.user?.id === id && issue.pull_request === undefined;
    if (isOurs && markerOf(issue.body ?? "") !== null) found.push(issue);
  }
  return found;
}

function isOlder(
  { number, state, title, body }: Issue,
  { before, place, prefix }: { before: number | null; place: string; prefix: string },
): boolean {
  if (state !== "open" || !title.startsWith(prefix)) return false;
  return markerOf(body ?? "")?.place === place && (before === null || number < before);
}

function isOfRun(body: string, filing: Filing): boolean {
  const item = markerOf(body)?.item;
  return Array.from({ length: filing.declared.max }).some(
    (_, index) => filedMarker({ ...filing, type: "issue", index }).item === item,
  );
}

async function create({ api }: Filing, body: { title: string; body: string }): Promise<Issue> {
  const write = { method: "POST", path: "/issues", body, isRepeatable: false } as const;
  return await permitted(PERMISSION, api.write(write, issueSchema));
}
