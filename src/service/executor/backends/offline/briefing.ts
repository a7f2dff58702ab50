// The text of the briefing: undone work, then facts that a newcomer to the repository wants to know first. Pure.

import type { Commit } from "../../../core/checkouts/checkout.ts";
import type { BareTask, RepositoryTask } from "../../backend.ts";
import { isForeign } from "../../tools/foreign-files.ts";
import type { Changes } from "../../tools/git-changes.ts";
import { utcDay } from "../../tools/git-log.ts";
import { languageShares } from "../languages.ts";
import { commandsOf } from "./commands.ts";
import { code } from "./markdown.ts";
import { firstParagraph } from "./readme.ts";

export const LISTED_COMMITS = 8;
const LISTED_CHANGES = 20;
const LISTED_LANGUAGES = 6;
const MAX_REQUEST_CHARS = 240;
const MAX_PARAGRAPH_CHARS = 700;

const NOTICE =
  "> **No model took part in this run** (backend `offline`): the request was not executed. This is a briefing of the " +
  "repository, for which no model is needed.";

/** The parts of the repository that were read. */
export type Briefed = {
  readonly paths: readonly string[];
  /** The path of the README in the root folder. */
  readonly readme: string | null;
  /** The texts of README and manifests by path; "" for one that could not be read. */
  readonly texts: ReadonlyMap<string, string>;
  /** Newest first. */
  readonly commits: readonly Commit[];
  /** Null where the event is no pull request, or no base is in reach. */
  readonly changes: Changes;
};

/** Markdown, a section at a time; joined they are the briefing. */
export function* briefing(task: RepositoryTask, found: Briefed): Generator<string> {
  const place = `Commit ${code(task.sha.slice(0, 12))} · ref ${code(task.ref)} · event ${code(task.event)}`;
  const request = lastRequest(task);
  const quote = request === "" ? "" : `\n\nThe request was: ${code(request, MAX_REQUEST_CHARS)}`;
  yield `${NOTICE}\n\n# Briefing of ${code(task.repository)}\n\n${place}${quote}\n\n`;
  yield about(found);
  if (isPullRequest(task)) yield section("What the pull request changes", changed(found.changes));
  yield section("How to build and test it", commands(found));
  yield section("Recent commits", history(found.commits));
}

/** The text where there is no repository. One paragraph. */
export function noRepositoryText(task: BareTask): string {
  const request = lastRequest(task);
  const quote = request === "" ? "" : ` The request was: ${code(request, MAX_REQUEST_CHARS)}.`;
  return (
    "**This agent has no repository, so there is nothing to brief you on.** No model is configured (backend `offline`), " +
    `so the request was not executed.${quote} The checkout was empty and stays so. To get an agent with a repository, ` +
    "run the action in a workflow of that repository, and claim its agent with the link that a job prints when it needs " +
    "a billing account (`agent-service claim <url>`).\n"
  );
}

export function isPullRequest(task: Pick<RepositoryTask, "event" | "baseRef">): boolean {
  return task.event === "pull_request" || task.baseRef !== null;
}

function about({ paths, readme, texts }: Briefed): string {
  const paragraph = readme === null ? null : firstParagraph(texts.get(readme) ?? "");
  const words =
    readme === null || paragraph === null
      ? "No README with a paragraph of prose was found."
      : `${code(readme)} begins:\n\n> ${code(paragraph, MAX_PARAGRAPH_CHARS)}`;
  const shares = languageShares(paths.filter((path) => !isForeign(path))).slice(0, LISTED_LANGUAGES);
  const languages = shares.map(({ name, files }) => `${name} (${countOf(files, "file")})`).join(", ");
  const sizes = `${countOf(paths.length, "tracked file")}. Languages: ${languages || "none that is known here"}.`;
  return section("What it is", `${words}\n\n${sizes}`);
}

function changed(changes: Changes): string {
  if (changes === null) {
    return "Its base is not in the history that was fetched, so the changes cannot be listed.";
  }
  const { baseSha, files } = changes;
  const added = files.reduce((sum, { additions }) => sum + additions, 0);
  const deleted = files.reduce((sum, { deletions }) => sum + deletions, 0);
  const total = `${countOf(files.length, "file")}, +${added} −${deleted} against ${code(baseSha.slice(0, 12))}.`;
  const lines = files
    .slice(0, LISTED_CHANGES)
    .map((file) => `- ${code(file.path)} ${file.status}, +${file.additions} −${file.deletions}`);
  const more = files.length > LISTED_CHANGES ? [`- and ${files.length - LISTED_CHANGES} more`] : [];
  return [total, ...(lines.length === 0 ? [] : ["", ...lines, ...more])].join("\n");
}

function commands({ paths, texts }: Briefed): string {
  const lines = commandsOf({ paths, texts }).map(({ command, from }) => `- ${code(command)} (${code(from)})`);
  return lines.length === 0 ? "The root folder has no build file that is known here." : lines.join("\n");
}

function history(commits: readonly Commit[]): string {
  const lines = commits
    .slice(0, LISTED_COMMITS)
    .map(
      ({ sha, at, author, subject }) =>
        `- ${code(sha.slice(0, 10))} ${utcDay(at)} ${code(author, 60)}: ${code(subject, 120)}`,
    );
  return lines.length === 0 ? "The history could not be read." : lines.join("\n");
}

function lastRequest(task: Pick<RepositoryTask, "messages">): string {
  const message = task.messages.findLast(({ role }) => role === "user");
  return (message?.content ?? "")
    .slice(0, 4 * MAX_REQUEST_CHARS)
    .replace(/\s+/g, " ")
    .trim();
}

function section(heading: string, text: string): string {
  return `## ${heading}\n\n${text}\n\n`;
}

function countOf(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
