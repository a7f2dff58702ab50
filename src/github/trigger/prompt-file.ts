// Reads `prompt-file`. The author of a pull request must not write the prompt that reviews it: there the file comes from
// the base commit, through the API, whatever is checked out (docs/decisions/008).

import { readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Environment } from "../../base/environment.ts";
import type { CiJob } from "../../ci/provider.ts";
import { eventRules } from "../../contract/ci/events.ts";
import type { RepositoryFile, RepositoryFilePlace } from "../../job/findings/reviews-host.ts";
import { type PromptFileReason, StepError } from "../../job/step-error.ts";

const MAX_PROMPT_BYTES = 64 * 1024;

/** The prompt file cannot be used; `code` says why. */
export class PromptFileError extends StepError {
  constructor(code: PromptFileReason, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

type PromptFileOptions = {
  readonly path: string;
  readonly job: CiJob;
  readonly env: Environment;
  /** Reads a file that is not checked out. Rejects when the code host does not give it. */
  readonly readCommitted: (place: RepositoryFilePlace) => Promise<RepositoryFile>;
};

/** The text of the prompt file. Rejects with PromptFileError. */
export async function readPromptFile(options: PromptFileOptions): Promise<string> {
  const { path, job, env } = options;
  if (eventRules(job.provider, job.event).readsCheckedOutPrompt) {
    const text = await readCheckoutFile(path, env.GITHUB_WORKSPACE);
    return promptText(path, text ?? (await readCommittedFile(options, job.sha)));
  }
  const { readGitHubEvent } = await import("../../ci/github-event.ts");
  const { baseSha } = await readGitHubEvent(env);
  if (baseSha !== null) return promptText(path, await readCommittedFile(options, baseSha));
  if (job.event.startsWith("pull_request")) {
    throw new PromptFileError(
      "prompt_file_refused",
      `Prompt file "${path}" is read from the base commit of a pull request, but the event names none. Use "prompt".`,
    );
  }
  return promptText(path, await readCommittedFile(options, job.sha));
}

/** Null when nothing is checked out or the file is not there. */
async function readCheckoutFile(path: string, checkout: string | undefined): Promise<string | null> {
  if (!checkout) return null;
  try {
    const root = await realpath(checkout);
    const file = await realpath(join(root, path));
    if (!file.startsWith(root + sep)) {
      throw new PromptFileError(
        "prompt_file_refused",
        `Prompt file "${path}" leads out of the checkout. Name a file inside the repository.`,
      );
    }
    const { size } = await stat(file);
    if (size > MAX_PROMPT_BYTES) throw tooLarge(path);
    return await readFile(file, "utf8");
  } catch (cause) {
    if (cause instanceof PromptFileError) throw cause;
    if (isAbsent(cause)) return null;
    const message = `Prompt file "${path}" cannot be read from the checkout. Name a readable file.`;
    throw new PromptFileError("prompt_file_unreadable", message, { cause });
  }
}

async function readCommittedFile(options: PromptFileOptions, ref: string): Promise<string> {
  const { path, readCommitted } = options;
  const file = await readCommitted({ path, ref, maxBytes: MAX_PROMPT_BYTES }).catch((cause: unknown) => {
    const message = `Prompt file "${path}" cannot be read at ${ref}: add "permissions: contents: read" to this job.`;
    throw new PromptFileError("prompt_file_unreadable", message, { cause });
  });
  switch (file.type) {
    case "file":
      return file.text;
    case "too_large":
      throw tooLarge(path);
    case "not_a_file":
      throw new PromptFileError(
        "prompt_file_refused",
        `Prompt file "${path}" is not a file at ${ref}. Name a file.`,
      );
    case "missing":
      throw new PromptFileError(
        "prompt_file_missing",
        `There is no prompt file "${path}" at ${ref}. Commit it there, or use "prompt".`,
      );
  }
}

function promptText(path: string, text: string): string {
  if (text.trim() === "") {
    throw new PromptFileError(
      "prompt_file_refused",
      `Prompt file "${path}" is empty. Write the prompt into it.`,
    );
  }
  return text;
}

function tooLarge(path: string): PromptFileError {
  const message = `Prompt file "${path}" is larger than ${MAX_PROMPT_BYTES} bytes. Shorten it.`;
  return new PromptFileError("prompt_file_too_large", message);
}

function isAbsent(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR");
}
