// agent-service workspaces changesets: changes that are proposed for a workspace's current revision.

import { readFile } from "node:fs/promises";
import { oneOf } from "../../base/settings/kinds.ts";
import type { Changeset, Client } from "../../client/client.ts";
import { openClient, serviceFlags } from "../account.ts";
import { type CommandGroup, command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { anyText, argument, listFlag, requiredFlag, switchFlag, UsageError, valueFlag } from "../flags.ts";
import { printFields, printJson, printTable, printText } from "../print.ts";
import { firstItems, limitFlag } from "./pages.ts";
import { findWorkspaceId, workspaceArgument } from "./workspace-name.ts";

const statuses = ["open", "conflicted", "accepted", "rejected"] as const;

const changesetArgument = argument(anyText, "The changeset's id.");
const evidenceFlag = requiredFlag({
  kind: anyText,
  takes: "<text>",
  description: "How it was validated: the service keeps it.",
});
const expectFlag = valueFlag({
  kind: anyText,
  fallback: null,
  takes: "<revision>",
  description: "The revision that has to be the current one.",
  shownDefault: "the one that the changeset was compared with",
});
const named = { workspace: workspaceArgument, changeset: changesetArgument };

const list = command({
  summary: "List the changesets of a workspace.",
  arguments: { workspace: workspaceArgument },
  flags: {
    ...serviceFlags,
    status: valueFlag({
      kind: oneOf(statuses),
      fallback: null,
      takes: "<status>",
      description: "Only those with this status.",
    }),
    limit: limitFlag,
  },
  examples: ["workspaces changesets list website --status open"],
  run: async ({ arguments: { workspace }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const only = flags.status === null ? {} : { status: flags.status };
    const read = (query: { cursor: string; limit: number }) =>
      client.changesets.list({ workspaceId, query: { ...query, ...only } });
    const found = await firstItems(read, flags.limit);
    if (flags.json) printJson(found);
    else if (found.length === 0) process.stderr.write("There are no changesets.\n");
    else {
      const rows = found.map(({ id, status, files, title }) => [id, status, String(files), title]);
      printTable(["ID", "STATUS", "FILES", "TITLE"], rows);
    }
    return 0;
  },
});

const create = command({
  summary: "Propose a copy's saved revision, or any revision, to be accepted.",
  arguments: { workspace: workspaceArgument, title: argument(anyText, "What it is about, in one line.") },
  flags: {
    ...serviceFlags,
    copy: valueFlag({ kind: anyText, fallback: null, takes: "<id>", description: "The copy, saved." }),
    revision: valueFlag({ kind: anyText, fallback: null, takes: "<id>", description: "The revision." }),
    summary: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<text>",
      description: "What it changes and why.",
    }),
  },
  examples: ['workspaces changesets create website "A page for prices" --copy <copy>'],
  run: async ({ arguments: { workspace, title }, flags }) => {
    const source = sourceOf(flags);
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const body = { title, ...source, ...(flags.summary === null ? {} : { summary: flags.summary }) };
    return show(await client.changesets.create({ workspaceId, body }), flags);
  },
});

const get = command({
  summary: "Show a changeset.",
  arguments: named,
  flags: { ...serviceFlags, patch: switchFlag("Show what it changes, too.") },
  examples: ["workspaces changesets show website <changeset> --patch"],
  run: async ({ arguments: { workspace, changeset: changesetId }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const query = flags.patch ? ({ patch: "true" } as const) : {};
    const changeset = await client.changesets.get({ workspaceId, changesetId, query });
    if (flags.json) return show(changeset, flags);
    show(changeset, flags);
    if (changeset.patch !== undefined) printText(`\n${changeset.patch}`);
    if (changeset.patch_is_whole === false) process.stderr.write("The patch is longer, and was cut.\n");
    return 0;
  },
});

const accept = command({
  summary: "Accept a changeset: it becomes part of the current revision.",
  arguments: named,
  flags: { ...serviceFlags, evidence: evidenceFlag, expect: expectFlag },
  examples: ['workspaces changesets accept website <changeset> --evidence "The tests pass."'],
  run: async ({ arguments: given, flags }) => {
    const { client, ids, expected } = await expecting(given, flags);
    const body = { expected_current_revision: expected, validation_evidence: flags.evidence };
    return show(await client.changesets.accept({ ...ids, body }), flags);
  },
});

const reject = command({
  summary: "Reject a changeset.",
  arguments: named,
  flags: {
    ...serviceFlags,
    reason: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<text>",
      description: "Why, for whoever made it.",
    }),
  },
  examples: ['workspaces changesets reject website <changeset> --reason "Prices are not public."'],
  run: async ({ arguments: { workspace, changeset: changesetId }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const body = flags.reason === null ? {} : { reason: flags.reason };
    return show(await client.changesets.reject({ workspaceId, changesetId, body }), flags);
  },
});

