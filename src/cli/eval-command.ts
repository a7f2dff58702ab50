// The command `agent-service eval`.

import { command } from "./command.ts";
import { evaluate } from "./eval.ts";
import { evalFlags } from "./eval-flags.ts";
import { readEvalSettings } from "./eval-settings.ts";

export const evalCommand = command({
  summary:
    "Find out whether changed instructions make an agent better, on tasks of this repository's history.",
  notes: [
    "Without a server. First mine tasks, once; then play them with the instructions of two commits: AGENTS.md and its kin, skills, a prompt file.",
    "A second call goes on from the results of the first.",
  ],
  flags: evalFlags,
  examples: [
    'eval --mine --setup "npm ci"',
    "eval --base origin/main --head HEAD --max-cost 20 --model claude-sonnet-5 --model-provider anthropic",
    "eval --base origin/main --prompt-file .github/prompts/fix.md --max-cost 20 --fail-on worse",
  ],
  run: async ({ flags }) => await evaluate(await readEvalSettings(flags)),
});
