// The briefing's sections in their order: first what was not done, then what the reader came for. Pure.

import type { BareTask, RepositoryTask } from "../../backend.ts";
import { utcDay } from "../../tools/git-log.ts";
import { code } from "./markdown.ts";
import { aboutSection } from "./sections/about.ts";
import { changesSection } from "./sections/changes.ts";
import { commandsSection } from "./sections/commands.ts";
import { entriesSection } from "./sections/entries.ts";
import { filesSection } from "./sections/files.ts";
import { historySection } from "./sections/history.ts";
import { languagesSection } from "./sections/languages.ts";
import { notesSection } from "./sections/notes.ts";
import { isPullRequest, type Survey } from "./survey.ts";

const MAX_REQUEST_CHARS = 240;

const NOTICE =
  "> **No model took part in this run.** This service runs the `offline` backend: no model is configured, so the " +
  "request was not carried out. Below is a briefing of the repository made without a model.\n" +
  ">\n" +
  "> Whoever operates the service gives it a model with `BACKEND=model`; without a server, the inputs of the step do.";

/** Markdown, a section at a time; joined they are the briefing. The same task and survey give the same text. */
export function* briefingSections(task: RepositoryTask, survey: Survey): Generator<string> {
  yield header(task, survey);
  yield aboutSection(survey);
  if (isPullRequest(task)) yield changesSection(survey);
  yield languagesSection(survey);
  yield commandsSection(survey);
  yield entriesSection(survey);
  yield filesSection(survey);
  yield historySection(survey);
  yield notesSection(survey);
}

function header(task: RepositoryTask, survey: Survey): string {
  const head = survey.commits.find((commit) => commit.sha === task.sha);
  const day = head === undefined ? "" : ` of ${utcDay(head.at)}`;
  const place = `Commit ${code(task.sha.slice(0, 12))}${day} · ref ${code(task.ref)} · event ${code(task.event)}`;
  const request = lastRequest(task);
  const quote = request === "" ? "" : `\n\nThe request was: ${code(request, MAX_REQUEST_CHARS)}`;
  return `${NOTICE}\n\n# Briefing of ${code(task.repository)}\n\n${place}${quote}\n\n`;
}

/** What is said instead where there is no repository. One paragraph. */
export function noRepositoryText(task: BareTask): string {
  const request = lastRequest(task);
  const asked = request === "" ? "" : ` The request was: ${code(request, MAX_REQUEST_CHARS)}.`;
  return (
    "**This agent has no repository, so there is nothing to brief you on.** This service runs the `offline` backend: it " +
    `calls no model and reads repositories.${asked} It was not carried out, and nothing else was done: the checkout was ` +
    "empty and stays so. An agent with a repository is made by the repository's CI: run the action in one of its " +
    "workflows, and claim its agent with the link that a job prints when it needs a billing account (`agent-service claim <url>`). " +
    "The runs of its jobs then get a briefing.\n"
  );
}

function lastRequest(task: Pick<RepositoryTask, "messages">): string {
  const message = task.messages.findLast(({ role }) => role === "user");
  return (message?.content ?? "")
    .slice(0, 4 * MAX_REQUEST_CHARS)
    .replace(/\s+/g, " ")
    .trim();
}