const resolve = command({
  summary: "Settle the conflicts of a changeset, and accept it.",
  notes: [
    "Every path in conflict is settled by one of --ours, --theirs and --content; or all of them by --revision, a revision that was made from the current one.",
  ],
  arguments: named,
  flags: {
    ...serviceFlags,
    evidence: evidenceFlag,
    expect: expectFlag,
    ours: listFlag({
      takes: "<path>",
      description: "A path that stays as the current revision has it. Repeatable.",
    }),
    theirs: listFlag({
      takes: "<path>",
      description: "A path that becomes as the changeset has it. Repeatable.",
    }),
    content: listFlag({
      takes: "<path=file>",
      description: "A path, and the file of this machine that it becomes. Repeatable.",
    }),
    revision: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<id>",
      description: "What it all becomes.",
    }),
  },
  examples: [
    'workspaces changesets resolve website <changeset> --theirs index.html --evidence "Looked at."',
    'workspaces changesets resolve website <changeset> --content index.html=merged.html --evidence "Merged by hand."',
  ],
  run: async ({ arguments: given, flags }) => {
    const settled = await resolutionsOf(flags);
    const { client, ids, expected } = await expecting(given, flags);
    const body = {
      expected_current_revision: expected,
      validation_evidence: flags.evidence,
      ...(flags.revision === null ? { resolutions: settled } : { resolved_revision_id: flags.revision }),
    };
    return show(await client.changesets.resolve({ ...ids, body }), flags);
  },
});

export const changesets: CommandGroup = {
  summary: "What is proposed for a workspace's current revision.",
  commands: { list, create, show: get, accept, reject, resolve },
};

function sourceOf({ copy, revision }: { readonly copy: string | null; readonly revision: string | null }) {
  if (copy !== null && revision === null) return { working_copy_id: copy };
  if (copy === null && revision !== null) return { revision_id: revision };
  throw new UsageError("Give one of --copy <id> and --revision <id>.");
}

/** Unless told, what is accepted is what was compared: a revision that became current since is not overwritten. */
async function expecting(
  given: { readonly workspace: string; readonly changeset: string },
  flags: { readonly url: string | null; readonly expect: string | null },
): Promise<{ client: Client; ids: { workspaceId: string; changesetId: string }; expected: string }> {
  const client = openClient(flags);
  const ids = { workspaceId: await findWorkspaceId(client, given.workspace), changesetId: given.changeset };
  const expected = flags.expect ?? (await client.changesets.get(ids)).compared_revision_id;
  return { client, ids, expected };
}

type Settling = {
  readonly ours: readonly string[] | null;
  readonly theirs: readonly string[] | null;
  readonly content: readonly string[] | null;
  readonly revision: string | null;
};

async function resolutionsOf({ ours, theirs, content, revision }: Settling) {
  const isByPath = ours !== null || theirs !== null || content !== null;
  if (isByPath === (revision !== null)) {
    throw new UsageError(
      "Give --ours, --theirs or --content for each path in conflict, or --revision alone.",
    );
  }
  const contents = (content ?? []).map(async (pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw new UsageError(`--content must be a path, "=" and a file, got "${pair}".`);
    return { path: pair.slice(0, at), take: "content" as const, content: await textOf(pair.slice(at + 1)) };
  });
  return [
    ...(ours ?? []).map((path) => ({ path, take: "ours" as const })),
    ...(theirs ?? []).map((path) => ({ path, take: "theirs" as const })),
    ...(await Promise.all(contents)),
  ];
}

async function textOf(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw new CommandError(`"${file}" cannot be read.`, { cause });
  }
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) throw new CommandError(`"${file}" is no text in UTF-8.`);
  return text;
}

function show(changeset: Changeset, flags: { readonly json: boolean }): number {
  if (flags.json) {
    printJson(changeset);
    return 0;
  }
  const { additions, deletions } = changeset;
  printFields({
    id: changeset.id,
    status: changeset.status,
    title: changeset.title,
    summary: changeset.summary === "" ? null : changeset.summary,
    revision: changeset.revision_id,
    "compared with": changeset.compared_revision_id,
    files: changeset.files,
    lines: additions === null || deletions === null ? null : `+${additions} -${deletions}`,
    conflicts: changeset.conflicts.map(({ path, kind }) => `${path} (${kind})`).join(", ") || null,
    rejected: changeset.reject_reason,
    accepted: changeset.accepted_revision_id,
  });
  return 0;
}
