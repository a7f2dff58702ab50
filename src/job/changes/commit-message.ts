// The message of a commit: one safe line of the request, the job, and the trailers by which a later job finds it. Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import type { ChangesHost, ChangesSubject } from "./changes-host.ts";

const MAX_TITLE_CHARS = 72;
/** A title is made of the beginning of a line. */
const MAX_READ_CHARS = 1_000;
const MAX_ID_CHARS = 100;
const FALLBACK_TITLE = "Change what the agent was asked to change";

type Run = { readonly id: string; readonly sessionId: string };

/** The first line. Made of untrusted text, so that it closes no issue, mentions nobody and skips no workflow. */
export function commitTitle({ subject, prompt }: { subject: ChangesSubject | null; prompt: string }): string {
  const [request = ""] = (subject?.command?.request ?? "").split("\n").filter((line) => line.trim() !== "");
  const text = subject === null ? (prompt.trim().split("\n")[0] ?? "") : titleFor(subject, request);
  // Removals go first: they must not join two parts into something that acts.
  const inert = text
    .slice(0, MAX_READ_CHARS)
    .replaceAll("@", "")
    .replaceAll("***", "")
    .replace(/\b[a-z][a-z\d+.-]*:\/\/\S*/gi, "…")
    .replace(/(?:[\w.-]+\/[\w.-]+)?#(?=\d)|\bGH-(?=\d)/gi, "No. ")
    .replaceAll("[", "(")
    .replaceAll("]", ")");
  return singleLine(inert, MAX_TITLE_CHARS) || FALLBACK_TITLE;
}

/** On an issue its title. On a pull request, which has a title of its own already, the request. */
function titleFor({ isPullRequest, title }: ChangesSubject, request: string): string {
  return isPullRequest && request !== "" ? request : title;
}

type MessageOptions = {
  readonly title: string;
  readonly run: Run;
  readonly host: Pick<ChangesHost, "jobUrl" | "coAuthor">;
};

export function commitMessage({ title, ...options }: MessageOptions): string {
  return `${title}\n\n${messageBody(options)}`;
}

/** Everything below the title. */
export function messageBody(options: Omit<MessageOptions, "title">): string {
  const { run, host } = options;
  const trailers = [
    `${SESSION}: ${idText(run.sessionId)}`,
    `${RUN}: ${idText(run.id)}`,
    ...(host.coAuthor === null ? [] : [host.coAuthor]),
  ];
  return `Made by an agent, in the job ${host.jobUrl}\n\n${trailers.join("\n")}\n`;
}

const SESSION = "Agent-Session";
const RUN = "Agent-Run";

export function isOfSession(message: string, { sessionId }: Run): boolean {
  return hasTrailer(message, `${SESSION}: ${idText(sessionId)}`);
}

export function isOfRun(message: string, { id }: Run): boolean {
  return hasTrailer(message, `${RUN}: ${idText(id)}`);
}

/** Whether a run has made it, whichever. Anybody can write such a message. */
export function hasRunTrailer(message: string): boolean {
  return lastParagraph(message).some((line) => line.startsWith(`${RUN}: `));
}

function hasTrailer(message: string, trailer: string): boolean {
  return lastParagraph(message).includes(trailer);
}

/** Where git looks for trailers. */
function lastParagraph(message: string): readonly string[] {
  const paragraph =
    message
      .trimEnd()
      .split(/\n[ \t]*\n/)
      .at(-1) ?? "";
  return paragraph.split("\n");
}

/** Ids come from the service. */
function idText(id: string): string {
  return id.replace(/[^\w.-]+/g, "_").slice(0, MAX_ID_CHARS);
}

/** The time in the run's id (RFC 9562, version 7), so that a re-run job makes the same commit. */
export function runSeconds({ id }: Run, otherwiseSeconds: number): number {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i.exec(id) ?? [];
  if (high === undefined || low === undefined) return otherwiseSeconds;
  return Math.floor(Number.parseInt(high + low, 16) / 1000);
}
