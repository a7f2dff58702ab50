// Tools of a server that the model is offered, their names and their bounds. What a server says of its tools was written by
// others. Pure.

import { hash } from "node:crypto";
import type { McpServer } from "./server-definition.ts";

const MAX_TOOLS_OF_SERVER = 60;
/** Providers allow 128 tools in a request. */
export const MAX_TOOLS_OF_RUN = 100;
const MAX_NAME_CHARS = 64;
const HASH_CHARS = 6;
const MAX_DESCRIPTION_CHARS = 1_024;
const MAX_SCHEMA_CHARS = 12_000;
const MAX_SCHEMA_DEPTH = 24;
/** As Anthropic allows it, the strictest; looked up on 2026-11-22. */
const propertyPattern = /^[A-Za-z0-9_.-]{1,64}$/;
const schemaTypes = ["string", "number", "integer", "boolean", "object", "array", "null"];

type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as its server lists it. */
export type ListedTool = {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
};

export type OfferedTool = {
  /** The model's name for it. */
  readonly name: string;
  /** The server's name for it. */
  readonly ownName: string;
  readonly description: string;
  readonly schema: JsonSchema;
  /** As its server says. */
  readonly isReadOnly: boolean;
};

type Offer = {
  readonly offered: readonly OfferedTool[];
  /** Why others are not, one line each. */
  readonly notes: readonly string[];
};

export function offerTools(
  { name: server, tools: patterns }: Pick<McpServer, "name" | "tools">,
  listed: readonly ListedTool[],
  maxNameChars = MAX_NAME_CHARS,
): Offer {
  const offered: OfferedTool[] = [];
  const notes: string[] = [];
  const leftOut: string[] = [];
  let more = 0;
  for (const tool of listed) {
    if (patterns !== null && !patterns.some((pattern) => matches(pattern, tool.name))) continue;
    const schema = usableSchema(tool.inputSchema);
    const name = uniqueName({ server, tool: tool.name, maxNameChars }, offered);
    if (schema === null || name === null) leftOut.push(tool.name.slice(0, 100));
    else if (offered.length === MAX_TOOLS_OF_SERVER) more += 1;
    else
      offered.push({
        name,
        ownName: tool.name,
        schema,
        description: `(MCP server ${server}) ${plainText(tool.description ?? "")}`.trim(),
        isReadOnly: tool.annotations?.readOnlyHint === true,
      });
  }
  if (leftOut.length > 0)
    notes.push(
      `left out, because models do not take their schemas: ${plainText(leftOut.slice(0, 10).join(", "))}`,
    );
  if (more > 0) notes.push(`${more} more are left out: name those that you need in "tools"`);
  if (offered.length === 0 && patterns !== null && listed.length > 0)
    notes.push('none of its tools is named in "tools"');
  return { offered, notes };
}

/** `*` stands for any characters. Linear in both. */
function matches(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === name;
  const last = rest.pop() ?? "";
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Null where even a name of its own does not set it apart. */
function uniqueName(
  {
    server,
    tool,
    maxNameChars,
  }: { readonly server: string; readonly tool: string; readonly maxNameChars: number },
  others: readonly OfferedTool[],
): string | null {
  const isTaken = (name: string) => others.some((other) => other.name === name);
  const plain = `mcp__${server}__${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  if (plain.length <= maxNameChars && !isTaken(plain)) return plain;
  const mark = `_${hash("sha256", tool).slice(0, HASH_CHARS)}`;
  const marked = plain.slice(0, maxNameChars - mark.length) + mark;
  return isTaken(marked) ? null : marked;
}

/** One line's worth of prose, without characters that do not show. */
export function plainText(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]+/gu, " ").trim();
  return plain.length > MAX_DESCRIPTION_CHARS
    ? `${plain.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed()}…`
    : plain;
}

/** As it can stand in a request: one schema that a provider refuses would end every request of the run. Null: it cannot. */
function usableSchema(schema: JsonSchema): JsonSchema | null {
  // At the top providers take an object alone. Without its other conditions the server itself checks more.
  const { $schema: _, $id: __, anyOf: ___, oneOf: ____, allOf: _____, ...rest } = schema;
  if ((rest.type ?? "object") !== "object") return null;
  const usable = { ...rest, type: "object", properties: rest.properties ?? {} };
  const text = JSON.stringify(usable);
  if (text.length > MAX_SCHEMA_CHARS || text.includes("\\u0000")) return null;
  return isSchema(usable, 0) ? usable : null;
}

function isSchema(value: unknown, depth: number): boolean {
  if (typeof value === "boolean") return true;
  if (typeof value !== "object" || value === null || Array.isArray(value) || depth > MAX_SCHEMA_DEPTH)
    return false;
  return Object.entries(value).every(([key, inner]) => isKeyword(key, inner, depth + 1));
}

function isKeyword(key: string, value: unknown, depth: number): boolean {
  switch (key) {
    case "type":
      return [value].flat().every((type) => schemaTypes.includes(String(type)));
    case "properties":
      return (
        isMapOfSchemas(value, depth) &&
        Object.keys(value ?? {}).every((property) => propertyPattern.test(property))
      );
    case "$defs":
    case "definitions":
    case "patternProperties":
    case "dependentSchemas":
      return isMapOfSchemas(value, depth);
    case "required":
      return Array.isArray(value) && value.every((name) => typeof name === "string");
    case "enum":
      return Array.isArray(value);
    case "items":
    case "additionalProperties":
    case "not":
    case "contains":
    case "propertyNames":
      return isSchema(value, depth);
    case "anyOf":
    case "oneOf":
    case "allOf":
    case "prefixItems":
      return Array.isArray(value) && value.length > 0 && value.every((one) => isSchema(one, depth));
    case "$ref":
      return typeof value === "string" && value.startsWith("#");
    default:
      return true;
  }
}

function isMapOfSchemas(value: unknown, depth: number): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((inner) => isSchema(inner, depth))
  );
}
