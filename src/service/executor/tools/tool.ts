// The type of a tool: name, description and schema for the model, and its implementation.
// Why: docs/decisions/051-the-tools.md

import * as z from "zod/mini";
import { once } from "../../../base/once.ts";
import type { Checkout } from "../../core/checkouts/checkout.ts";
import type { CallEffect } from "../call-effect.ts";
import { jsonSchemaOf, readInput } from "./tool-input.ts";

type ToolErrorCode =
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

export type ToolContext = {
  readonly checkout: Checkout;
  readonly signal: AbortSignal;
  /** The count of calls of this tool that are made at once, this one included. Default: it is the only one. */
  readonly callsAtOnce?: number;
  /** The place of the call in its run. Default: it has none. */
  readonly call?: string;
};

/** An image for the model. */
export type ToolImage = { readonly label: string; readonly mediaType: string; readonly base64: string };

/** The answer in two forms: data for a program, text for the model and the log. */
export type ToolAnswer<Value> = {
  readonly value: Value;
  readonly text: string;
  /** Images that the model is shown in addition. */
  readonly images?: readonly ToolImage[];
};

export type ToolAccess = "read" | "write";

export type Tool<Value> = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodMiniType;
  /** The schema as the model is shown it. */
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** Whether a call changes the checkout: then no other call runs at the same time. Default: it only reads. */
  readonly access?: ToolAccess;
  /** Whether a call may act outside of the run and its files: it is never made twice. */
  readonly isOutside?: boolean;
  /** Another worker makes a call of such a tool again: it goes on with what the first one has begun. */
  readonly isRepeatable?: boolean;
  /** Of somebody else's: what it says of its access is believed for its turn alone. */
  readonly isForeign?: boolean;
  /** Decodes `input` by the schema and executes the call. Rejects with a `ToolError`. */
  run(input: unknown, context: ToolContext): Promise<ToolAnswer<Value>>;
};

export function effectOf<Value>({ access = "read", isForeign = false }: Tool<Value>): CallEffect {
  return isForeign || access === "write" ? "maybe_files" : "none";
}

type ToolDefinition<Schema extends z.ZodMiniType, Value> = {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly access?: ToolAccess;
  readonly isOutside?: boolean;
  readonly isRepeatable?: boolean;
  find(input: z.output<Schema>, context: ToolContext): Promise<Value>;
  format(value: Value): string;
  images?(value: Value): readonly ToolImage[];
};

export function defineTool<Schema extends z.ZodMiniType, Value>(
  definition: ToolDefinition<Schema, Value>,
): Tool<Value> {
  const {
    name,
    description,
    input: schema,
    access = "read",
    isOutside = false,
    isRepeatable = false,
    find,
    format,
    images,
  } = definition;
  const jsonSchema = once(() => jsonSchemaOf(schema));
  return {
    name,
    description,
    input: schema,
    get jsonSchema() {
      return jsonSchema();
    },
    access,
    isOutside,
    isRepeatable,
    async run(given, context) {
      const { input, ignored } = readInput(jsonSchema(), given);
      const parsed = z.safeParse(schema, input);
      if (!parsed.success) {
        throw new ToolError(
          "invalid_input",
          `The input of ${name} is wrong: ${listIssues(parsed.error.issues)}`,
        );
      }
      const value = await find(parsed.data, context);
      const text = format(value);
      const noted = ignored.length === 0 ? text : `${ignoredText(ignored, jsonSchema())}\n${text}`;
      return { value, text: noted, ...(images === undefined ? {} : { images: images(value) }) };
    },
  };
}

/** A wrong name must not go unnoticed: the answer is to another question than was asked. */
function ignoredText(ignored: readonly string[], { properties }: Readonly<Record<string, unknown>>): string {
  const shown = ignored.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 60)));
  const known = Object.keys(properties ?? {}).join(", ");
  return `[ignored, for there is no such parameter: ${shown.join(", ")}. The parameters are: ${known || "none"}]`;
}

function listIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`).join("; ");
}
