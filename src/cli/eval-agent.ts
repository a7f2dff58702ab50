// An agent for one play of an eval: a run without a server on a checkout that the eval has made, silent, and with nothing published.

import type { Environment } from "../base/environment.ts";
import type { AgentCall, AgentEnd } from "../evals/play-tasks.ts";
import type { RenewedAccess } from "../federation/federated-access.ts";
import { runFacts } from "../job/ending.ts";
import { openFollowLog } from "../job/follow-log.ts";
import { runJob } from "../job/run-job.ts";
import type { Interrupts } from "../job/signals.ts";
import { PlainLog } from "../render/plain-log.ts";
import { CommandError } from "./command-error.ts";
import { openEmbeddedOn } from "./run-embedded.ts";
import { noFiles } from "./run-files.ts";
import { commandPort } from "./run-port.ts";
import type { RunSettings } from "./run-settings.ts";
import type { CommandEnding } from "./run-types.ts";

type EvalAgent = {
  readonly env: Environment;
  readonly settings: RunSettings;
  readonly modelAccess: RenewedAccess | null;
  readonly interrupts: Interrupts;
};

/** Rejects with UsageError where the settings of the model are wrong, and with CommandError where there is no model. */
export async function runEvalAgent(
  { root, prompt, maxCostMicroUsd }: AgentCall,
  { env, settings, modelAccess, interrupts }: EvalAgent,
): Promise<AgentEnd> {
  const { service: named } = settings;
  if (named.type !== "embedded") throw new Error("An eval has no service.");
  const { model, egress } = named;
  const opened = await openEmbeddedOn(root, {
    chosen: { model, egress, modelAccess, mintServerToken: null },
    env,
  });
  const origin = { job: null, sha: "", openService: async () => opened };
  const own = { ...settings, prompt, maxCostMicroUsd };
  const port = commandPort({
    env,
    settings: own,
    interrupts,
    origin,
    outputs: null,
    writeBack: null,
    files: noFiles,
    ...opened,
  });
  const ending = await runJob({
    ...port,
    planJob: async (configured) => {
      const plan = await port.planJob(configured);
      if (plan.task.type !== "run") return plan;
      // Nobody would continue it.
      return { ...plan, task: { ...plan.task, body: { ...plan.task.body, may_park: undefined } } };
    },
    openLog: async () => ({
      ...openFollowLog({ files: noFiles, format: new PlainLog(), write: () => {}, shownAfter: 0 }),
      close: noFiles.close,
    }),
    conclude: async () => ({ ...(await port.conclude()), publications: () => [], sayEnding: () => {} }),
    note: () => {},
  });
  return endOf(ending, { isInterrupted: interrupts.first.aborted });
}

function endOf(ending: CommandEnding, { isInterrupted }: { readonly isInterrupted: boolean }): AgentEnd {
  const { conclusion, reason, message } = ending.verdict;
  if (conclusion === "skipped" && reason === "no_model") throw new CommandError(NO_MODEL);
  if (reason === "invalid_input" || reason === "invalid_settings") throw new CommandError(message);
  const { models, budget } = runFacts(ending);
  const turns = models.reduce((sum, { calls }) => sum + calls, 0);
  const isUsed = turns > 0 || budget !== null;
  const costMicroUsd = budget?.cost_micro_usd ?? (isUsed ? null : 0);
  const end = { reason, costMicroUsd, turns };
  if (isInterrupted || reason === "max_cost") return { type: "cut", ...end };
  return { type: conclusion === "success" || conclusion === "incomplete" ? "ended" : "failed", ...end };
}

const NO_MODEL =
  "There is no model: set MODEL, MODEL_BASE_URL and MODEL_API_KEY, or --model and its like. In a pull request of a fork, and of Dependabot, GitHub gives no secret and no ID token: run the eval on branches of the repository itself.";
