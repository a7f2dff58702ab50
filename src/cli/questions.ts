// Asks somebody at a terminal, or whatever stands behind standard input.

import { createInterface, type Interface } from "node:readline";
import type { Kind } from "../base/settings/setting.ts";
import { UsageError } from "./flags.ts";

type TerminalQuestion<Value> = {
  readonly text: string;
  /** One line each. */
  readonly choices?: readonly string[];
  readonly kind: Kind<Value>;
  /** The flag that answers it beforehand. */
  readonly flag: string;
};

type Asker = {
  /** Asks again after a wrong answer. Throws UsageError, which names the flag, after the third or at the end of the input. */
  ask<Value>(question: TerminalQuestion<Value>): Promise<Value>;
  close(): void;
};

const MAX_TRIES = 3;

export function openAsker(): Asker {
  // Standard input is not touched before the first question.
  let reader: Interface | null = null;
  let lines: AsyncIterator<string> | null = null;
  return {
    ask: async ({ text, choices = [], kind, flag }) => {
      reader ??= createInterface({ input: process.stdin });
      lines ??= reader[Symbol.asyncIterator]();
      process.stderr.write(`\n${text}\n${choices.map((choice) => `  ${choice}\n`).join("")}`);
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        process.stderr.write("> ");
        const line = await lines.next();
        if (line.done === true)
          throw new UsageError(`There is no answer. Give it by ${flag}, ${kind.allowed}.`);
        const decoded = kind.decode(line.value.trim());
        if (decoded.ok) return decoded.value;
        process.stderr.write(`The answer must be ${kind.allowed}.\n`);
      }
      throw new UsageError(`None of ${MAX_TRIES} answers was ${kind.allowed}. Give it by ${flag}.`);
    },
    close: () => reader?.close(),
  };
}
