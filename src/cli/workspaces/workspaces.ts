// agent-service workspaces: the workspaces of an account, over the API.

import type { Workspace } from "../../client/client.ts";
import { openAccess, openClient, serviceFlags } from "../account.ts";
import { findAgentId } from "../agent-name.ts";
import { type CommandGroup, command } from "../command.ts";
import { anyText, argument, valueFlag } from "../flags.ts";
import { printFields, printJson, printTable } from "../print.ts";
import { changesets } from "./changesets.ts";
import { checkpoint, copies } from "./copies.ts";
import { files } from "./files.ts";
import { firstItems, limitFlag } from "./pages.ts";
import { revisions } from "./revisions.ts";
import { settledOperation } from "./settled-operation.ts";
import { pull, push } from "./sync-commands.ts";
import { findWorkspaceId, workspaceArgument } from "./workspace-name.ts";

const list = command({
  summary: "List the workspaces of the key's account.",
  flags: { ...serviceFlags, limit: limitFlag },
  examples: ["workspaces list"],
  run: async ({ flags }) => {
    const client = openClient(flags);
    const found = await firstItems((query) => client.workspaces.list({ query }), flags.limit);
    if (flags.json) printJson(found);
    else if (found.length === 0) {
      process.stderr.write('There are no workspaces. "agent-service workspaces create <name>" makes one.\n');
    } else {
      const rows = found.map((one) => [one.id, one.name, one.storage_state, one.created_at]);
      printTable(["ID", "NAME", "STATE", "CREATED"], rows);
    }
    return 0;
  },
});

const create = command({
  summary: "Make a workspace.",
  arguments: { name: argument(anyText, "The workspace's name.") },
  flags: {
    ...serviceFlags,
    manager: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<agent>",
      description: "The agent that manages it, by its id or its name.",
      shownDefault: "a new one",
    }),
  },
  examples: ["workspaces create website", "workspaces create website --manager helper"],
  run: async ({ arguments: { name }, flags }) => {
    const client = openClient(flags);
    const manager = flags.manager === null ? null : await findAgentId(client, flags.manager);
    const body = { name, ...(manager === null ? {} : { default_manager_agent_id: manager }) };
    return show(await client.workspaces.create({ body }), flags);
  },
});

const get = command({
  summary: "Show a workspace.",
  arguments: { workspace: workspaceArgument },
  flags: serviceFlags,
  examples: ["workspaces show website"],
  run: async ({ arguments: { workspace }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    return show(await client.workspaces.get({ workspaceId }), flags);
  },
});

const remove = command({
  summary: "Delete a workspace, with all its files, copies and revisions. Nothing brings it back.",
  arguments: { workspace: workspaceArgument },
  flags: serviceFlags,
  examples: ["workspaces delete website"],
  run: async ({ arguments: { workspace }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    // The receipt proves nothing: the operation's end does.
    const { operation_id: operationId } = await client.workspaces.delete({ workspaceId });
    const started = await client.operations.get({ workspaceId, operationId });
    const operation = await settledOperation(client, started);
    if (flags.json) printJson(operation);
    else process.stdout.write(`Deleted: workspace ${workspaceId}.\n`);
    return 0;
  },
});

export const workspaces: CommandGroup = {
  summary: "The workspaces of an account.",
  commands: {
    list,
    create,
    show: get,
    delete: remove,
    pull,
    push,
    checkpoint,
    copies,
    files,
    changesets,
    revisions,
  },
};

function show(workspace: Workspace, flags: { readonly json: boolean; readonly url: string | null }): number {
  if (flags.json) printJson(workspace);
  else {
    printFields({
      id: workspace.id,
      name: workspace.name,
      state: workspace.storage_state,
      manager: workspace.manager_agent_id,
      "current revision": workspace.current_revision_id,
      created: workspace.created_at,
      git: `${openAccess(flags).baseUrl}/v1/workspaces/${workspace.id}.git`,
    });
  }
  return 0;
}
