// Interrupts of AG-UI: what a parked run waits for, and approvals that a run has asked for and the reader of its stream may give.
// A parked run's interrupt is named by the run and the event that parked it, an approval's by the approval.

import type { ParkReason } from "../../../contract/runs/run.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import { isOwner } from "../accounts/caller.ts";
import { type ApprovalRecord, statusAt } from "../approvals/approval.ts";
import { approveUrl } from "../approvals/approve-url.ts";
import type { Core } from "../core.ts";
import { readQuestion } from "../questions/question.ts";
import { shownParked } from "../runs/park-run.ts";
import type { ParkedState, RunRecord } from "../runs/run-record.ts";

/** As AG-UI has it. */
export type Interrupt = {
  readonly id: string;
  readonly reason: ParkReason | "approval";
  readonly message: string;
  /** JSON Schema of the payload that answers it. */
  readonly responseSchema: Readonly<Record<string, unknown>>;
  readonly expiresAt: string;
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** What an interrupt's id names. */
type InterruptSubject =
  | { readonly kind: "parked"; readonly runId: string; readonly seq: number }
  | { readonly kind: "approval"; readonly approvalId: string };

export function readInterruptId(id: string): InterruptSubject {
  const dot = id.lastIndexOf(".");
  const seq = dot < 0 ? Number.NaN : Number(id.slice(dot + 1));
  return Number.isSafeInteger(seq) && seq > 0
    ? { kind: "parked", runId: id.slice(0, dot), seq }
    : { kind: "approval", approvalId: id };
}

/** What a run waits for that event `seq` has parked. */
export async function parkedInterrupt(
  core: Core,
  { run, parked, seq }: { readonly run: RunRecord; readonly parked: ParkedState; readonly seq: number },
): Promise<Interrupt> {
  const shown = shownParked(parked);
  const question = await readQuestion(core.store.committed, run);
  return {
    id: `${run.id}.${seq}`,
    reason: parked.reason,
    message: question?.text ?? shown.how_to_continue,
    responseSchema: schemaOf(parked.reason, question?.choices ?? []),
    expiresAt: shown.until,
    metadata: {
      run_id: run.id,
      parked: shown,
      ...(question === null ? {} : { choices: question.choices }),
    },
  };
}

/** Any other answer is as good as the choices: they are examples. */
function schemaOf(reason: ParkReason, choices: readonly string[]): Interrupt["responseSchema"] {
  const message = { type: "string", description: "What the run is told beside." };
  const object = (properties: object, required: readonly string[]) => ({
    type: "object",
    properties,
    required,
  });
  switch (reason) {
    case "question":
      return object({ answer: { type: "string", ...(choices.length === 0 ? {} : { examples: choices }) } }, [
        "answer",
      ]);
    case "max_cost":
      return object({ max_cost_usd: { type: "number" }, message }, ["max_cost_usd"]);
    case "max_tokens":
      return object({ max_turn_tokens: { type: "integer" }, message }, ["max_turn_tokens"]);
    default:
      return object({ message }, []);
  }
}

/** Those of these approvals that wait, as interrupts for whoever may give them. For others there are none. */
export async function approvalInterrupts(
  core: Core,
  { caller, approvalIds }: { readonly caller: AccountCaller; readonly approvalIds: readonly string[] },
): Promise<readonly Interrupt[]> {
  if (!isOwner(caller)) return [];
  const found = await Promise.all(approvalIds.map((id) => core.store.committed.approvals.find(id)));
  return found.flatMap((approval) =>
    approval !== null &&
    approval.accountId === caller.accountId &&
    statusAt(approval, core.clock.now()) === "pending"
      ? [approvalInterrupt(core, approval)]
      : [],
  );
}

function approvalInterrupt(core: Core, { id, action, expiresAt }: ApprovalRecord): Interrupt {
  const what =
    action.kind === "grant_writes"
      ? `write by the tools of the MCP server "${action.server}": it has called "${action.tool}"`
      : `do what waits at ${approveUrl(core.policy, id)}`;
  const asked =
    action.kind === "grant_writes"
      ? {
          server: action.server,
          tool: action.tool,
          ...(action.args === undefined ? {} : { arguments: action.args }),
        }
      : {};
  return {
    id,
    reason: "approval",
    message: `May the agent ${what}?`,
    responseSchema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
    expiresAt: new Date(expiresAt).toISOString(),
    metadata: { approval_id: id, approve_url: approveUrl(core.policy, id), ...asked },
  };
}
