// The type of a tool: name, description and schema for the model, and its implementation.

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

/** The tool refused the call. The message is shown to the caller: what, which, what to do. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export type ToolContext = { readonly checkout: Checkout; readonly signal: AbortSignal };

/** The answer in two forms: data for a program, text for the model and the log. */
export type ToolAnswer<Value> = { readonly value: Value; readonly text: string };

export type ToolAccess = "read" | "write";

export type Tool<Value> = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodMiniType;
  /** Whether a call changes the checkout: then no other call runs at the same time. Default: it only reads. */
  readonly access?: ToolAccess;
  /** Decodes `input` by the schema and executes the call. Rejects with a `ToolError`. */
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
