// A run's changes, shown to the editor's person: a question with the differences, and the texts that the editor then writes.

import { join } from "node:path";
import type { ToolCall, ToolCallContent } from "@agentclientprotocol/sdk";
import { plural } from "../../render/quantities.ts";
import type { RemoteCopy } from "../workspaces/remote-copy.ts";
import type { FileStep, SyncConflict } from "../workspaces/sync-plan.ts";
import { decodeText, type EditorFolder } from "./editor-folder.ts";

/** Larger files are written to the disk, and named without their text. */
const MAX_TEXT_BYTES = 1_000_000;
/** Of all texts together. */
const MAX_SHOWN_BYTES = 8_000_000;
const MAX_NAMED_FILES = 100;

type OfferedEdits = {
  readonly toolCall: ToolCall;
  /** New texts by path, for the editor to write. */
  readonly texts: ReadonlyMap<string, string>;
};

/** Fetches the texts of the steps. */
export async function offeredEdits(
  steps: readonly FileStep[],
  place: { readonly id: string; readonly folder: EditorFolder; readonly copy: RemoteCopy },
): Promise<OfferedEdits> {
  const { id, folder, copy } = place;
  const texts = new Map<string, string>();
  const content: ToolCallContent[] = [];
  const named: string[] = [];
  let left = MAX_SHOWN_BYTES;
  for (const { path, from, to } of steps) {
    const newText = await newTextOf({ path, to }, { copy, left });
    const isText = newText !== null;
    const oldText = from === null || !isText ? null : await folder.textOf(path);
    if (!isText || (from !== null && oldText === null)) {
      named.push(`${to === null ? "Delete" : from === null ? "Add" : "Replace"} \`${path}\``);
      continue;
    }
    left -= newText.length;
    if (to !== null) texts.set(path, newText);
    content.push({ type: "diff", path: join(folder.root, path), oldText, newText });
  }
  if (named.length > 0) content.push({ type: "content", content: { type: "text", text: listOf(named) } });
  const title = `Apply the changes of ${plural(steps.length, "file")}`;
  const locations = steps.slice(0, MAX_NAMED_FILES).map(({ path }) => ({ path: join(folder.root, path) }));
  return {
    toolCall: { toolCallId: id, title, kind: "edit", status: "pending", content, locations },
    texts,
  };
}

/** "" of a file that is deleted; null of what is no text, and of what is too large to show. */
async function newTextOf(
  { path, to }: Pick<FileStep, "path" | "to">,
  { copy, left }: { readonly copy: RemoteCopy; readonly left: number },
): Promise<string | null> {
  if (to === null) return "";
  if (to.mode === "120000") return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of await copy.open(path)) {
    size += chunk.length;
    if (size > Math.min(MAX_TEXT_BYTES, left)) return null;
    chunks.push(chunk);
  }
  return decodeText(Buffer.concat(chunks));
}

/** Why nothing was applied, file by file. */
export function refusalText(conflicts: readonly SyncConflict[]): string {
  const lines = conflicts.map(({ path, kind }) =>
    kind === "both_changed"
      ? `\`${path}\` has changed here since the run began`
      : `\`${path}\` is a file here and a folder there, or the other way round`,
  );
  return `Nothing was applied, so that none of your changes is overwritten:\n\n${listOf(lines)}`;
}

export function listOf(lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_NAMED_FILES).map((line) => `- ${line}`);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}
