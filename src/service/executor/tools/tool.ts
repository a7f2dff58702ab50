// What a tool is: a name and a schema that a model can be shown, and a run.

import * as z from "zod/mini";
import type { Checkout } from "../../core/ports/checkout.ts";

export type ToolErrorCode =
  | "invalid_input"
  | "path_refused"
  | "not_found"
  | "not_text"
  | "too_large"
  | "no_match"
  | "refused"
  | "failed";

/** A tool that said no. The message is for whoever called it: what, which, what to do. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export type ToolContext = { readonly checkout: Checkout; readonly signal: AbortSignal };

/** The same answer twice: as data for a program, as text for a model and for the log. */
export type ToolAnswer<Value> = { readonly value: Value; readonly text: string };

export type ToolAccess = "read" | "write";

export type Tool<Value> = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodMiniType;
  /** Whether a call changes the checkout: then no other runs beside it. Reads unless told. */
  readonly access?: ToolAccess;
  /** Decodes `input` by the schema and carries the call out. Rejects with a `ToolError` when it cannot. */
  run(input: unknown, context: ToolContext): Promise<ToolAnswer<Value>>;
};

export type ToolDefinition<Schema extends z.ZodMiniType, Value> = {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly access?: ToolAccess;
  find(input: z.output<Schema>, context: ToolContext): Promise<Value>;
  format(value: Value): string;
};

export function defineTool<Schema extends z.ZodMiniType, Value>(
  definition: ToolDefinition<Schema, Value>,
): Tool<Value> {
  const { name, description, input: schema, access = "read", find, format } = definition;
  return {
    name,
    description,
    input: schema,
    access,
    async run(input, context) {
      const parsed = z.safeParse(schema, input);
      if (!parsed.success) {
        throw new ToolError(
          "invalid_input",
          `The input of ${name} is wrong: ${listIssues(parsed.error.issues)}`,
        );
      }
      const value = await find(parsed.data, context);
      return { value, text: format(value) };
    },
  };
}

/** A whole number with a default, for how many of something are wanted. */
export function countInput(options: { readonly max: number; readonly fallback: number }) {
  return z._default(z.int().check(z.minimum(1), z.maximum(options.max)), options.fallback);
}

function listIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`).join("; ");
}
