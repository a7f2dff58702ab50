// The command `agent-service run`.

import { providerTitles } from "../contract/ci/providers.ts";
import { command } from "./command.ts";
import { variadicArgument } from "./flags.ts";
import { readOutputFlags } from "./output-flags.ts";
import { run } from "./run.ts";
import { runFlags } from "./run-flags.ts";
import { readRunSettings } from "./run-settings.ts";

export const runCommand = command({
  summary: "Run an agent by the identity of this CI job, or on the checkout in this folder.",
  notes: [
    `Jobs of ${providerTitles()} need no stored secret. Ctrl-C cancels the run.`,
    'A prompt of "-" is read from standard input.',
  ],
  arguments: { prompt: variadicArgument("What the agent is asked, in quotes.") },
  flags: runFlags,
  examples: [
    'run --base-url https://agents.example.com "Explain why the tests fail"',
    'run --embedded --model gpt-5.5 --model-base-url https://api.openai.com/v1 "Fix the failing test"',
    "run --embedded --prompt-file .ci/prompt.md --fail-on failure,quota,incomplete",
  ],
  run: async ({ arguments: { prompt }, flags }) => {
    const settings = await readRunSettings(flags, prompt);
    return await run(settings, await readOutputFlags(flags));
  },
});
