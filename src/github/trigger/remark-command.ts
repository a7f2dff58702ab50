// Whether a comment or a review asks for anything: most do not, so this is decided before anything else is loaded, let
// alone asked. Pure.

import { type Command, parseCommand } from "./command.ts";
import { Declined } from "./declined.ts";

/** What each event calls the words that came with it, and the action by which they are new. */
const REMARKS: Readonly<Record<string, { readonly field: string; readonly action: string }>> = {
  issue_comment: { field: "comment", action: "created" },
  pull_request_review_comment: { field: "comment", action: "created" },
  pull_request_review: { field: "review", action: "submitted" },
};

/** In all that the step writes. By an app's or a person's token its words are events, and by somebody who may ask. */
const OWN_MARK = "<!-- agent-service:";

export function isRemark(event: string): boolean {
  return Object.hasOwn(REMARKS, event);
}

/** The command of a remark. Throws Declined when there is none, or it is no longer new. */
export function remarkCommand(event: string, payload: unknown, phrase: string): Command {
  const { field = "", action = "" } = REMARKS[event] ?? {};
  const { action: done, [field]: remark } = isRecord(payload) ? payload : {};
  const body = isRecord(remark) && typeof remark.body === "string" ? remark.body : "";
  if (body.includes(OWN_MARK)) {
    throw new Declined(
      "no_command",
      "Nothing ran: the agent wrote this itself, and asks itself for nothing.",
    );
  }
  const command = parseCommand(body, phrase);
  if (command === null) throw noCommand(phrase);
  if (done !== action) {
    const message = `Nothing ran: only a new ${field} is read, and this one was ${String(done)}. Write another.`;
    throw new Declined("action_ignored", message);
  }
  return command;
}

export function noCommand(phrase: string): Declined {
  return new Declined("no_command", `Nothing ran: no line begins with "${phrase}".`);
}

/** What a comment may ask for. */
export function helpText(phrase: string): string {
  return (
    `Begin a line with "${phrase}" and say what you want, or with "${phrase} review", "${phrase} fix", ` +
    `"${phrase} new" (a new conversation) or "${phrase} cancel". Code, quotations and links are not read as commands.`
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
