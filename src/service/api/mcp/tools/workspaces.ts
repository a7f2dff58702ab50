// The tools of a workspace as a whole.

import * as z from "zod/mini";
import { ok } from "../../../../base/result.ts";
import { singleLine } from "../../../../base/untrusted-text.ts";
import { field } from "../../../../contract/field.ts";
import { text } from "../../../../contract/fields.ts";
import { workspaceRoutes } from "../../../../contract/workspaces/workspace/routes.ts";
import {
  MAX_WORKSPACE_NAME_CHARS,
  type WorkspaceView,
  workspaceSchema,
} from "../../../../contract/workspaces/workspace/workspace.ts";
import { workspaceUrl } from "../../../core/workspaces/workspace-url.ts";
import { changesetHandlers } from "../../http/workspaces/changesets.ts";
import { copyHandlers } from "../../http/workspaces/copies.ts";
import { workspaceHandlers } from "../../http/workspaces/workspaces.ts";
import { linesOf, nextCursorSchema, nextOf, part } from "../answer-part.ts";
import { answer, bodyOf, said, tool } from "../tool.ts";
import { atMost, keyText } from "../tool-input.ts";
import { changesetLine, toolChangesetSchema, toToolChangeset } from "./changesets.ts";
import { copyLine, toolCopy } from "./copies.ts";

const MAX_NAME_CHARS = 255;
/** Of its copies and of its changesets, each. */
const MOST = 10;

const toolWorkspace = part(workspaceSchema, [
  "id",
  "name",
  "manager_agent_id",
  "current_revision_id",
  "storage_state",
  "created_at",
]);

function workspaceLine({ id, name, current_revision_id, storage_state }: WorkspaceView): string {
  const state = storage_state === "ready" ? "" : `, ${storage_state}`;
  return `${singleLine(name, MAX_NAME_CHARS)} (${id}): accepted revision ${current_revision_id}${state}`;
}

export const workspaceTools = [
  tool(workspaceRoutes.list, {
    name: "list_workspaces",
    title: "List workspaces",
    description:
      "The account's workspaces: bodies of files on which several agents work, each in a copy, until what they changed is accepted.",
    hints: { isReadOnly: true },
    fields: { limit: atMost(50, 20, "Items") },
    output: z.object({ workspaces: z.array(toolWorkspace.schema), next_cursor: nextCursorSchema }),
    run: async (request, { core }) =>
      said(await workspaceHandlers(core).list(request), ({ items, next_cursor }) => {
        const text = linesOf(items, workspaceLine, "There are no workspaces.");
        return answer({ workspaces: items.map(toolWorkspace.of), ...nextOf(next_cursor) }, text);
      }),
  }),
  tool(workspaceRoutes.get, {
    name: "get_workspace",
    title: "Get a workspace",
    description:
      "A workspace: its accepted revision, its newest copies, and the changesets that wait for a decision.",
    hints: { isReadOnly: true },
    output: z.object({
      workspace: toolWorkspace.schema,
      url: z.string(),
      copies: z.array(toolCopy.schema),
      changesets: z.array(toolChangesetSchema),
    }),
    run: async (request, { core }) => {
      const found = await workspaceHandlers(core).get(request);
      if (!found.ok) return found;
      const page = { ...request, query: { limit: MOST } };
      const listed = await copyHandlers(core).list(page);
      if (!listed.ok) return listed;
      const waiting = [];
      for (const status of ["open", "conflicted"] as const) {
        const some = await changesetHandlers(core).list({ ...page, query: { limit: MOST, status } });
        if (!some.ok) return some;
        waiting.push(...bodyOf(some.value).items);
      }
      const workspace = bodyOf(found.value);
      const copies = bodyOf(listed.value).items.filter(({ is_canonical }) => !is_canonical);
      const changesets = waiting.slice(0, MOST).map(toToolChangeset);
      const structured = {
        workspace: toolWorkspace.of(workspace),
        url: workspaceUrl(core.policy, workspace.id),
        copies: copies.map(toolCopy.of),
        changesets,
      };
      const lines = [workspaceLine(workspace), ...copies.map(copyLine), ...changesets.map(changesetLine)];
      return ok(answer(structured, lines.join("\n")));
    },
  }),
  tool(workspaceRoutes.create, {
    name: "create_workspace",
    title: "Make a workspace",
    description: "Makes a workspace without files. It starts no run.",
    hints: { isIdempotent: true },
    // The manager may be named.
    scopes: ["workspaces:write", "agents:read"],
    takes: ["name", "default_manager_agent_id", "idempotency_key"],
    fields: {
      name: field(text(MAX_WORKSPACE_NAME_CHARS), "What it is called."),
      default_manager_agent_id:
        "The agent that coordinates the work in it: its id, or its name. Left out: a new agent.",
      idempotency_key: field(text(255), keyText),
    },
    output: toolWorkspace.schema,
    run: async (request, { core }) =>
      said(await workspaceHandlers(core).create(request), (workspace) =>
        answer(toolWorkspace.of(workspace), `Made ${workspaceLine(workspace)}`),
      ),
  }),
];
