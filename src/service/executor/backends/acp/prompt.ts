// The prompt of an ACP agent: where it works, the session so far, the request. Pure.

import type { Message } from "../../../../contract/runs/run-requests.ts";
import type { BareTask, RepositoryTask } from "../../backend.ts";

/** The part of the session so far that is included. */
export const MAX_HISTORY_CHARS = 40_000;

export type PromptParts = {
  readonly history: readonly Message[];
  /** Null where any reply will do. */
  readonly form: { readonly text: string } | null;
  /** What is said of files that are hidden; "" where none is. */
  readonly hidden: string;
  /** What is said of the network; "" where it has this machine's. */
  readonly network: string;
};

export function promptOf(
  task: RepositoryTask | BareTask,
  { history, form, hidden, network }: PromptParts,
): string {
  const place =
    task.repository === null
      ? "Your working folder is empty: this task has no repository."
      : `Your working folder is a checkout of ${task.repository} at commit ${task.sha} (${task.ref}, event ${task.event}).`;
  const schema =
    form === null
      ? []
      : [`Your last message must be nothing but JSON that fits this JSON Schema:\n${form.text}`];
  const before = history.length === 0 ? [] : [`Said earlier in this session:\n\n${spoken(history)}`];
  // One message is the task as it was written; several are a conversation.
  const [only, ...others] = task.messages;
  const asked = only !== undefined && others.length === 0 ? only.content : spoken(task.messages);
  const rules = "Work inside that folder alone. Nobody can answer questions before you are done.";
  const notes = [network, hidden, unseen(task.messages)].filter((note) => note !== "");
  const { setup } = task.environment;
  const prepared =
    setup.state === "failed"
      ? [
          `The repository's ${setup.script}, executed before you, failed (${setup.why}): packages may be missing.`,
        ]
      : [];
  return [`${place} ${rules}`, ...prepared, ...notes, ...before, ...schema, asked].join("\n\n");
}

/** What is said of the images that the request brings. */
function unseen(messages: readonly Message[]): string {
  const count = messages.flatMap(({ parts = [] }) => parts.filter(({ data }) => data !== undefined)).length;
  if (count === 0) return "";
  return `The request comes with ${count === 1 ? "an image" : `${count} images`} that you cannot see: say so where it is about them.`;
}

export function repairText(faults: string): string {
  return `Your answer does not fit the JSON Schema: ${faults}. Answer again with the JSON value alone.`;
}

function spoken(messages: readonly Message[]): string {
  return messages.map(({ role, content }) => `${role}: ${content}`).join("\n\n");
}
