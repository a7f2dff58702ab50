// Adds the diagnostics of the repository's linters to the answer of a tool that changes a file.

import type { EditDiagnostics } from "../diagnostics/edit-diagnostics.ts";
import { relativePath } from "./checkout-path.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** For tools with the file as `path`. A call that fails is as before. */
export function withDiagnostics<Value>(
  tool: Tool<Value>,
  diagnostics: Pick<EditDiagnostics, "around">,
): Tool<Value> {
  return {
    ...tool,
    async run(input, context) {
      const path = await pathIn(input, context);
      if (path === null) return await tool.run(input, context);
      const { root } = context.checkout;
      const at = { root, path, signal: context.signal };
      const { value: answer, text } = await diagnostics.around(at, () => tool.run(input, context));
      return text === null ? answer : { ...answer, text: `${answer.text}\n\n${text}` };
    },
  };
}

/** Null where the call names none that can be edited: the tool says why. */
async function pathIn(input: unknown, { checkout }: ToolContext): Promise<string | null> {
  if (typeof input !== "object" || input === null || !("path" in input)) return null;
  if (typeof input.path !== "string") return null;
  return await relativePath(checkout.root, input.path).catch(() => null);
}
