// Tells the model the repository's notes about a file when a tool has used that file.

import type { ProjectMemory } from "../memory/project-memory.ts";
import type { Tool } from "./tool.ts";

/** Adds the notes to the first result that they concern. Calls that name no file, or that fail, are as before. */
export function withNotes<Value>(tool: Tool<Value>, memory: Pick<ProjectMemory, "noteFor">): Tool<Value> {
  return {
    ...tool,
    async run(input, context) {
      const answer = await tool.run(input, context);
      const path = pathIn(input);
      const note = path === null ? null : await memory.noteFor(path);
      return note === null ? answer : { ...answer, text: `${answer.text}\n\n${note}` };
    },
  };
}

/** As a path of the checkout; null where the call names none. */
function pathIn(input: unknown): string | null {
  if (typeof input !== "object" || input === null || !("path" in input)) return null;
  const { path } = input;
  if (typeof path !== "string") return null;
  return path
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .join("/");
}
