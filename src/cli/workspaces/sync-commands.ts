// agent-service workspaces pull and push: a folder of this machine and a copy of a workspace.
// Why it is so: docs/decisions/081-a-folder-and-a-copy.md

import { mkdir, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { oneOf } from "../../base/settings/kinds.ts";
import { singleLine } from "../../base/untrusted-text.ts";
import { openAccess, openClient, serviceFlags } from "../account.ts";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { anyText, argument, listFlag, UsageError, valueFlag } from "../flags.ts";
import { printJson } from "../print.ts";
import { LocalFolder } from "./local-folder.ts";
import { remoteCopy } from "./remote-copy.ts";
import { pull as pullChanges, push as pushChanges, type SyncOptions, type SyncResult } from "./sync.ts";
import { readRecord, type SyncPlace } from "./sync-record.ts";
import { findWorkspaceId } from "./workspace-name.ts";

const MAX_SHOWN_CHARS = 500;

const folderArgument = argument(anyText, "The folder.");
const placeFlags = {
  ...serviceFlags,
  workspace: valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<workspace>",
    description: "The workspace, by its id or its name. Needed the first time.",
    shownDefault: "the folder's",
  }),
  copy: valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<id>",
    description: "The copy, the first time.",
    shownDefault: "the canonical one",
  }),
  exclude: listFlag({
    takes: "<glob>",
    description: "Paths that do not travel, such as node_modules/**. Repeatable.",
  }),
};

const notes = [
  "Only what differs travels. What has changed on both sides is a conflict: it is named, and nothing is changed. Folders of git never travel; modes and symbolic links do.",
  "The folder remembers its copy, and how both were when they last met, in .agent-service-copy.",
];

export const pull = command({
  summary: "Bring the changes of a copy to a folder.",
  notes,
  arguments: { folder: folderArgument },
  flags: {
    ...placeFlags,
    take: valueFlag({
      kind: oneOf(["local", "remote"]),
      fallback: null,
      takes: "<side>",
      description:
        "What a file becomes that has changed on both sides: local keeps the folder's, which the next push sends; remote takes the copy's.",
      shownDefault: "neither: nothing is pulled",
    }),
  },
  examples: ["workspaces pull ./website --workspace website --copy <copy>", "workspaces pull ./website"],
  run: async ({ arguments: { folder: given }, flags }) => {
    const root = resolve(given);
    await mkdir(root, { recursive: true }).catch((cause: unknown) => {
      throw new CommandError(`"${root}" is no folder, and cannot be made one.`, { cause });
    });
    const result = await pullChanges({ ...(await openSync(root, flags)), take: flags.take });
    return report(result, { ...flags, direction: "pull" });
  },
});

export const push = command({
  summary: "Bring the changes of a folder to a copy.",
  notes,
  arguments: { folder: folderArgument },
  flags: placeFlags,
  examples: ["workspaces push ./website", "workspaces push . --workspace website --exclude node_modules/**"],
  run: async ({ arguments: { folder: given }, flags }) => {
    const root = resolve(given);
    const found = await stat(root).catch(() => null);
    if (found?.isDirectory() !== true) throw new CommandError(`There is no folder "${root}".`);
    return report(await pushChanges(await openSync(root, flags)), { ...flags, direction: "push" });
  },
});

type PlaceFlags = {
  readonly url: string | null;
  readonly workspace: string | null;
  readonly copy: string | null;
  readonly exclude: readonly string[] | null;
};

async function openSync(root: string, flags: PlaceFlags): Promise<SyncOptions> {
  const record = await readRecord(root);
  if (record === null && flags.workspace === null) {
    throw new UsageError(
      "This folder was never synchronised: name its workspace with --workspace <workspace>.",
    );
  }
  const client = openClient(flags);
  const url = openAccess(flags).baseUrl.replace(/\/+$/, "");
  const workspaceId =
    flags.workspace === null ? record?.place.workspaceId : await findWorkspaceId(client, flags.workspace);
  const place: SyncPlace = {
    url,
    workspaceId: workspaceId ?? "",
    workingCopyId: flags.copy ?? record?.place.workingCopyId ?? null,
  };
  if (record !== null) requireSame(record.place, place);
  const folder = new LocalFolder(root, flags.exclude ?? []);
  return { folder, copy: remoteCopy(client, place), place, record };
}

function requireSame(known: SyncPlace, asked: SyncPlace): void {
  const names = { url: "service", workspaceId: "workspace", workingCopyId: "copy" } as const;
  for (const [field, name] of Object.entries(names) as [keyof SyncPlace, string][]) {
    if (known[field] === asked[field]) continue;
    const [was, is] = [known[field] ?? "the canonical one", asked[field] ?? "the canonical one"];
    throw new UsageError(
      `This folder is of ${name} ${was}, not ${is}. Use another folder, or remove .agent-service-copy from this one.`,
    );
  }
}

type Reported = { readonly json: boolean; readonly direction: "pull" | "push" };

function report(result: SyncResult, { json, direction }: Reported): number {
  const { changed, left, conflicts, skipped } = result;
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  const shown = (path: string) => singleLine(path, MAX_SHOWN_CHARS);
  if (json) printJson({ changed, left, conflicts, skipped });
  else {
    for (const { path, action } of changed) process.stdout.write(`${action} ${shown(path)}\n`);
    for (const { path, why } of skipped) say(`Left out: ${shown(path)} (${why})`);
  }
  if (conflicts.length > 0) {
    for (const { path, kind } of conflicts) {
      const what =
        kind === "both_changed" ? "has changed on both sides" : "is a file here and a folder there";
      say(`Conflict: ${shown(path)} ${what}`);
    }
    say(
      direction === "pull"
        ? "Nothing was changed. Give --take local or --take remote, or move your files away, and pull again."
        : "Nothing was sent. Pull first.",
    );
    return 1;
  }
  if (!json && changed.length === 0) say(`There is nothing to ${direction}.`);
  if (!json && left.length > 0) {
    const files = left.length === 1 ? "1 file" : `${left.length} files`;
    say(
      direction === "pull"
        ? `Changed here: ${files}. Push sends them.`
        : `Changed there: ${files}. Pull gets them.`,
    );
  }
  return 0;
}
