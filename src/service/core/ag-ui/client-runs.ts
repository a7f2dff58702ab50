// The ids that AG-UI clients give to their runs and threads. A thread is a session by its key, a run is the use of an idempotency
// key: neither takes a table of its own.
// Why: docs/decisions/165-ag-ui-is-an-endpoint.md

import { ok, type Result, refused } from "../../../base/result.ts";
import type { ResumeEntry, RunAgentInput } from "../../../contract/ag-ui/run-agent-input.ts";
import type { Core } from "../core.ts";
import { KEY_KEPT_MS } from "../idempotency/key-life.ts";
import { hashRequest, isSameRequest } from "../idempotency/request-hash.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { Submitted } from "../runs/submission.ts";
import type { AgUiRefusal } from "./refusals.ts";
import type { Said } from "./said.ts";

/** The part of a run's stream that one request of a client is answered with. */
export type ClientRun = {
  readonly runId: string;
  readonly sessionId: string;
  /** The events after this `seq`. */
  readonly after: number;
};

/** What makes two requests of a client one. */
export type ClientRunUse = {
  readonly agentId: string;
  readonly clientRunId: string;
  readonly requestHash: string;
};

/** Another request took the id meanwhile: everything is undone. */
export class RunIdTakenError extends Error {}

export function sessionKeyOf(threadId: string): string {
  return `ag-ui:${threadId}`;
}

/**
 * The context is no part of it: it changes by itself. Nor is the conversation beside answers, which a client that was started
 * anew may not have.
 */
export function useOf(agentId: string, input: RunAgentInput, said: Said | null): ClientRunUse {
  const { threadId, runId: clientRunId } = input;
  const resume = answersOf(input);
  const asked = resume.length > 0 ? { resume } : { text: said?.text, images: said?.images };
  return { agentId, clientRunId, requestHash: hashRequest({ threadId, ...asked }) };
}

export function answersOf({ resume }: RunAgentInput): readonly ResumeEntry[] {
  return resume ?? [];
}

/** What the client's run is with us; null where no request of it was answered within 24 hours. */
export async function findClientRun(
  core: Core,
  { agentId, clientRunId }: Pick<ClientRunUse, "agentId" | "clientRunId">,
): Promise<(ClientRun & { readonly requestHash: string }) | null> {
  const now = core.clock.now();
  const key = keyOf(clientRunId);
  const use = await core.store.transact((tx) => tx.idempotency.find({ agentId, key, now }));
  if (use === null) return null;
  const { runId, sessionId, continuedAfter: after = 0, requestHash } = use;
  return { runId, sessionId, after, requestHash };
}

/** The same for a repeated request. Refused where it is another one. */
export async function findRepeated(
  core: Core,
  use: ClientRunUse,
): Promise<Result<ClientRun | null, AgUiRefusal>> {
  const found = await findClientRun(core, use);
  if (found === null) return ok(null);
  const { requestHash, ...run } = found;
  if (isSameRequest(requestHash, use.requestHash)) return ok(run);
  return refused({ reason: "ag_ui_run_reused", clientRunId: use.clientRunId });
}

/** Throws a RunIdTakenError where another request has taken the id. */
export async function keepClientRun(
  core: Core,
  tx: StoreTransaction,
  {
    agentId,
    clientRunId,
    requestHash,
    ...run
  }: ClientRunUse & Pick<Submitted, "runId" | "sessionId" | "continuedAfter">,
): Promise<void> {
  const now = core.clock.now();
  const use = { ...run, agentId, key: keyOf(clientRunId), requestHash, now, expiresAt: now + KEY_KEPT_MS };
  if (!(await tx.idempotency.insert(use))) throw new RunIdTakenError();
}

function keyOf(clientRunId: string): string {
  return `ag-ui:${clientRunId}`;
}
