// agent-service workspaces copies: working copies of a workspace's files; and checkpoint, which saves one.

import { openClient, serviceFlags } from "../account.ts";
import { type CommandGroup, command } from "../command.ts";
import { anyText, argument, valueFlag } from "../flags.ts";
import { printFields, printJson, printTable } from "../print.ts";
import { firstItems, limitFlag } from "./pages.ts";
import { settledOperation } from "./settled-operation.ts";
import { findWorkspaceId, workspaceArgument } from "./workspace-name.ts";

const copyArgument = argument(anyText, "The copy's id.");

const list = command({
  summary: "List the copies of a workspace.",
  arguments: { workspace: workspaceArgument },
  flags: { ...serviceFlags, limit: limitFlag },
  examples: ["workspaces copies list website"],
  run: async ({ arguments: { workspace }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const found = await firstItems((query) => client.copies.list({ workspaceId, query }), flags.limit);
    if (flags.json) printJson(found);
    else {
      printTable(
        ["ID", "STATE", "CHANGED", "BASE", "CREATED"],
        found.map((copy) => [
          copy.id,
          copy.is_canonical ? `${copy.state} (canonical)` : copy.state,
          String(copy.changed_files),
          copy.base_revision_id,
          copy.created_at,
        ]),
      );
    }
    return 0;
  },
});

const create = command({
  summary: "Make a working copy.",
  arguments: { workspace: workspaceArgument },
  flags: {
    ...serviceFlags,
    revision: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<id>",
      description: "The revision that it is a copy of.",
      shownDefault: "the current one",
    }),
  },
  examples: ["workspaces copies create website"],
  run: async ({ arguments: { workspace }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const body = flags.revision === null ? {} : { base_revision_id: flags.revision };
    const { result } = await settledOperation(client, await client.copies.create({ workspaceId, body }));
    return await show(client, { workspaceId, workingCopyId: result.working_copy_id ?? "" }, flags);
  },
});

const get = command({
  summary: "Show a copy.",
  arguments: { workspace: workspaceArgument, copy: copyArgument },
  flags: serviceFlags,
  examples: ["workspaces copies show website <copy>"],
  run: async ({ arguments: { workspace, copy }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    return await show(client, { workspaceId, workingCopyId: copy }, flags);
  },
});

const remove = command({
  summary: "Delete a copy, with what was not saved in it.",
  arguments: { workspace: workspaceArgument, copy: copyArgument },
  flags: serviceFlags,
  examples: ["workspaces copies delete website <copy>"],
  run: async ({ arguments: { workspace, copy: workingCopyId }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const operation = await settledOperation(
      client,
      await client.copies.delete({ workspaceId, workingCopyId }),
    );
    if (flags.json) printJson(operation);
    else process.stdout.write(`Deleted: copy ${workingCopyId}.\n`);
    return 0;
  },
});

export const copies: CommandGroup = {
  summary: "Working copies of a workspace's files.",
  commands: { list, create, show: get, delete: remove },
};

export const checkpoint = command({
  summary: "Save a copy's files as a revision.",
  notes: [
    "Without --copy, saves the canonical files: the revision is accepted, and the current one. Where nothing has changed, names the revision that has it.",
  ],
  arguments: { workspace: workspaceArgument },
  flags: {
    ...serviceFlags,
    copy: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<id>",
      description: "The copy.",
      shownDefault: "the canonical one",
    }),
    message: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<text>",
      description: "What has changed and why.",
    }),
  },
  examples: ['workspaces checkpoint website --copy <copy> --message "A page for prices"'],
  run: async ({ arguments: { workspace }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const body = {
      ...(flags.copy === null ? {} : { working_copy_id: flags.copy }),
      ...(flags.message === null ? {} : { message: flags.message }),
    };
    const { result } = await settledOperation(client, await client.copies.checkpoint({ workspaceId, body }));
    if (flags.json) printJson(result);
    else {
      const what = result.unchanged === true ? "Nothing has changed since revision" : "Saved: revision";
      process.stdout.write(`${what} ${result.revision_id ?? ""}.\n`);
    }
    return 0;
  },
});

async function show(
  client: ReturnType<typeof openClient>,
  place: { readonly workspaceId: string; readonly workingCopyId: string },
  flags: { readonly json: boolean },
): Promise<number> {
  const copy = await client.copies.get(place);
  if (flags.json) printJson(copy);
  else {
    printFields({
      id: copy.id,
      state: copy.state,
      canonical: copy.is_canonical ? "yes" : null,
      base: copy.base_revision_id,
      saved: copy.saved_revision_id,
      "changed files": copy.changed_files,
      "held by run": copy.held_by_run_id,
      created: copy.created_at,
    });
  }
  return 0;
}
