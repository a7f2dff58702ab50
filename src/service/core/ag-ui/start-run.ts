// POST /v1/agents/{agentID}/ag-ui: a message in a thread, or answers to what its last run waits for. A request with the client's
// id of an earlier one is answered with that one's run.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import { reachAgent } from "../agents/reach-agent.ts";
import type { Core } from "../core.ts";
import { findRun } from "../runs/read-run.ts";
import type { RunRefusal } from "../runs/refusals.ts";
import type { RunSubmitter } from "../runs/submit-run.ts";
import { answerInterrupts } from "./answer-interrupts.ts";
import {
  answersOf,
  type ClientRun,
  findClientRun,
  findRepeated,
  RunIdTakenError,
  useOf,
} from "./client-runs.ts";
import { contextText, readSaid } from "./said.ts";
import { type AgUiRequest, type AgUiStarted, say } from "./say.ts";

export async function startAgUiRun(
  core: Core,
  submitter: RunSubmitter,
  request: AgUiRequest,
): Promise<AgUiStarted> {
  const { agentId, input } = request;
  const agent = await reachAgent(core, request);
  if (!agent.ok) return agent;
  const said = readSaid(input);
  if (!said.ok) return said;
  const context = contextText(input);
  if (!context.ok) return context;
  const use = useOf(agentId, input, said.value);
  const earlier = await findRepeated(core, use);
  if (!earlier.ok) return earlier;
  if (earlier.value !== null) return ok({ run: earlier.value, isReplay: true });
  const saying = { ...request, said: said.value, context: context.value, use };
  try {
    const hasAnswers = answersOf(input).length > 0;
    return hasAnswers ? await answerInterrupts(core, submitter, saying) : await say(core, submitter, saying);
  } catch (cause) {
    if (!(cause instanceof RunIdTakenError)) throw cause;
    const taken = await findRepeated(core, use);
    if (!taken.ok) return taken;
    if (taken.value !== null) return ok({ run: taken.value, isReplay: true });
    return refused({ reason: "ag_ui_run_in_flight", clientRunId: input.runId });
  }
}

/** The run that a client follows, by its own id of it or by ours. */
export async function findFollowed(
  core: Core,
  {
    caller,
    agentId,
    runId,
  }: { readonly caller: AccountCaller; readonly agentId: string; readonly runId: string },
): Promise<Result<ClientRun, RunRefusal>> {
  const agent = await reachAgent(core, { caller, agentId });
  if (!agent.ok) return agent;
  const known = await findClientRun(core, { agentId, clientRunId: runId });
  if (known !== null) return ok(known);
  const found = await findRun(core, { caller, agentId, runId });
  return found.ok ? ok({ runId, sessionId: found.value.sessionId, after: 0 }) : found;
}
