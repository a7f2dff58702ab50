// Unverified changes: files that were changed since the last command that could have shown what the change does. Pure.

import type { ToolAccess } from "../../tools/tool.ts";

export const COMMAND_TOOL = "run_command";

/** A call that was made. */
export type UsedTool = {
  readonly name: string;
  readonly access: ToolAccess;
  readonly input: unknown;
  /** False where it was refused, or failed. */
  readonly ok: boolean;
};

/** No command checks these. */
const proseEnds = [".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc"];
const proseNames = new Set([
  "license",
  "licence",
  "notice",
  "authors",
  "contributors",
  "changelog",
  "readme",
]);

export class UnverifiedChanges {
  #areThere: boolean;

  constructor(areThere = false) {
    this.#areThere = areThere;
  }

  get areThere(): boolean {
    return this.#areThere;
  }

  note({ name, access, input, ok }: UsedTool): void {
    if (!ok) return;
    if (name === COMMAND_TOOL) this.#areThere = false;
    else if (access === "write") this.#areThere ||= pathsIn(input).some(isCode);
  }
}

/** The files that a call names. */
function pathsIn(input: unknown): readonly string[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).flatMap(([key, value]) =>
    key.endsWith("path") && typeof value === "string" ? [value] : [],
  );
}

function isCode(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return !proseNames.has(name) && !proseEnds.some((end) => name.endsWith(end));
}
