// A tool: what it is called, what it takes, what it answers, and what it does.

import type { Tool as ToolListing } from "@modelcontextprotocol/server";
import type * as z from "zod/mini";
import type { Result } from "../../../base/result.ts";
import type { ToolSchema } from "../../../contract/mcp/tool-schema.ts";
import type { ApiScope } from "../../../contract/oauth/scopes.ts";
import { toSingleSchema } from "../../../contract/openapi/json-schema.ts";
import type { AccountCaller } from "../../core/accounts/caller.ts";
import type { Core } from "../../core/core.ts";
import type { PublicProblem } from "../../core/ports/problem.ts";
import type { RunRecord } from "../../core/runs/run-record.ts";
import type { RunSubmitter } from "../../core/runs/submit-run.ts";
import type { Refusal } from "../shared/problems/to-problem.ts";
import type { Waits } from "./waits.ts";

/** What a call has besides its arguments. */
export type ToolContext = {
  readonly core: Core;
  readonly submitter: RunSubmitter;
  /** An AI client, whatever credential the request has. */
  readonly caller: AccountCaller;
  readonly requestId: string;
  readonly waits: Waits;
  /** Aborts when the client goes away or cancels the call. */
  readonly signal: AbortSignal;
  /** Says how far the call is, where the client asked for that. `at` only grows. */
  progress(at: number, message: string): Promise<void>;
  /** Whether the client opens a page for its user when it is asked to. */
  readonly opensPages: boolean;
  /** Whether the client takes a task in the place of a result. */
  readonly takesTasks: boolean;
  /** What this tool gave the client to bring back, in a call that goes on after a question. Anybody may have written it. */
  readonly broughtBack: string | null;
};

/** What somebody else wrote: an agent, a model, a repository. */
export type Quoted = { readonly label: string; readonly text: string };
export type Link = { readonly uri: string; readonly name: string; readonly mimeType: string };

export type ToolAnswer<Structured> =
  | {
      readonly type: "answer";
      /** As the tool's output schema has it. */
      readonly structured: Structured;
      /** A few lines for the client's model. */
      readonly text: string;
      readonly quoted?: readonly Quoted[];
      readonly links?: readonly Link[];
      readonly isError?: boolean;
    }
  /** The client follows the run by itself. */
  | { readonly type: "task"; readonly run: RunRecord }
  /** The client opens a page for its user and calls again, with `bringBack`. */
  | {
      readonly type: "open_page";
      readonly url: string;
      readonly message: string;
      readonly bringBack: string;
    };

export type ToolResult<Structured> = Promise<Result<ToolAnswer<Structured>, Refusal | PublicProblem>>;

export type Hints = {
  readonly isReadOnly?: true;
  readonly isIdempotent?: true;
  readonly isDestructive?: true;
  /** What it reaches is not bounded by the service: an agent works with repositories and the network. */
  readonly isOpenWorld?: true;
};

type Definition<Input extends z.ZodMiniType, Output extends z.ZodMiniType> = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: Hints;
  /** What an access token must be good for. */
  readonly scopes: readonly ApiScope[];
  readonly schemas: { readonly input: ToolSchema<Input>; readonly output: ToolSchema<Output> };
  run(args: z.output<Input>, context: ToolContext): ToolResult<z.input<Output>>;
};

/** A tool of whichever arguments: they are decoded by `input` before it runs. */
export type Tool = {
  /** Without the schema of its answer, which would be two thirds of the list. */
  readonly listing: ToolListing;
  /** The schema of its structured content where it is not refused. */
  readonly output: ToolListing["inputSchema"];
  readonly scopes: readonly ApiScope[];
  readonly input: z.ZodMiniType;
  run(args: unknown, context: ToolContext): ToolResult<object>;
};

/** Makes the schemas that clients see, once. */
export function defineTool<Input extends z.ZodMiniType, Output extends z.ZodMiniType<unknown, object>>(
  definition: Definition<Input, Output>,
): Tool {
  const { scopes, schemas, run } = definition;
  return {
    listing: listingOf({ ...definition, input: schemas.input }),
    output: objectSchema(toSingleSchema(schemas.output)),
    scopes,
    input: schemas.input.schema,
    run: (args, context) => run(args as z.output<Input>, context),
  };
}

type Listed = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: Hints;
  readonly input: ToolSchema;
};

export function listingOf({ name, title, description, hints, input }: Listed): ToolListing {
  const inputSchema = objectSchema(toSingleSchema(input));
  return { name, title, description, inputSchema, annotations: annotationsOf(hints) };
}

/** The two hints in the middle mean something of tools that change something only, says the protocol. */
function annotationsOf(hints: Hints): ToolListing["annotations"] {
  const { isReadOnly = false, isDestructive = false, isIdempotent = false, isOpenWorld = false } = hints;
  return {
    readOnlyHint: isReadOnly,
    ...(isReadOnly ? {} : { destructiveHint: isDestructive, idempotentHint: isIdempotent }),
    openWorldHint: isOpenWorld,
  };
}

function objectSchema(schema: Readonly<Record<string, unknown>>): ToolListing["inputSchema"] {
  return { ...schema, type: "object" } as ToolListing["inputSchema"];
}

/** An answer that is more than a refusal. */
export function answer<Structured extends object>(
  structured: Structured,
  text: string,
): { readonly type: "answer"; readonly structured: Structured; readonly text: string } {
  return { type: "answer", structured, text };
}
