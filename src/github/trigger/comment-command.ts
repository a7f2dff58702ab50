// The command in the comment, the review or the new discussion of an event. Most hold none, so this is decided before anything else is loaded.
// Pure.

import { isObject } from "../../base/json.ts";
import { type CommentCommand, parseCommand } from "./command.ts";
import { COMMENT_EVENTS } from "./comment-event.ts";
import { Declined } from "./declined.ts";

/** Part of everything that the step writes: written by a person's or an app's token, it starts workflows too. */
const OWN_MARK = "<!-- agent-service:";

/** The command of a comment. Throws Declined when there is none, or it is no longer new. */
export function commentCommand(event: string, payload: unknown, phrase: string): CommentCommand {
  const { field = "", action = "" } = COMMENT_EVENTS[event] ?? {};
  const { action: done } = isObject(payload) ? payload : {};
  const body = textOf(event, payload);
  if (isOwnText(event, payload)) {
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

/** Whether the step itself wrote the text of the event. */
export function isOwnText(event: string, payload: unknown): boolean {
  return textOf(event, payload).includes(OWN_MARK);
}

function textOf(event: string, payload: unknown): string {
  const { [COMMENT_EVENTS[event]?.field ?? ""]: comment } = isObject(payload) ? payload : {};
  return isObject(comment) && typeof comment.body === "string" ? comment.body : "";
}

export function noCommand(phrase: string): Declined {
  return new Declined("no_command", `Nothing ran: no line begins with "${phrase}".`);
}

/** The answer to the command "help". */
export function helpText(phrase: string): string {
  return (
    `Begin a line with "${phrase}" and say what you want, or with "${phrase} review", "${phrase} fix", ` +
    `"${phrase} continue" (a run that waits), "${phrase} new" (a new conversation) or "${phrase} cancel". Code, quotations and links are not read as commands.`
  );
}
