// agent-service workspaces revisions: the saved states of a workspace's files.

import { openClient, serviceFlags } from "../account.ts";
import { type CommandGroup, command } from "../command.ts";
import { anyText, argument } from "../flags.ts";
import { printFields, printJson, printTable } from "../print.ts";
import { firstItems, limitFlag } from "./pages.ts";
import { findWorkspaceId, workspaceArgument } from "./workspace-name.ts";

const revisionArgument = argument(anyText, "The revision's id.");

const list = command({
  summary: "List the revisions of a workspace.",
  arguments: { workspace: workspaceArgument },
  flags: { ...serviceFlags, limit: limitFlag },
  examples: ["workspaces revisions list website"],
  run: async ({ arguments: { workspace }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const found = await firstItems((query) => client.revisions.list({ workspaceId, query }), flags.limit);
    if (flags.json) printJson(found);
    else {
      printTable(
        ["ID", "CREATED", "ACCEPTED", "FILES", "MESSAGE"],
        found.map(({ id, created_at, accepted_at, files, message }) => [
          id,
          created_at,
          accepted_at ?? "-",
          String(files),
          message,
        ]),
      );
    }
    return 0;
  },
});

const get = command({
  summary: "Show a revision.",
  arguments: { workspace: workspaceArgument, revision: revisionArgument },
  flags: serviceFlags,
  examples: ["workspaces revisions show website <revision>"],
  run: async ({ arguments: { workspace, revision: revisionId }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const revision = await client.revisions.get({ workspaceId, revisionId });
    if (flags.json) printJson(revision);
    else {
      const { parent_ids: parents, accepted_at: accepted, created_at: created, ...rest } = revision;
      printFields({
        id: rest.id,
        commit: rest.commit,
        tree: rest.tree,
        parents: parents.join(", "),
        files: rest.files,
        bytes: rest.bytes,
        pinned: rest.pinned ? "yes" : null,
        created,
        accepted,
        message: rest.message,
      });
    }
    return 0;
  },
});

const remove = command({
  summary: "Delete a revision.",
  notes: ["One that is current, pinned, or what a copy or an open changeset builds on, is refused."],
  arguments: { workspace: workspaceArgument, revision: revisionArgument },
  flags: serviceFlags,
  examples: ["workspaces revisions delete website <revision>"],
  run: async ({ arguments: { workspace, revision: revisionId }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const revision = await client.revisions.delete({ workspaceId, revisionId });
    if (flags.json) printJson(revision);
    else process.stdout.write(`Deleted: revision ${revision.id}.\n`);
    return 0;
  },
});

export const revisions: CommandGroup = {
  summary: "The saved states of a workspace's files.",
  commands: { list, show: get, delete: remove },
};
