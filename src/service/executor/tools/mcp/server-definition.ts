// MCP servers as people write them: the JSON that other tools read too, each server with its transport and its secrets. Pure.
// Why: docs/decisions/055-mcp-servers-in-the-sandbox.md

import * as z from "zod/mini";
import type { Environment } from "../../../../base/environment.ts";
import { isObject } from "../../../../base/json.ts";
import { strictObject, unknownFieldsOf } from "../../../../base/strict-object.ts";
import {
  assertionAlgorithms,
  type ServerAuth,
  serverAuthSchema,
} from "../../../../contract/runs/mcp-auth.ts";
import {
  MAX_MCP_SERVERS,
  MCP_SERVER_NAME_FORM,
  mcpServerNamePattern,
} from "../../../../contract/runs/mcp-server-name.ts";
import { faultOfServerUrl, toolPatternsSchema } from "../../../../contract/runs/mcp-servers.ts";
import type { ServerGrant } from "../../../../federation/mcp/server-grant.ts";

const MAX_ARGUMENTS = 50;
const MAX_TEXT_CHARS = 8_192;
const MAX_VALUES = 50;
/** A line of a private key that is masked by itself. */
const LEAST_KEY_LINE_CHARS = 16;
/** Named of one server. */
const MAX_UNKNOWN_FIELDS = 5;
/** Names that usually hold secrets: a value of theirs is masked, also where it is written as it is. */
const secretName = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|KEY|AUTH|COOKIE/i;
const reference = /\$\{([^{}]*)\}/g;
const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

type McpOrigin = "operator" | "workflow" | "repository";

export type McpServer = {
  /** The model's name for it, which is in the names of its tools. */
  readonly name: string;
  readonly origin: McpOrigin;
  /** Patterns of the tools that are offered, `*` for any characters. Null: all of them. */
  readonly tools: readonly string[] | null;
  /** To be masked. Never in an event, a message or a log. */
  readonly secrets: readonly string[];
  readonly reach:
    | {
        readonly type: "program";
        readonly argv: readonly [string, ...string[]];
        readonly env: Readonly<Record<string, string>>;
        /** Whether its variables hold secrets: then it sees no file of the repository. */
        readonly hasSecrets: boolean;
      }
    | {
        readonly type: "http";
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        /** By what it is given an access token. Null: it is asked without one, or with the one in its headers. */
        readonly grant: ServerGrant | null;
      }
    /** By a connection of the account. `url` is null where the connection says it. */
    | { readonly type: "connection"; readonly connection: string; readonly url: string | null };
};

export type ReadServers = {
  readonly servers: readonly McpServer[];
  /** One line for each server that is wrong, and why. */
  readonly problems: readonly string[];
};

const line = z.string("must be text").check(
  z.maxLength(MAX_TEXT_CHARS, `must have at most ${MAX_TEXT_CHARS} characters`),
  z.refine((text) => !text.includes("\0"), "must not contain a NUL character"),
);
const values = z
  .record(z.string(), line, "must be an object of texts")
  .check(z.refine((all) => Object.keys(all).length <= MAX_VALUES, `must have at most ${MAX_VALUES} entries`));
const common = {
  tools: z.optional(toolPatternsSchema),
  disabled: z.optional(z.boolean()),
  description: z.optional(line),
};
const programFields = {
  ...common,
  type: z.optional(z.literal("stdio", 'must be "stdio" for a server with a command')),
  command: line.check(z.minLength(1, "must name a program")),
  args: z.optional(
    z
      .array(line, "must be a list of texts")
      .check(z.maxLength(MAX_ARGUMENTS, `must have at most ${MAX_ARGUMENTS} entries`)),
  ),
  env: z.optional(values),
};
const httpType = z.optional(
  z.enum(["http", "streamable-http", "streamableHttp"], 'must be "http": another transport is not supported'),
);
const connectionFields = {
  ...common,
  type: httpType,
  url: z.optional(line),
  connection: line.check(z.regex(mcpServerNamePattern, `must be ${MCP_SERVER_NAME_FORM}`)),
};
const httpFields = {
  ...common,
  type: httpType,
  url: line,
  headers: z.optional(values),
  auth: z.optional(serverAuthSchema),
};

export type ServerVariables = {
  readonly values: Environment;
  /** Whether no server is given this one, whatever its value. */
  readonly isWithheld: (name: string) => boolean;
};

type ReadOptions = {
  readonly origin: McpOrigin;
  /** The variables that `${NAME}` is taken from. Null: such a server has no secrets. */
  readonly variables: ServerVariables | null;
};

/** The servers of the text, and what is wrong with the others. A text that is no JSON has one problem, and no server. */
export function readServerText(text: string, options: ReadOptions): ReadServers {
  try {
    return readServers(JSON.parse(text), options);
  } catch {
    return { servers: [], problems: ["must be JSON of MCP servers, got text that is not JSON"] };
  }
}

