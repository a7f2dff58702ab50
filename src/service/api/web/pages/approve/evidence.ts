// Evidence for a decision on an approval: who asks, what it costs, the changes that it is about.

import { html, raw } from "hono/html";
import { assertNever } from "../../../../../base/assert-never.ts";
import { toHtml } from "../../../../../render/html/element.ts";
import { dollarsText, durationText, plural } from "../../../../../render/quantities.ts";
import { creditsText } from "../../../../../render/run-costs.ts";
import { changesSection } from "../../../../../render/run-page/changes-section.ts";
import { openDiffColours } from "../../../../../render/run-page/diff/syntax/diff-colours.ts";
import type { AccountCaller } from "../../../../core/accounts/caller.ts";
import type { ApprovalAction, ApprovalRecord } from "../../../../core/approvals/approval.ts";
import type { Core } from "../../../../core/core.ts";
import { creditsOf } from "../../../../core/money/ledger.ts";
import { feeOf, workflowPrice } from "../../../../core/money/run-price.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { readChangeset } from "../../../../core/workspaces/changesets/read-changesets.ts";
import type { Html } from "../../web-context.ts";
import { workspacePath } from "../workspaces/workspace-frame.ts";

export type Evidence = {
  /** For whom the AI client acts that asks. Null: it is not known, or a run asks. */
  readonly person: string | null;
  /** The run that asks. Null where none does, or it is gone. */
  readonly run: RunRecord | null;
  readonly cost: string;
  /** Whether the changeset that it is about can still be read: its workspace may be gone. */
  readonly isThere: boolean;
  /** Null where it is about no changes, or they are too much to be compared. */
  readonly diff: Html | null;
};

type Asked = {
  readonly caller: AccountCaller;
  readonly approval: ApprovalRecord;
  readonly withDiff: boolean;
  readonly signal: AbortSignal;
};

export async function gatherEvidence(
  core: Core,
  { caller, approval, withDiff, signal }: Asked,
): Promise<Evidence> {
  const { action, requestedBy } = approval;
  const [person, run, isThere] = await Promise.all([
    requestedBy.type === "ai_client" ? nameOf(core, requestedBy.personId) : null,
    requestedBy.type === "run" ? core.reads.findRun(requestedBy.runId) : null,
    hasSubject(core, action),
  ]);
  const diff = withDiff && isThere ? await diffOf(core, { caller, action, signal }) : null;
  return { person, run, cost: costText(core, action), isThere, diff };
}

async function nameOf(core: Core, personId: string | undefined): Promise<string | null> {
  const person = personId === undefined ? null : await core.store.committed.people.find(personId);
  if (person === null) return null;
  return person.name === "" ? `person ${person.id.slice(-6)}` : person.name;
}

async function hasSubject(core: Core, action: ApprovalAction): Promise<boolean> {
  if (action.kind !== "accept_changeset") return true;
  return (await core.store.committed.changesets.find(action.changesetId)) !== null;
}

async function diffOf(
  core: Core,
  { caller, action, signal }: Pick<Asked, "caller" | "signal"> & { readonly action: ApprovalAction },
): Promise<Html | null> {
  if (action.kind !== "accept_changeset" || core.workspaces === null) return null;
  const { workspaceId, changesetId } = action;
  const seen = await readChangeset(core, { caller, workspaceId, changesetId, withPatch: true, signal });
  if (!seen.ok || seen.value.diff === null) return null;
  const { files, patch, isWhole } = seen.value.diff;
  const changes = {
    base_sha: seen.value.changeset.baseRevisionId,
    files: files.map((file) => ({ ...file })),
    patch,
  };
  const base = `${workspacePath(workspaceId)}/changesets/${changesetId}`;
  const prefix = `${changesetId}-`;
  const drawn = changesSection(changes, { base, filesUrl: null, prefix, colours: openDiffColours() });
  return html`<div class="changes">${raw(toHtml(drawn))}</div>
${isWhole ? "" : html`<p class="faint">The patch is longer than what is shown here.</p>`}`;
}

function costText({ rates, policy }: Core, action: ApprovalAction): string {
  const { maxCostMicroUsd: cap } = policy;
  const models = `what its models use${cap === null ? "" : `, ${dollarsText(cap)} at most`}`;
  const credits = (microUsd: number) => `${creditsText(creditsOf(microUsd))} credits`;
  switch (action.kind) {
    case "confirm_schedule":
      return `${plural(Math.round(creditsOf(feeOf(null))), "credit")} for the run, and ${models}`;
    case "activate_workflow":
    case "run_workflow": {
      const price = workflowPrice(rates);
      const { includedMs, microUsdPerMinute } = price ?? { includedMs: 0, microUsdPerMinute: 0 };
      const longer =
        microUsdPerMinute === 0
          ? ""
          : `, ${durationText(includedMs)} included and ${credits(microUsdPerMinute)} a minute after that`;
      const each = action.kind === "activate_workflow" ? "for each execution" : "for the execution";
      return `${plural(Math.round(creditsOf(feeOf(price))), "credit")} ${each}${longer}, and ${models}`;
    }
    case "grant_writes":
      return "no credits: a call of such a tool is part of its run";
    case "accept_changeset":
      return "no credits";
    default:
      return assertNever(action);
  }
}
