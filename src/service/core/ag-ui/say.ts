// A message in a thread of an AG-UI client: a submission in the thread's session.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { RunAgentInput } from "../../../contract/ag-ui/run-agent-input.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { ClassRefusal, ScopeRefusal } from "../accounts/refusals.ts";
import type { ActRefusal } from "../approvals/approvable.ts";
import type { ApprovalRefusal } from "../approvals/refusals.ts";
import type { Core } from "../core.ts";
import type { QuestionRefusal } from "../questions/refusals.ts";
import type { RunRefusal, SubmitRefusal } from "../runs/refusals.ts";
import type { RunSubmitter } from "../runs/submit-run.ts";
import { type ClientRun, type ClientRunUse, keepClientRun, sessionKeyOf } from "./client-runs.ts";
import type { AgUiRefusal } from "./refusals.ts";
import { messageOf, type Said } from "./said.ts";

export type AgUiRequest = {
  readonly caller: AccountCaller;
  readonly agentId: string;
  readonly input: RunAgentInput;
  readonly requestId: string;
};

/** `run` is null where nothing is left to do: the answers asked for no run. */
type AgUiStart = { readonly run: ClientRun | null; readonly isReplay: boolean };

export type AgUiStartRefusal =
  | AgUiRefusal
  | ActRefusal
  | ApprovalRefusal
  | ClassRefusal
  | QuestionRefusal
  | RunRefusal
  | ScopeRefusal
  | SubmitRefusal;

export type AgUiStarted = Result<AgUiStart, AgUiStartRefusal>;

/** What a request says, decoded. */
export type AgUiSaying = AgUiRequest & {
  readonly said: Said | null;
  readonly context: string;
  readonly use: ClientRunUse;
};

/** Submits a message of the thread. Its parked run goes on with it, where that is what it waits for. */
export async function say(
  core: Core,
  submitter: RunSubmitter,
  {
    caller,
    agentId,
    input,
    said,
    context,
    use,
  }: Omit<AgUiSaying, "said"> & {
    readonly said: Pick<Said, "text" | "images"> | null;
  },
): Promise<AgUiStarted> {
  if (said === null) return refused({ reason: "ag_ui_message_missing" });
  const submitted = await submitter.submit({
    caller,
    agentId,
    body: {
      messages: [messageOf(said, context)],
      session_key: sessionKeyOf(input.threadId),
      may_park: true,
    },
    idempotencyKey: null,
    alongside: (tx, run) => keepClientRun(core, tx, { ...use, ...run }),
  });
  if (!submitted.ok) return submitted;
  const { runId, sessionId, continuedAfter: after = 0 } = submitted.value;
  return ok({ run: { runId, sessionId, after }, isReplay: false });
}
