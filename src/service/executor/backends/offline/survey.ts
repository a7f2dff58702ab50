// Reads what the briefing needs, step by step, through the tools: each step and each call is seen in the run.

import type { Commit } from "../../../core/ports/checkout.ts";
import type { RepositoryTask } from "../../backend.ts";
import { type Changes, gitChanges } from "../../tools/git-changes.ts";
import { gitLog } from "../../tools/git-log.ts";
import { listFiles } from "../../tools/list-files.ts";
import { readFile } from "../../tools/read-file.ts";
import { type SearchResult, search } from "../../tools/search.ts";
import { type FileSizes, weighFiles } from "./file-sizes.ts";
import { findLicence, recogniseLicence } from "./licence.ts";
import { type FoundManifest, type ProjectFiles, projectFiles } from "./manifest.ts";
import { readManifests } from "./manifests.ts";
import { ask, type Reading } from "./reading.ts";
import { findReadme, firstParagraph } from "./readme.ts";
import { takeStep } from "./stream.ts";

const LISTED_FILES = 100;
const README_LINES = 200;
const LICENCE_LINES = 60;
const MOST_CHANGED = 100;
const NOTES = 100;

export const noteMarks = ["TODO", "FIXME", "XXX", "HACK"] as const;

export type Survey = {
  readonly project: ProjectFiles;
  readonly sizes: FileSizes;
  readonly manifests: readonly FoundManifest[];
  /** The first paragraph that says something. */
  readonly readme: { readonly path: string; readonly paragraph: string } | null;
  /** `name` is null when the text is none that is known here. */
  readonly licence: { readonly path: string; readonly name: string | null } | null;
  readonly commits: readonly Commit[];
  readonly mostChanged: readonly { readonly path: string; readonly commits: number }[];
  readonly changes: Changes;
  /** Null when the search failed. */
  readonly notes: SearchResult | null;
};

/** Everything that the briefing is written from. Rejects with the reason of the task's signal once it aborts. */
export async function surveyRepository(reading: Reading): Promise<Survey> {
  const { task } = reading;
  const files = await takeStep(task, { name: "List the files", work: () => readFiles(reading) });
  const about = await takeStep(task, {
    name: "Read the manifests",
    work: () => readAbout(reading, files.project),
  });
  const history = await takeStep(task, { name: "Read the history", work: () => readHistory(reading) });
  const changes = isPullRequest(task)
    ? await takeStep(task, {
        name: "Compare with the base",
        work: () => ask(reading, { tool: gitChanges, input: {} }),
      })
    : null;
  const notes = await takeStep(task, {
    name: "Look for open notes",
    work: () => ask(reading, { tool: search, input: { texts: noteMarks, whole_word: true, limit: NOTES } }),
  });
  return { ...files, ...about, ...history, changes, notes };
}

export function isPullRequest(task: Pick<RepositoryTask, "event" | "baseRef">): boolean {
  return task.event === "pull_request" || task.baseRef !== null;
}

async function readFiles(reading: Reading): Promise<Pick<Survey, "project" | "sizes">> {
  const { task, checkout } = reading;
  await ask(reading, { tool: listFiles, input: { limit: LISTED_FILES } });
  const paths = await checkout.files();
  return {
    project: projectFiles(paths),
    sizes: await weighFiles({ root: checkout.root, paths, signal: task.signal }),
  };
}

async function readAbout(
  reading: Reading,
  project: ProjectFiles,
): Promise<Pick<Survey, "manifests" | "readme" | "licence">> {
  const readmePath = findReadme(project.rootPaths);
  const licencePath = findLicence(project.rootPaths);
  const readme =
    readmePath === null ? null : await readStart(reading, { path: readmePath, lines: README_LINES });
  const licence =
    licencePath === null ? null : await readStart(reading, { path: licencePath, lines: LICENCE_LINES });
  const paragraph = firstParagraph(readme ?? "");
  return {
    manifests: await readManifests(reading, project),
    readme: readmePath === null || paragraph === null ? null : { path: readmePath, paragraph },
    licence: licencePath === null ? null : { path: licencePath, name: recogniseLicence(licence ?? "") },
  };
}

async function readStart(
  reading: Reading,
  { path, lines }: { readonly path: string; readonly lines: number },
): Promise<string | null> {
  const read = await ask(reading, { tool: readFile, input: { path, end_line: lines } });
  return read?.text ?? null;
}

async function readHistory(reading: Reading): Promise<Pick<Survey, "commits" | "mostChanged">> {
  const commits = await ask(reading, { tool: gitLog, input: {} });
  return { commits: commits ?? [], mostChanged: await reading.checkout.mostChangedFiles(MOST_CHANGED) };
}
