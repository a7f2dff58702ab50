// Elicitations of MCP servers in the middle of a call: a question of the run, which is parked with it. Once it is answered the tool is called
// again, the server asks the same again, and is given the answer.
// Why: docs/decisions/184-a-server-asks-people.md

import { createHash } from "node:crypto";
import { singleLine } from "../../../../base/untrusted-text.ts";
import { type AskedQuestion, MAX_CHOICE_CHARS } from "../ask-question.ts";
import { type FormField, fieldsOf, readAnswer } from "./elicited-form.ts";

const MAX_MESSAGE_CHARS = 1_000;
const MAX_FIELD_CHARS = 200;
const MAX_CHOICES = 6;
const DECLINE = "Decline";
const NOTE =
  "[The server asks people something first. The run stops now with that question alone. What comes as its answer is the answer to it: once the run goes on, call the tool again with the same input, and the server is given it.]";

/** A question of a server, and what somebody has answered; null while it waits. */
export type ElicitedState = { readonly key: string; readonly answer: string | null };

/** `elicitation/create`, as the protocol has it. */
export type ElicitRequest = { readonly message: string; readonly requestedSchema: unknown };
export type ElicitAnswer =
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: "decline" };

type ElicitationsParts = {
  /** Ends the turn with this question, and no other. */
  readonly ask: (asked: AskedQuestion) => void;
  /** As the run was left. */
  readonly left: readonly ElicitedState[];
  /** What somebody has said since. Null: nothing. */
  readonly said: string | null;
};

export class Elicitations {
  readonly #ask: ElicitationsParts["ask"];
  readonly #answers = new Map<string, string>();
  #waiting: string | null = null;
  /** Servers whose question the run stops with. */
  readonly #asking = new Set<string>();

  constructor({ ask, left, said }: ElicitationsParts) {
    this.#ask = ask;
    for (const { key, answer } of left) {
      const text = answer ?? said;
      if (text !== null) this.#answers.set(key, text);
    }
  }

  /** For the run's journal. */
  get state(): readonly ElicitedState[] {
    const answered = [...this.#answers].map(([key, answer]) => ({ key, answer }));
    return this.#waiting === null ? answered : [...answered, { key: this.#waiting, answer: null }];
  }

  /** The answer that somebody gave. Null where nobody has yet: the run stops with the question after this turn. */
  answer(server: string, request: ElicitRequest): ElicitAnswer | null {
    const fields = fieldsOf(request.requestedSchema);
    if (fields === null) return { action: "decline" };
    const key = keyOf(server, request);
    const said = this.#answers.get(key);
    this.#answers.delete(key);
    if (said === undefined) return this.#wait({ server, request, fields, key, fault: null });
    if (said.trim().toLowerCase() === DECLINE.toLowerCase()) return { action: "decline" };
    const read = readAnswer(fields, said);
    if (read.ok) return { action: "accept", content: read.value };
    return this.#wait({ server, request, fields, key, fault: read.refusal.reason });
  }

  /** Added to the result of a call in which the server has asked. "" where it has not. */
  noteFor(server: string): string {
    return this.#asking.delete(server) ? `\n\n${NOTE}` : "";
  }

  #wait({
    server,
    request,
    fields,
    key,
    fault,
  }: {
    readonly server: string;
    readonly request: ElicitRequest;
    readonly fields: readonly FormField[];
    readonly key: string;
    readonly fault: string | null;
  }): null {
    this.#asking.add(server);
    // A run asks one question at a time: another one is asked when its tool is called again.
    if (this.#waiting === null) {
      this.#waiting = key;
      this.#ask(questionOf(server, { request, fields, fault }));
    }
    return null;
  }
}

function keyOf(server: string, { message, requestedSchema }: ElicitRequest): string {
  return createHash("sha256")
    .update(JSON.stringify([server, message, requestedSchema]))
    .digest("hex");
}

function questionOf(
  server: string,
  {
    request,
    fields,
    fault,
  }: {
    readonly request: ElicitRequest;
    readonly fields: readonly FormField[];
    readonly fault: string | null;
  },
): AskedQuestion {
  const said = request.message.slice(0, MAX_MESSAGE_CHARS).replaceAll(/\r\n?|\n/g, "\n> ");
  const [only] = fields;
  const options = fields.length === 1 && only !== undefined ? only.options.map(({ title }) => title) : [];
  const choices = fields.length === 0 ? ["Accept"] : options;
  const isChosen = choices.length > 0 && choices.length < MAX_CHOICES;
  return {
    question: [
      ...(fault === null ? [] : [`The last answer could not be used: ${fault}`]),
      `The MCP server "${server}" asks:`,
      `> ${said}`,
      ...(fields.length === 0 || isChosen ? [] : [fields.map(lineOf).join("\n"), howTo(fields)]),
      `The answer goes to that server, and to the model. Give no password and no key. "${DECLINE}" says no.`,
    ].join("\n\n"),
    choices: isChosen ? [...choices.map((choice) => singleLine(choice, MAX_CHOICE_CHARS)), DECLINE] : [],
  };
}

function lineOf({ name, title, description, options, isRequired }: FormField): string {
  const known = options.length === 0 ? "" : `: ${options.map((one) => one.title).join(" | ")}`;
  const about = [title, description].filter((text) => text !== "").join(", ");
  const line = `${about === "" ? "" : ` (${about})`}${known}${isRequired ? "" : ", may be left out"}`;
  return `- ${singleLine(name, MAX_FIELD_CHARS)}${singleLine(line, 2 * MAX_FIELD_CHARS)}`;
}

function howTo(fields: readonly FormField[]): string {
  return fields.length === 1
    ? "Answer with its value alone."
    : "Answer with one line for each, such as `name: value`.";
}
