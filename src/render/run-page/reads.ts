// Calls that only read, by the names of their tools, and a line for several of them: "Read 5 files, searched twice". Pure.

import type { ToolCall } from "../../report/run-report.ts";
import { countText, plural } from "../quantities.ts";

export type ReadKind = "file" | "folder" | "search" | "history" | "changes" | "skill" | "image" | "page";

/**
 * The built-in tools that only read, and the kinds of the Agent Client Protocol that other agents' calls are named by. Of a tool
 * of an MCP server no event says whether it reads.
 */
const kinds: ReadonlyMap<string, ReadKind> = new Map([
  ["read_file", "file"],
  ["read", "file"],
  ["list_files", "folder"],
  ["search", "search"],
  ["git_log", "history"],
  ["git_show", "history"],
  ["git_blame", "history"],
  ["git_diff", "changes"],
  ["git_changes", "changes"],
  ["read_skill", "skill"],
  ["view_image", "image"],
  ["fetch_url", "page"],
  ["fetch", "page"],
]);

const words: Readonly<Record<ReadKind, (count: number) => string>> = {
  file: (count) => `read ${plural(count, "file")}`,
  folder: (count) => `listed files ${times(count)}`,
  search: (count) => `searched ${times(count)}`,
  history: (count) => `read the history ${times(count)}`,
  changes: (count) => `compared versions ${times(count)}`,
  skill: (count) => `read ${plural(count, "skill")}`,
  image: (count) => `looked at ${plural(count, "image")}`,
  page: (count) => `fetched ${plural(count, "page")}`,
};

/** What a call of this tool reads. Null: it is none that only reads, or nobody says so. */
export function readKindOf(name: string): ReadKind | null {
  return kinds.get(name) ?? null;
}

export function isRead({ name }: Pick<ToolCall, "name">): boolean {
  return readKindOf(name) !== null;
}

/** Of calls that read. A file that is read in two parts is one. */
export function readsText(calls: readonly Pick<ToolCall, "name" | "title">[]): string {
  const parts = Object.entries(words).flatMap(([kind, say]) => {
    const found = calls.filter(({ name }) => kinds.get(name) === kind);
    const count = kind === "file" ? new Set(found.map(pathIn)).size : found.length;
    return count === 0 ? [] : [say(count)];
  });
  const text = parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The first word after the tool's name. While its arguments arrive there is none: then the call is taken for another file. */
function pathIn({ title }: Pick<ToolCall, "title">, index: number): string {
  return title.split(" ")[1] ?? `${index}`;
}

function times(count: number): string {
  if (count === 1) return "once";
  return count === 2 ? "twice" : `${countText(count)} times`;
}