/** `{"mcpServers": {…}}`, or the inner object alone. */
export function readServers(value: unknown, options: ReadOptions): ReadServers {
  const outer = asObject(value);
  const named = outer !== null && "mcpServers" in outer ? asObject(outer.mcpServers) : outer;
  if (named === null) return { servers: [], problems: ["must be an object of MCP servers by their names"] };
  const entries = Object.entries(named);
  if (entries.length > MAX_MCP_SERVERS)
    return { servers: [], problems: [`must have at most ${MAX_MCP_SERVERS} servers, got ${entries.length}`] };
  const servers: McpServer[] = [];
  const problems: string[] = [];
  for (const [name, definition] of entries) {
    const read = readServer(name, definition, options);
    if (Array.isArray(read)) problems.push(...read.map((fault) => `${shown(name)} ${fault}`));
    else if (read !== null) servers.push(read);
  }
  return { servers, problems };
}

/** Null where it is turned off; a list of what is wrong where it is wrong. */
function readServer(name: string, definition: unknown, options: ReadOptions): McpServer | string[] | null {
  if (!mcpServerNamePattern.test(name)) return [`must be ${MCP_SERVER_NAME_FORM}`];
  const about = asObject(definition);
  if (about === null) return ["must be an object"];
  if ("connection" in about) return readConnected(name, about, options);
  if ("command" in about === "url" in about) return ['must have either "command" or "url"'];
  return "command" in about ? readProgram(name, about, options) : readHttp(name, about, options);
}

function readProgram(name: string, about: object, options: ReadOptions): McpServer | string[] | null {
  const parsed = formOf(programFields, options).safeParse(about);
  if (!parsed.success) return faultsOf(parsed.error);
  const { command, args = [], env = {}, tools, disabled } = parsed.data;
  if (disabled === true) return null;
  const filled = fill(env, { ...options, place: "env" });
  const faults = [
    ...[command, ...args].flatMap((text) =>
      holdsReference(text) ? ['.command and .args must hold no variables in braces: use "env"'] : [],
    ),
    ...Object.keys(env).flatMap((key) =>
      variablePattern.test(key) ? [] : [`.env: ${shown(key)} is not the name of a variable`],
    ),
    ...filled.faults,
  ];
  if (faults.length > 0) return [...new Set(faults)];
  const reach = {
    type: "program",
    argv: [command, ...args],
    env: filled.values,
    hasSecrets: filled.hasSecrets,
  } as const;
  return { name, origin: options.origin, tools: tools ?? null, secrets: filled.secrets, reach };
}

function readHttp(name: string, about: object, options: ReadOptions): McpServer | string[] | null {
  const parsed = formOf(httpFields, options).safeParse(about);
  if (!parsed.success) return faultsOf(parsed.error);
  const { url, headers = {}, auth, tools, disabled } = parsed.data;
  if (disabled === true) return null;
  const filled = fill(headers, { ...options, place: "headers" });
  const granted = auth === undefined ? noGrant : readGrant(auth, options);
  const hasOwn = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  const fault = faultOfServerUrl(url);
  const faults = [
    ...(fault === null ? [] : [`.url ${fault}`]),
    ...filled.faults,
    ...Object.entries(filled.values).flatMap(([key, text]) =>
      isHeader(key, text) ? [] : [`.headers: ${shown(key)} is no header`],
    ),
    ...(auth !== undefined && hasOwn ? ['has both "auth" and a header Authorization: leave one out'] : []),
    ...granted.faults,
  ];
  if (faults.length > 0) return faults;
  return {
    name,
    origin: options.origin,
    tools: tools ?? null,
    secrets: [...filled.secrets, ...granted.secrets],
    reach: { type: "http", url, headers: filled.values, grant: granted.grant },
  };
}

/** What signs in is a person of an account: a run without one has no connections, and files of a repository name none. */
function readConnected(name: string, about: object, options: ReadOptions): McpServer | string[] | null {
  const { origin } = options;
  if (origin !== "workflow")
    return [
      ".connection is refused: connections of an account are for the servers that a submission to a service names (mcp-servers of a workflow that has a service)",
    ];
  const parsed = formOf(connectionFields, options).safeParse(about);
  if (!parsed.success) return faultsOf(parsed.error);
  const { url = null, connection, tools, disabled } = parsed.data;
  if (disabled === true) return null;
  const fault = url === null ? null : faultOfServerUrl(url);
  if (fault !== null) return [`.url ${fault}`];
  return {
    name,
    origin,
    tools: tools ?? null,
    secrets: [],
    reach: { type: "connection", connection, url },
  };
}

type ReadGrant = {
  readonly grant: ServerGrant | null;
  readonly secrets: readonly string[];
  readonly faults: readonly string[];
};

const noGrant: ReadGrant = { grant: null, secrets: [], faults: [] };

