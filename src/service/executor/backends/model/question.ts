// A run's question to the people who asked for it: kept until the turn is over, then shown as the run's reply.
// Why: docs/decisions/060-a-question-ends-the-run.md

import { singleLine } from "../../../../base/untrusted-text.ts";
import { QUESTION_EVENT } from "../../../../contract/runs/run-event.ts";
import type { BackendTask } from "../../backend.ts";
import { type AskedQuestion, MAX_CHOICE_CHARS } from "../../tools/ask-question.ts";

export class PendingQuestion {
  #asked: AskedQuestion | null = null;
  #isServers = false;

  /** Of the model. The last one counts. */
  take(asked: AskedQuestion): void {
    if (!this.#isServers) this.#asked = asked;
  }

  /** Of an MCP server: the answer goes there, so that people must have been shown no other question. */
  takeServers(asked: AskedQuestion): void {
    this.#asked = asked;
    this.#isServers = true;
  }

  /** Emits what was asked: as data, and as the reply, which the session keeps. False where nothing was. */
  async show(task: Pick<BackendTask, "emit" | "nextId">): Promise<boolean> {
    if (this.#asked === null) return false;
    const { question, choices } = this.#asked;
    const messageId = task.nextId("message");
    await task.emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    await task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: questionText(this.#asked) });
    await task.emit({ type: "TEXT_MESSAGE_END", messageId });
    await task.emit({ type: "CUSTOM", name: QUESTION_EVENT, value: { question, choices: [...choices] } });
    return true;
  }
}

function questionText({ question, choices }: AskedQuestion): string {
  const lines = choices.map((choice, at) => `${at + 1}. ${singleLine(choice, MAX_CHOICE_CHARS)}`);
  return lines.length === 0 ? question.trim() : `${question.trim()}\n\n${lines.join("\n")}`;
}
