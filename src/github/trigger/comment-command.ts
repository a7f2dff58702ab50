// The command in the comment or review of an event. Most hold none, so this is decided before anything else is loaded.
// Pure.

import { type Command, parseCommand } from "./command.ts";
import { COMMENT_EVENTS } from "./comment-event.ts";
import { Declined } from "./declined.ts";

/** Part of everything that the step writes: written by a person's or an app's token, it starts workflows too. */
const OWN_MARK = "<!-- agent-service:";

/** The command of a comment. Throws Declined when there is none, or it is no longer new. */
export function commentCommand(event: string, payload: unknown, phrase: string): Command {
  const { field = "", action = "" } = COMMENT_EVENTS[event] ?? {};
  const { action: done, [field]: comment } = isRecord(payload) ? payload : {};
  const body = isRecord(comment) && typeof comment.body === "string" ? comment.body : "";
  if (body.includes(OWN_MARK)) {
    throw new Declined("no_command", "Nothing ran: the agent wrote this comment itself.");
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

/** The answer to the command "help". */
export function helpText(phrase: string): string {
  return (
    `Begin a line with "${phrase}" and say what you want, or with "${phrase} review", "${phrase} fix", ` +
    `"${phrase} new" (a new conversation) or "${phrase} cancel". Code, quotations and links are not read as commands.`
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
