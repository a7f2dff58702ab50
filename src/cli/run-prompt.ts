// The prompt of `agent-service run`: the argument, a file, or standard input.

import { readFile } from "node:fs/promises";
import { UsageError } from "./flags.ts";

/** More than a service accepts. Reading stops there: a pipe may never end. */
const MAX_PROMPT_BYTES = 1_048_576;
const STDIN = "-";

type PromptWords = {
  readonly words: readonly string[];
  readonly file: string | undefined;
  readonly usage: string;
};

/** Rejects with UsageError: none, more than one, empty, or a file that cannot be read. */
export async function readPrompt({ words, file, usage }: PromptWords): Promise<string> {
  const [word, extra] = words;
  if (extra !== undefined) {
    throw new UsageError(`"${extra}" is one too many: put the prompt in quotes. agent-service ${usage}`);
  }
  if (word !== undefined && file !== undefined) {
    throw new UsageError("<prompt> and --prompt-file exclude each other: give one of them.");
  }
  if (word === undefined && file === undefined) {
    throw new UsageError(
      `<prompt> is missing: agent-service ${usage}. "-" reads it from standard input, --prompt-file from a file.`,
    );
  }
  const { text, from } = await textOf(word, file);
  if (text.trim() === "") throw new UsageError(`${from} is empty: it must say what to do.`);
  if (Buffer.byteLength(text) > MAX_PROMPT_BYTES) {
    throw new UsageError(`${from} is longer than ${MAX_PROMPT_BYTES} bytes.`);
  }
  return text.trim();
}

async function textOf(
  word: string | undefined,
  file: string | undefined,
): Promise<{ text: string; from: string }> {
  if (file !== undefined) return { text: await readPromptFile(file), from: `The file "${file}"` };
  if (word === STDIN) return { text: await readStandardInput(), from: "The prompt on standard input" };
  return { text: word ?? "", from: "<prompt>" };
}

async function readPromptFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new UsageError(`--prompt-file names the file "${path}", which cannot be read${code}.`, { cause });
  }
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > MAX_PROMPT_BYTES) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
