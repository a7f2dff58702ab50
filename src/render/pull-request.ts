// The body of a pull request with a run's changes: the agent's reply, the changed files, and who made them. Our part is
// marked, so that people can write around it. Pure.

import { byteLength, SectionRoom } from "../base/bounded-text.ts";
import type { ChangesEvent } from "../contract/runs/changes.ts";
import type { FileLinks } from "./blob-url.ts";
import { changesTable } from "./changes-table.ts";
import { inertMarkdown } from "./inert-markdown.ts";
import { link } from "./markdown.ts";

/** GitHub takes 65,536 characters; no text has more of them than bytes. */
const MAX_BODY_CHARS = 65_536;
/** Leaves room for what people add. */
const MAX_OWN_BYTES = 48 * 1024;
const CHANGES_PART = 1 / 3;
const BEGIN = "<!-- agent-service:begin -->";
const END = "<!-- agent-service:end -->";
const REPLY_CUT = "*The reply is cut here. The whole of it is in the job's output.*";

export type PullRequestContext = {
  /** The agent's reply in Markdown; may be empty. */
  readonly reply: string;
  readonly changes: ChangesEvent["value"];
  readonly jobUrl: string;
  readonly links: FileLinks;
  /** The issue or pull request of the request; `isClosed`: merging closes it. */
  readonly subject: {
    readonly number: number;
    readonly isClosed: boolean;
    /** What stands before the number; left out: "#". */
    readonly mark?: "#" | "!";
  } | null;
};

/** The marked part, in at most 48 KB. */
export function pullRequestBody({ reply, changes, jobUrl, links, subject }: PullRequestContext): string {
  const room = new SectionRoom(MAX_OWN_BYTES - byteLength(BEGIN + END) - 4);
  const refs = room.take(
    subject === null ? "" : `${subject.isClosed ? "Closes" : "Refs"} ${subject.mark ?? "#"}${subject.number}`,
  );
  const origin = room.take(
    `<sub>Made by an agent in ${link("this job", jobUrl)}. Review it before you merge it.</sub>`,
  );
  const table = room.take(changesTable(changes, { maxBytes: Math.floor(room.bytes * CHANGES_PART), links }));
  const inert = inertMarkdown(withoutClosing(reply), Math.max(0, room.bytes - byteLength(REPLY_CUT) - 4));
  const said = [inert.text, inert.wasCut ? REPLY_CUT : ""].filter((text) => text !== "");
  const sections = [said.join("\n\n"), table, refs, origin].filter((section) => section !== "");
  return `${BEGIN}\n${sections.join("\n\n")}\n${END}`;
}

/** The body with our part replaced; null where somebody has removed the marks. */
export function updatedBody(body: string, ours: string): string | null {
  const begin = body.indexOf(BEGIN);
  const end = body.indexOf(END, begin);
  if (begin === -1 || end === -1) return null;
  const renewed = body.slice(0, begin) + ours + body.slice(end + END.length);
  return renewed.length > MAX_BODY_CHARS ? null : renewed;
}

/** https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue */
const CLOSING =
  /\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s*(?=[\\[<*_]*(?:(?:[\w.-]{1,100}\/[\w.-]{1,100})?\\?#\d|GH-\d|https?:))/gi;

/** The agent's words close no issue. */
function withoutClosing(reply: string): string {
  return reply.replace(CLOSING, "$1 issue ");
}
