// The part of the benchmark about workspaces: its rows of the table.

import { onPostgres } from "../postgres-schema.ts";
import type { Figure, Row } from "../table.ts";
import { FILES } from "./big-workspace.ts";
import { measureGit } from "./git-repository.ts";
import { measureBareRequests, measureWorkspaces, type WorkspaceFigures } from "./measure-workspaces.ts";

export async function workspaces(): Promise<Row[]> {
  const bare = await measureBareRequests();
  const git = await measureGit();
  const sqlite = await measureWorkspaces();
  const postgres = await onPostgres(({ url }) => measureWorkspaces(url));
  const onBoth = (figure: (figures: WorkspaceFigures, isPostgres: boolean) => Figure) => ({
    sqlite: figure(sqlite, false),
    postgres: postgres === null ? ("no database" as const) : figure(postgres, true),
  });
  const within = (name: keyof WorkspaceFigures, askedMs: number) =>
    onBoth((figures) => ({ text: ms(figures[name]), isReached: figures[name] <= askedMs }));
  const noGit = "git has none";
  return [
    {
      what: `${FILES.toLocaleString("en")} files: write with If-Match, 32 clients`,
      ...onBoth(({ writesPerSecond, writeP99Ms }, isPostgres) => ({
        text: `${perSecond(writesPerSecond)}\np99 ${ms(writeP99Ms)}`,
        isReached: writesPerSecond >= (isPostgres ? 800 : 1_000),
      })),
      floor: `${perSecond(bare)} bare node:http`,
      best: "200/s",
      asked: "≥ 1,000/s, PostgreSQL ≥ 800/s",
    },
    {
      what: "read a file, 32 clients",
      ...onBoth(({ readsPerSecond }, isPostgres) => ({
        text: perSecond(readsPerSecond),
        ...(isPostgres ? {} : { isReached: readsPerSecond >= 5_000 }),
      })),
      floor: `${perSecond(bare)} bare node:http`,
      asked: "≥ 5,000/s embedded",
    },
    {
      what: "list a folder",
      ...within("folderMs", 3),
      floor: `${ms(git.listFolderMs)} git ls-tree`,
      asked: "≤ 3 ms",
    },
    {
      what: "all paths, by pages of 1,000",
      ...within("allPathsMs", 600),
      floor: `${ms(git.allPathsMs)} git ls-tree -r`,
      asked: "≤ 600 ms",
    },
    { what: "a copy, ready", ...within("copyMs", 10), floor: noGit, asked: "≤ 10 ms" },
    { what: "checkpoint of 100 files", ...within("checkpointMs", 50), floor: noGit, asked: "≤ 50 ms" },
    { what: "accept, other files", ...within("acceptMs", 50), floor: noGit, asked: "≤ 50 ms" },
    {
      what: "accept, one file merged",
      ...within("mergeMs", 150),
      floor: `${ms(git.mergeMs)} git merge-tree in the repository`,
      asked: "≤ 150 ms",
    },
    {
      what: "upload of all files, and their checkpoint",
      ...onBoth(({ filledMs }) => ({ text: ms(filledMs) })),
      floor: "–",
    },
  ];
}

const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const perSecond = (value: number) => `${Math.round(value).toLocaleString("en")}/s`;
