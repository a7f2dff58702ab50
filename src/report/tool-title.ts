// The title of a tool call, on one line: `read_file src/index.ts`. Pure.

import { parseJson } from "../base/json.ts";
import { singleLine } from "../base/untrusted-text.ts";

export const MAX_TITLE_CHARS = 120;
/** Longer arguments are not parsed for a title; their beginning is shown as it is. */
export const MAX_TITLE_ARGS_CHARS = 262_144;

const MAX_VALUE_CHARS = 60;

/** Tools with a title of their own, and the argument that it shows. */
const ownTitles: ReadonlyMap<string, { readonly verb: string; readonly argument: string }> = new Map([
  ["setup", { verb: "setup:", argument: "script" }],
  ["mcp_servers", { verb: "MCP servers:", argument: "servers" }],
  ["run_command", { verb: "$", argument: "command" }],
  ["edit_file", { verb: "edit", argument: "path" }],
  ["write_file", { verb: "write", argument: "path" }],
  ["rename_file", { verb: "rename", argument: "path" }],
  ["view_image", { verb: "view", argument: "path" }],
  ["delete_file", { verb: "delete", argument: "path" }],
  ["fetch_url", { verb: "fetch", argument: "url" }],
  ["explore", { verb: "explore:", argument: "question" }],
  ["delegate", { verb: "delegate:", argument: "task" }],
  ["ask_question", { verb: "ask:", argument: "question" }],
  ["ask_advisor", { verb: "ask the advisor:", argument: "question" }],
]);

/** The call's name and its arguments' values on one line without hidden characters, at most `MAX_TITLE_CHARS`. */
export function toolTitle(name: string, args: string): string {
  const parsed = args.length > MAX_TITLE_ARGS_CHARS ? undefined : parseJson(args);
  const own = ownTitle(name, parsed);
  if (own !== null) return own;
  const words = [singleLine(serversName(name), MAX_VALUE_CHARS) || "tool"];
  let chars = 0;
  for (const value of parsed === undefined ? [args] : argumentValues(parsed)) {
    if (chars > MAX_TITLE_CHARS) break;
    const word = singleLine(value, MAX_VALUE_CHARS);
    if (word === "") continue;
    words.push(word);
    chars += word.length;
  }
  return singleLine(words.join(" "), MAX_TITLE_CHARS);
}

/** `sentry: get_issue` for the tool `mcp__sentry__get_issue` of an MCP server. */
function serversName(name: string): string {
  const [mark, server = "", ...tool] = name.split("__");
  return mark === "mcp" && tool.length > 0 ? `${server}: ${tool.join("__")}` : name;
}

/** Null for another tool, and for arguments that are not this one's. */
function ownTitle(name: string, args: unknown): string | null {
  const title = ownTitles.get(name);
  if (title === undefined || args === null || typeof args !== "object") return null;
  const value = Object.entries(args).find(([key]) => key === title.argument)?.[1];
  if (typeof value !== "string" || value.trim() === "") return null;
  return singleLine(`${title.verb} ${value}`, MAX_TITLE_CHARS);
}

function argumentValues(parsed: unknown): string[] {
  if (parsed === null || typeof parsed !== "object") return [String(parsed ?? "")];
  const values = Object.values(parsed).map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  // A path says more than a file's content.
  const short = values.filter((value) => !value.includes("\n"));
  return short.length > 0 ? short : values;
}
