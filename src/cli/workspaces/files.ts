// agent-service workspaces files: single files of a workspace's canonical copy, of a working copy, or of a revision.

import { createReadStream, createWriteStream } from "node:fs";
import { stat, unlink } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { oneOf } from "../../base/settings/kinds.ts";
import type { Client, Download } from "../../client/client.ts";
import type { FileEntryView } from "../../contract/workspaces/files/files.ts";
import { openClient, serviceFlags } from "../account.ts";
import { type CommandGroup, command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { anyText, argument, switchFlag, UsageError, valueFlag } from "../flags.ts";
import { printJson, printTable } from "../print.ts";
import { firstItems, limitFlag } from "./pages.ts";
import { findWorkspaceId, workspaceArgument } from "./workspace-name.ts";

const pathArgument = argument(anyText, "The file's path in the workspace.");
const copyFlag = valueFlag({
  kind: anyText,
  fallback: null,
  takes: "<id>",
  description: "A working copy.",
  shownDefault: "the canonical one",
});
const revisionFlag = valueFlag({ kind: anyText, fallback: null, takes: "<id>", description: "A revision." });
const ifMatchFlag = valueFlag({
  kind: anyText,
  fallback: null,
  takes: "<etag>",
  description: "The ETag of the file that is there, as ls shows it.",
});

const ls = command({
  summary: "List files.",
  arguments: { workspace: workspaceArgument },
  flags: {
    ...serviceFlags,
    copy: copyFlag,
    revision: revisionFlag,
    folder: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<path>",
      description: "The folder.",
      shownDefault: "the root",
    }),
    recursive: switchFlag("List the files in all folders below, too."),
    limit: { ...limitFlag, description: "How many, in the order of their paths." },
  },
  examples: ["workspaces files ls website --recursive"],
  run: async ({ arguments: { workspace }, flags }) => {
    const client = openClient(flags);
    const files = reading(client, await findWorkspaceId(client, workspace), flags);
    const { recursive, folder } = flags;
    const below = { recursive, ...(folder === null ? {} : { path: folder }) };
    const found = await firstItems((page) => files.list({ ...page, ...below }), flags.limit);
    if (flags.json) printJson(found);
    else {
      const rows = found.map((entry) => [
        entry.type,
        "size" in entry ? String(entry.size) : "-",
        "etag" in entry ? entry.etag : "-",
        (recursive ? entry.path : entry.name) + leads(entry),
      ]);
      printTable(["TYPE", "SIZE", "ETAG", "PATH"], rows);
    }
    return 0;
  },
});

/** As `ls -l` shows a symbolic link. */
function leads(entry: FileEntryView): string {
  return entry.type === "symlink" && entry.target !== null ? ` -> ${entry.target}` : "";
}

const cat = command({
  summary: "Write a file's bytes to standard output, or to a file.",
  arguments: { workspace: workspaceArgument, path: pathArgument },
  flags: {
    ...serviceFlags,
    copy: copyFlag,
    revision: revisionFlag,
    output: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<file>",
      description: "The file of this machine, which may not be there yet.",
      shownDefault: "standard output",
    }),
  },
  examples: [
    "workspaces files cat website index.html",
    "workspaces files cat website logo.png --output logo.png",
  ],
  run: async ({ arguments: { workspace, path }, flags }) => {
    const client = openClient(flags);
    const files = reading(client, await findWorkspaceId(client, workspace), flags);
    const { body } = await files.download({ path });
    if (flags.output === null) await pipeline(body, process.stdout, { end: false });
    else await writeNew(flags.output, body);
    return 0;
  },
});

/** Where it fails, no part of the file is left as if it were the whole. */
async function writeNew(path: string, content: ReadableStream<Uint8Array>): Promise<void> {
  try {
    await pipeline(content, createWriteStream(path, { flags: "wx" }));
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    if (isThere) throw new CommandError(`"${path}" is there already, and was not touched.`, { cause });
    await unlink(path).catch(() => {});
    throw cause;
  }
}

const put = command({
  summary: "Write a file of this machine into a workspace.",
  notes: [
    "Makes a new file. One that is there is replaced only with --if-match, and only where it still has that ETag.",
  ],
  arguments: {
    workspace: workspaceArgument,
    path: pathArgument,
    file: argument(anyText, "The file of this machine."),
  },
  flags: {
    ...serviceFlags,
    copy: copyFlag,
    "if-match": ifMatchFlag,
    mode: valueFlag({
      kind: oneOf(["100644", "100755"]),
      fallback: null,
      takes: "<mode>",
      description: "100755 for a program.",
      shownDefault: "as it is, 100644 for a new file",
    }),
  },
  examples: [
    "workspaces files put website index.html ./index.html --copy <copy>",
    "workspaces files put website index.html ./index.html --copy <copy> --if-match <etag>",
  ],
  run: async ({ arguments: { workspace, path, file }, flags }) => {
    const found = await stat(file).catch(() => null);
    if (found?.isFile() !== true) throw new CommandError(`There is no file "${file}".`);
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const etag = flags["if-match"];
    const options = {
      query: {
        path,
        existing: etag === null ? ("refuse" as const) : ("replace" as const),
        ...(flags.mode === null ? {} : { mode: flags.mode }),
      },
      body: () => createReadStream(file),
      ...(etag === null ? {} : { ifMatch: etag }),
    };
    const { items } =
      flags.copy === null
        ? await client.files.upload({ workspaceId, ...options })
        : await client.copyFiles.upload({ workspaceId, workingCopyId: flags.copy, ...options });
    const [written] = items;
    if (flags.json) printJson(written);
    else if (written !== undefined && "etag" in written) {
      process.stdout.write(`Written: ${written.size} bytes, ETag ${written.etag}.\n`);
    }
    return 0;
  },
});

