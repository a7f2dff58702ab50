// Requests about the changesets of a test's workspace, each an outcome: the changeset, or the reason of the refusal.

import type { Result } from "../../../../../src/base/result.ts";
import type { Resolution } from "../../../../../src/contract/workspaces/changesets/changeset.ts";
import type { AccountCaller } from "../../../../../src/service/core/accounts/caller.ts";
import { acceptChangeset } from "../../../../../src/service/core/workspaces/changesets/accept-changeset.ts";
import type { Changeset } from "../../../../../src/service/core/workspaces/changesets/changeset.ts";
import { createChangeset } from "../../../../../src/service/core/workspaces/changesets/create-changeset.ts";
import {
  readChangeset,
  type SeenChangeset,
} from "../../../../../src/service/core/workspaces/changesets/read-changesets.ts";
import { rejectChangeset } from "../../../../../src/service/core/workspaces/changesets/reject-changeset.ts";
import { resolveChangeset } from "../../../../../src/service/core/workspaces/changesets/resolve-changeset.ts";
import type { WorkspaceCaller } from "../../../../../src/service/core/workspaces/workspace-caller.ts";
import type { FileTexts, TestWorkspace } from "../../../../support/workspaces.ts";

const EVIDENCE = "All tests pass.";
export const NOWHERE = AbortSignal.any([]);

type Refusal = { readonly reason: string };

export type Asking = { readonly key?: string; readonly caller?: WorkspaceCaller; readonly expected?: string };

export class TestChangesets {
  readonly workspace: TestWorkspace;
  readonly ai: AccountCaller;

  constructor(workspace: TestWorkspace) {
    this.workspace = workspace;
    this.ai = { ...workspace.owner, callerClass: "ai_client", clientName: "assistant" };
  }

  /** A changeset of a new copy with these files, made of the revision or of the current one. */
  async propose(files: FileTexts, baseRevisionId?: string): Promise<Changeset> {
    const copyId = await this.workspace.makeCopy(baseRevisionId);
    await this.workspace.commit(copyId, files);
    return outcomeOf(await this.create({ working_copy_id: copyId }));
  }

  create(body: { working_copy_id?: string; revision_id?: string }, { key, caller }: Asking = {}) {
    return createChangeset(this.workspace.core, {
      ...this.workspace.request,
      ...(caller === undefined ? {} : { caller }),
      body: { title: "Change", ...body },
      idempotencyKey: key ?? null,
      signal: NOWHERE,
    });
  }

  async accept(changesetId: string, asking: Asking = {}) {
    const { currentRevisionId } = await this.workspace.read();
    const { expected = currentRevisionId } = asking;
    return await acceptChangeset(this.workspace.core, {
      ...this.#request(changesetId, asking),
      body: { expected_current_revision: expected, validation_evidence: EVIDENCE },
    });
  }

  async resolve(
    changesetId: string,
    by: { resolutions: Resolution[] } | { resolved_revision_id: string },
    asking: Asking = {},
  ) {
    const { currentRevisionId } = await this.workspace.read();
    const { expected = currentRevisionId } = asking;
    return await resolveChangeset(this.workspace.core, {
      ...this.#request(changesetId, asking),
      body: { expected_current_revision: expected, validation_evidence: EVIDENCE, ...by },
    });
  }

  async reject(changesetId: string, asking: Asking = {}) {
    const body = { reason: "No." };
    return await rejectChangeset(this.workspace.core, { ...this.#request(changesetId, asking), body });
  }

  async read(changesetId: string, withPatch = false): Promise<SeenChangeset> {
    return outcomeOf(
      await readChangeset(this.workspace.core, { ...this.#request(changesetId, {}), withPatch }),
    );
  }

  /** The files of the current revision. */
  async files(): Promise<Record<string, string>> {
    const { currentRevisionId } = await this.workspace.read();
    return await this.workspace.files((await this.workspace.revision(currentRevisionId)).treeOid);
  }

  #request(changesetId: string, { key, caller }: Asking) {
    return {
      ...this.workspace.request,
      ...(caller === undefined ? {} : { caller }),
      changesetId,
      idempotencyKey: key ?? null,
      signal: NOWHERE,
    };
  }
}

export function outcomeOf<Value>(result: Result<Value, Refusal>): Value {
  if (result.ok) return result.value;
  throw new Error(`It was refused: ${JSON.stringify(result.refusal)}`);
}

export function refusalOf<Value, Refused extends Refusal>(result: Result<Value, Refused>): Refused {
  if (!result.ok) return result.refusal;
  throw new Error("It was not refused.");
}
