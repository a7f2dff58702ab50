// accept_changeset: asks the owner to accept it, who does that on its page.

import { ok, refused } from "../../../../../base/result.ts";
import { acceptChangesetTool } from "../../../../../contract/mcp/changeset-tools.ts";
import { acceptChangeset } from "../../../../core/workspaces/changesets/accept-changeset.ts";
import { readChangeset } from "../../../../core/workspaces/changesets/read-changesets.ts";
import { resolveChangeset } from "../../../../core/workspaces/changesets/resolve-changeset.ts";
import { changesetLine, toToolChangeset } from "../../changeset-answer.ts";
import { answer, defineTool } from "../../tool.ts";

export const acceptChangesetById = defineTool({
  name: "accept_changeset",
  title: "Ask to accept a changeset",
  description:
    "Asks the account's owner to accept a changeset: only they can, at approve_url. Give it to the user. What is approved is this changeset on top of expected_current_revision, and nothing else.",
  hints: { isIdempotent: true, isDestructive: true },
  scopes: ["workspaces:write"],
  schemas: acceptChangesetTool,
  run: async (args, { core, caller, signal, opensPages, broughtBack }) => {
    const { workspace_id: workspaceId, changeset_id: changesetId, resolved_revision_id } = args;
    const request = {
      caller,
      workspaceId,
      changesetId,
      signal,
      idempotencyKey: args.idempotency_key ?? null,
    };
    const { expected_current_revision, validation_evidence } = args;
    // The client calls again after it has opened the page: what the owner decided there is read.
    if (broughtBack === changesetId) {
      const read = await readChangeset(core, { ...request, withPatch: false });
      if (!read.ok) return refused(read.refusal);
      if (read.value.changeset.decidedAt !== null) {
        const changeset = toToolChangeset(read.value.changeset);
        return ok(answer(changeset, changesetLine(changeset)));
      }
    }
    const body = { expected_current_revision, validation_evidence };
    const accepted =
      resolved_revision_id === undefined
        ? await acceptChangeset(core, { ...request, body })
        : await resolveChangeset(core, { ...request, body: { ...body, resolved_revision_id } });
    if (accepted.ok) {
      const changeset = toToolChangeset(accepted.value);
      return ok(answer(changeset, changesetLine(changeset)));
    }
    const { refusal } = accepted;
    const url = refusal.reason === "owner_needed" ? refusal.approveUrl : undefined;
    if (url === undefined || !opensPages || broughtBack !== null) return refused(refusal);
    const message = "Accept the changeset, or deny it.";
    return ok({ type: "open_page" as const, url, message, bringBack: changesetId });
  },
});