function readGrant(auth: ServerAuth, options: ReadOptions): ReadGrant {
  const { scope = null } = auth;
  if (auth.type === "job") {
    const { client_id: clientId = null, issuer = null } = auth;
    const fault = faultOfJobGrant(options.origin);
    return {
      ...noGrant,
      grant: { type: "job", clientId, issuer, scope },
      faults: fault === null ? [] : [fault],
    };
  }
  const { client_id: clientId, issuer } = auth;
  const isSecret = auth.type === "client_credentials";
  const key = isSecret ? "client_secret" : "private_key";
  const given = isSecret ? auth.client_secret : auth.private_key;
  const { values: filled, secrets, faults } = fill({ [key]: given }, { ...options, place: "auth" });
  const secret = filled[key] ?? "";
  if (faults.length > 0) return { ...noGrant, faults };
  if (isSecret)
    return {
      grant: { type: "client_credentials", clientId, clientSecret: secret, issuer, scope },
      secrets,
      faults: [],
    };
  const privateKey = secret.trim();
  if (!privateKey.startsWith("-----BEGIN PRIVATE KEY-----"))
    return { ...noGrant, faults: [".auth.private_key: the variable holds no private key (PKCS #8, in PEM)"] };
  const { algorithm = assertionAlgorithms[0] } = auth;
  const lines = privateKey
    .split("\n")
    .filter((text) => text.length >= LEAST_KEY_LINE_CHARS && !text.startsWith("--"));
  return {
    grant: { type: "private_key_jwt", clientId, privateKey, algorithm, issuer, scope },
    secrets: [...secrets, ...lines],
    faults: [],
  };
}

/** A job's identity is the workflow's to use: a file of the repository could have it shown to whoever it names. */
function faultOfJobGrant(origin: McpOrigin): string | null {
  switch (origin) {
    case "workflow":
      return null;
    case "operator":
      return '.auth: "job" is for the servers of a workflow: those of the operator have no job. Use "client_credentials"';
    case "repository":
      return '.auth: "job" is for the servers of a workflow: name this server there';
  }
}

/** A misspelled field would be taken for one that is left out, such as the list of tools. Files of others have fields of others. */
function formOf<Fields extends z.core.$ZodShape>(fields: Fields, { origin }: ReadOptions) {
  return origin === "repository"
    ? z.object(fields)
    : (strictObject(fields) as unknown as z.ZodMiniObject<Fields>);
}

type Filled = {
  readonly values: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly hasSecrets: boolean;
  readonly faults: readonly string[];
};

function fill(
  given: Readonly<Record<string, string>>,
  { variables, place, origin }: ReadOptions & { readonly place: "env" | "headers" | "auth" },
): Filled {
  const secrets: string[] = [];
  const faults: string[] = [];
  let hasSecrets = false;
  const entries = Object.entries(given).map(([key, text]): [string, string] => {
    const value = text.replaceAll(reference, (_, name: string) => {
      const fault = faultOfReference(name, { variables, origin });
      if (fault !== null) {
        faults.push(`.${place}.${key}: ${fault}`);
        return "";
      }
      const secret = variables?.values[name] ?? "";
      secrets.push(secret);
      hasSecrets = true;
      return secret;
    });
    if (secretName.test(key) && value !== "") {
      hasSecrets = true;
      // Of "Bearer x" the x, too.
      secrets.push(value, value.slice(value.lastIndexOf(" ") + 1));
    }
    return [key, value];
  });
  return { values: Object.fromEntries(entries), secrets: [...new Set(secrets)], hasSecrets, faults };
}

function faultOfReference(name: string, { variables, origin }: ReadOptions): string | null {
  if (!variablePattern.test(name)) return `\${${name.slice(0, 100)}} is not the name of a variable in braces`;
  if (variables === null)
    return `\${${name}} is refused: servers of the ${origin} have no secrets on a service. Ask its operator to add this server, or run without a server`;
  if (variables.isWithheld(name))
    return `\${${name}} is refused: it is a credential or a setting of the job itself. Give what this server needs a variable of its own`;
  const value = variables.values[name] ?? "";
  return value === ""
    ? `the environment variable ${name} is not set. Set it where the agent is started, in "env:" of the step`
    : null;
}

function holdsReference(text: string): boolean {
  return [...text.matchAll(reference)].some(([, name = ""]) => variablePattern.test(name));
}

/** As HTTP carries it. */
function isHeader(name: string, value: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function faultsOf(error: z.core.$ZodError): string[] {
  return error.issues.flatMap((issue) => {
    const place = issue.path
      .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
      .join("");
    const unknown = unknownFieldsOf(issue)?.slice(0, MAX_UNKNOWN_FIELDS);
    return unknown === undefined
      ? [`${place} ${issue.message}`.trim()]
      : unknown.map(({ name, text }) => `${place}.${name.slice(0, 100)} ${text}`);
  });
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return isObject(value) ? value : null;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