const link = command({
  summary: "Make a symbolic link in a workspace.",
  notes: [
    "The target is a path in the same workspace, from the link's folder. Nothing has to be there.",
    "A file or link that is there is replaced only with --if-match, and only where it still has that ETag.",
  ],
  arguments: {
    workspace: workspaceArgument,
    path: pathArgument,
    target: argument(anyText, "Where the link leads."),
  },
  flags: { ...serviceFlags, copy: copyFlag, "if-match": ifMatchFlag },
  examples: ["workspaces files link website docs/index.md ../README.md --copy <copy>"],
  run: async ({ arguments: { workspace, path, target }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const etag = flags["if-match"];
    const options = { body: { path, target }, ...(etag === null ? {} : { ifMatch: etag }) };
    const written =
      flags.copy === null
        ? await client.files.write({ workspaceId, ...options })
        : await client.copyFiles.write({ workspaceId, workingCopyId: flags.copy, ...options });
    if (flags.json) printJson(written);
    else if ("etag" in written)
      process.stdout.write(`Linked: ${path}${leads(written)}, ETag ${written.etag}.\n`);
    return 0;
  },
});

const rm = command({
  summary: "Delete a file or a folder: it goes to the trash of its copy.",
  arguments: { workspace: workspaceArgument, path: pathArgument },
  flags: { ...serviceFlags, copy: copyFlag, "if-match": ifMatchFlag },
  examples: ["workspaces files rm website old.html --copy <copy>"],
  run: async ({ arguments: { workspace, path }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const options = { body: { path }, ...(flags["if-match"] === null ? {} : { ifMatch: flags["if-match"] }) };
    const { trash } =
      flags.copy === null
        ? await client.files.delete({ workspaceId, ...options })
        : await client.copyFiles.delete({ workspaceId, workingCopyId: flags.copy, ...options });
    if (flags.json) printJson(trash);
    else {
      for (const { files, handle } of trash) {
        const what = files === 1 ? "1 file" : `${files} files`;
        process.stdout.write(`Deleted: ${what}. "workspaces files restore" takes ${handle}.\n`);
      }
    }
    return 0;
  },
});

const restore = command({
  summary: "Restore what was deleted, by the handle that rm has shown.",
  arguments: { workspace: workspaceArgument, handle: argument(anyText, "The handle.") },
  flags: { ...serviceFlags, copy: copyFlag },
  examples: ["workspaces files restore website <handle> --copy <copy>"],
  run: async ({ arguments: { workspace, handle: path }, flags }) => {
    const client = openClient(flags);
    const workspaceId = await findWorkspaceId(client, workspace);
    const body = { path };
    const restored =
      flags.copy === null
        ? await client.files.restore({ workspaceId, body })
        : await client.copyFiles.restore({ workspaceId, workingCopyId: flags.copy, body });
    if (flags.json) printJson(restored);
    else process.stdout.write(`Restored: ${restored.path}.\n`);
    return 0;
  },
});

export const files: CommandGroup = {
  summary: "Single files of a workspace.",
  commands: { ls, cat, put, link, rm, restore },
};

type Reading = {
  list(
    query: NonNullable<Parameters<Client["files"]["list"]>[0]["query"]>,
  ): ReturnType<Client["files"]["list"]>;
  download(query: { readonly path: string }): Promise<Download>;
};

function reading(
  client: Client,
  workspaceId: string,
  { copy, revision }: { readonly copy: string | null; readonly revision: string | null },
): Reading {
  if (copy !== null && revision !== null) {
    throw new UsageError("--copy and --revision exclude each other: give one of them.");
  }
  if (revision !== null) {
    const place = { workspaceId, revisionId: revision };
    return {
      list: (query) => client.revisionFiles.list({ ...place, query }),
      download: (query) => client.revisionFiles.download({ ...place, query }),
    };
  }
  if (copy === null) {
    return {
      list: (query) => client.files.list({ workspaceId, query }),
      download: (query) => client.files.download({ workspaceId, query }),
    };
  }
  const place = { workspaceId, workingCopyId: copy };
  return {
    list: (query) => client.copyFiles.list({ ...place, query }),
    download: (query) => client.copyFiles.download({ ...place, query }),
  };
}
