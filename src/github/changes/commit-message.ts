// What a commit says of itself: one safe line of what was asked, the job, and the trailers that a later job finds it by.
// Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import type { Environment } from "../../ci/provider.ts";
import type { Talk } from "../trigger/agent-request.ts";

const MAX_SUBJECT_CHARS = 72;
const MAX_ID_CHARS = 100;
const FALLBACK_SUBJECT = "Change what the agent was asked to change";

export type Run = { readonly id: string; readonly sessionId: string };

/** Written where the words of strangers may not act: they close no issue, call nobody and skip no workflow. */
export function subjectOf({ talk, prompt }: { talk: Talk | null; prompt: string }): string {
  const [request = ""] = (talk?.command?.request ?? "").split("\n").filter((line) => line.trim() !== "");
  const asked = talk === null ? (prompt.trim().split("\n")[0] ?? "") : threadWords(talk, request);
  // What is taken away goes first: it must not bring together what then acts.
  const inert = asked
    .replaceAll("@", "")
    .replaceAll("***", "")
    .replace(/\b[a-z][a-z\d+.-]*:\/\/\S*/gi, "…")
    .replace(/(?:[\w.-]+\/[\w.-]+)?#(?=\d)|\bGH-(?=\d)/gi, "No. ")
    .replaceAll("[", "(")
    .replaceAll("]", ")");
  return singleLine(inert, MAX_SUBJECT_CHARS) || FALLBACK_SUBJECT;
}

/** An issue is named as its author named it. On a pull request, which has its own name, the request says more. */
function threadWords({ thread }: Talk, request: string): string {
  return thread.isPullRequest && request !== "" ? request : thread.title;
}

export type MessageOptions = {
  readonly subject: string;
  readonly jobUrl: string;
  readonly run: Run;
  readonly talk: Talk | null;
  readonly env: Environment;
  readonly noreplyHost: string;
};

export function commitMessage({ subject, ...options }: MessageOptions): string {
  return `${subject}\n\n${messageBody(options)}`;
}

/** Below the subject. */
export function messageBody(options: Omit<MessageOptions, "subject">): string {
  const { jobUrl, run } = options;
  const trailers = [
    `${SESSION}: ${idText(run.sessionId)}`,
    `${RUN}: ${idText(run.id)}`,
    ...coAuthor(options),
  ];
  return `Made by an agent, in the job ${jobUrl}\n\n${trailers.join("\n")}\n`;
}

const SESSION = "Agent-Session";
const RUN = "Agent-Run";

export function isOfSession(message: string, { sessionId }: Run): boolean {
  return hasTrailer(message, `${SESSION}: ${idText(sessionId)}`);
}

export function isOfRun(message: string, { id }: Run): boolean {
  return hasTrailer(message, `${RUN}: ${idText(id)}`);
}

/** Git's own sense of trailers: the last paragraph. */
function hasTrailer(message: string, trailer: string): boolean {
  const paragraph =
    message
      .trimEnd()
      .split(/\n[ \t]*\n/)
      .at(-1) ?? "";
  return paragraph.split("\n").includes(trailer);
}

/** Ids are the service's words. */
function idText(id: string): string {
  return id.replace(/[^\w.-]+/g, "_").slice(0, MAX_ID_CHARS);
}

/** Whoever asked in words. Jobs that start by themselves have an actor, too, who asked for nothing. */
function coAuthor({
  talk,
  env,
  noreplyHost,
}: Pick<MessageOptions, "talk" | "env" | "noreplyHost">): string[] {
  const asksByHand = talk === null ? env.GITHUB_EVENT_NAME === "workflow_dispatch" : isAsked(talk);
  const { GITHUB_ACTOR: login = "", GITHUB_ACTOR_ID: id = "" } = env;
  if (!asksByHand || !/^[\w-]{1,100}$/.test(login) || !/^\d{1,20}$/.test(id)) return [];
  return [`Co-authored-by: ${login} <${id}+${login}@${noreplyHost}>`];
}

function isAsked({ thread, remark }: Talk): boolean {
  return remark !== null || !thread.isPullRequest;
}

/** When the run began, as its id tells (RFC 9562, version 7): a job that runs again makes the same commit. */
export function runSeconds({ id }: Run, otherwiseSeconds: number): number {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i.exec(id) ?? [];
  if (high === undefined || low === undefined) return otherwiseSeconds;
  return Math.floor(Number.parseInt(high + low, 16) / 1000);
}
