// What the agent is asked: the text given, a file of the repository, or a question that fits the event.

import type { CiJob, Environment } from "../ci/provider.ts";
import type { Inputs } from "./inputs.ts";

export type PromptOptions = {
  readonly inputs: Inputs;
  readonly job: CiJob;
  readonly env: Environment;
};

/** The prompt of this job. Rejects with PromptFileError when a prompt file cannot be trusted or read. */
export async function decidePrompt(options: PromptOptions): Promise<string> {
  const { prompt, githubToken } = options.inputs;
  switch (prompt.from) {
    case "text":
      return prompt.text;
    case "file": {
      const { readPromptFile } = await import("./prompt-file.ts");
      return readPromptFile({ ...options, path: prompt.path, githubToken });
    }
    case "event":
      return defaultPrompt(options.job.event);
  }
}

/** What a job without a prompt asks. Pure. */
export function defaultPrompt(event: string): string {
  return event.startsWith("pull_request")
    ? "Review what this pull request changes"
    : "Brief me on this repository";
}
