// MCP servers that a submission names: reached by https, without secrets. And what a server's name, address and tools may be,
// whoever names it. Pure.

import * as z from "zod/mini";
import { field, strictObject } from "../field.ts";
import { sentAuthSchema } from "./mcp-auth.ts";
import { MAX_MCP_SERVERS, MCP_SERVER_NAME_FORM, mcpServerNamePattern } from "./mcp-server-name.ts";

const MAX_TOOL_PATTERNS = 100;
const MAX_TOOL_PATTERN_CHARS = 128;
const MAX_MCP_URL_CHARS = 2048;

export const toolPatternsSchema = z
  .array(
    z
      .string("must be the name of a tool, or a pattern with *")
      .check(
        z.minLength(1, "must not be empty"),
        z.maxLength(MAX_TOOL_PATTERN_CHARS, `must have at most ${MAX_TOOL_PATTERN_CHARS} characters`),
      ),
    "must be a list of names of tools, with * for any characters",
  )
  .check(
    z.minLength(1, "must not be empty: leave the list out to offer all tools"),
    z.maxLength(MAX_TOOL_PATTERNS, `must have at most ${MAX_TOOL_PATTERNS} entries`),
  );

/** A variable in braces, as the definitions of servers name secrets. */
const variableReference = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;
const URL_FORM = "must be an https:// URL without credentials and without variables in braces";

/** Null where a server may have this address. */
export function faultOfServerUrl(text: string): string | null {
  if (text.length > MAX_MCP_URL_CHARS) return `must have at most ${MAX_MCP_URL_CHARS} characters`;
  // Nothing fills it in: the server would be asked with the name.
  if (variableReference.test(text)) return 'must hold no variables in braces: use "headers"';
  const url = URL.parse(text);
  if (url === null || url.hostname === "") return "must be a URL, such as https://mcp.example.com/mcp";
  if (url.protocol !== "https:") return "must begin with https://";
  if (url.username !== "" || url.password !== "") return "must not hold credentials";
  return null;
}

const WITHOUT_SECRETS =
  "Such a server has no secrets, and programs are for the operator of the service: ask them to add others";

const CONNECTION_FORM = `must be the name of a connection, ${MCP_SERVER_NAME_FORM}`;
const URL_NEEDED =
  'must have "url", or "connection" alone: it is one that an owner or admin of the account has made';

const serverFields = strictObject(
  {
    type: field(z.optional(z.literal("http", 'must be "http"')), "Streamable HTTP, which is the only one."),
    url: field(
      z.optional(
        z.string("must be the https:// URL of a server: programs are for the operator of the service").check(
          z.maxLength(MAX_MCP_URL_CHARS),
          z.refine((text) => faultOfServerUrl(text) === null, URL_FORM),
        ),
      ),
      "Its address, without credentials. Its host has to be one that the run may reach. Left out beside `connection`: the connection's.",
    ),
    tools: field(
      z.optional(toolPatternsSchema),
      "The tools that are offered, with `*` for any characters. Left out: all.",
    ),
    auth: field(
      z.optional(sentAuthSchema),
      "How the run proves itself to it. Left out: the server is asked without a token.",
    ),
    connection: field(
      z.optional(z.string(CONNECTION_FORM).check(z.regex(mcpServerNamePattern, CONNECTION_FORM))),
      "The account's connection with it, by its name: the server is asked in the name of the person who signed in. Only in runs in which nobody but writers of the repository and people of the account can have a say.",
    ),
  },
  { hint: WITHOUT_SECRETS },
);

export const mcpServerSchema = serverFields.check(
  z.refine(({ url, connection }) => url !== undefined || connection !== undefined, URL_NEEDED),
  z.refine(
    ({ auth, connection }) => auth === undefined || connection === undefined,
    'has both "auth" and "connection": leave one out',
  ),
);

/** By their names. */
export const mcpServersRequestSchema = z
  .record(z.string().check(z.regex(mcpServerNamePattern)), mcpServerSchema, {
    error: ({ code }) => (code === "invalid_key" ? `must be ${MCP_SERVER_NAME_FORM}` : undefined),
  })
  .check(
    z.refine(
      (all) => Object.keys(all).length <= MAX_MCP_SERVERS,
      `must have at most ${MAX_MCP_SERVERS} servers`,
    ),
  );

export type McpServersRequest = z.infer<typeof mcpServersRequestSchema>;
