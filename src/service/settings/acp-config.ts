// The settings of the agent that the acp backend starts: its command, what it gets, what it may. Decoded from text,
// each wrong one named with what is allowed. Pure.

import {
  type AcpSettings,
  type PermissionAnswer,
  type PermissionKind,
  type PermissionPolicy,
  permissionKinds,
} from "../executor/backends/acp/settings.ts";

export const acpSettingNames = [
  "ACP_COMMAND",
  "ACP_ENV",
  "ACP_AUTH_METHOD",
  "ACP_PERMISSIONS",
  "ACP_START_SECONDS",
  "ACP_IDLE_SECONDS",
  "ACP_STOP_SECONDS",
] as const;
export type AcpSettingName = (typeof acpSettingNames)[number];

/** What the environment says; how the agent is confined, and where its home lies, is not part of it. */
export type AcpConfig = Omit<AcpSettings, "confine" | "homes">;

type Environment = Readonly<Record<string, string | undefined>>;

/** What a setting may be. `read` returns undefined for what it may not be. */
type Kind<Value> = {
  readonly allowed: string;
  readonly read: (text: string) => Value | undefined;
  readonly isSecret?: true;
};

const MAX_SECONDS = 21_600;
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const answers: readonly PermissionAnswer[] = ["allow", "reject"];

/** Reads and changes of the checkout, which nothing but a patch leaves; no commands, no pages. */
const defaultPolicy: Readonly<Record<PermissionKind, PermissionAnswer>> = {
  read: "allow",
  edit: "allow",
  delete: "allow",
  move: "allow",
  search: "allow",
  think: "allow",
  execute: "reject",
  fetch: "reject",
  other: "reject",
};

const command: Kind<AcpConfig["command"]> = {
  allowed: 'a JSON list of texts, such as ["opencode", "acp"]',
  read: (text) => {
    const parts = parseJson(text);
    if (!Array.isArray(parts) || !parts.every(isArgument)) return undefined;
    const [program, ...rest] = parts;
    return program === undefined || program === "" ? undefined : [program, ...rest];
  },
};

const variables: Kind<AcpConfig["environment"]> = {
  allowed: "a JSON object of variables without HOME; a value is a text, or an object that is given as JSON",
  isSecret: true,
  read: (text) => {
    const object = parseJson(text);
    if (!isObject(object)) return undefined;
    const entries = Object.entries(object).map(([name, value]): [string, unknown] => [
      name,
      isObject(value) ? JSON.stringify(value) : value,
    ]);
    const isRight = (entry: [string, unknown]): entry is [string, string] =>
      VARIABLE_NAME.test(entry[0]) && entry[0] !== "HOME" && isArgument(entry[1]);
    return entries.every(isRight) ? Object.fromEntries(entries) : undefined;
  },
};

const policy: Kind<PermissionPolicy> = {
  allowed: `allow, reject, or a JSON object of those by ${permissionKinds.join(", ")}`,
  read: (text) => {
    const whole = answers.find((answer) => answer === text);
    if (whole !== undefined) return whole;
    const object = parseJson(text);
    if (!isObject(object)) return undefined;
    const isRight = ([name, value]: [string, unknown]) =>
      permissionKinds.some((kind) => kind === name) && answers.some((answer) => answer === value);
    return Object.entries(object).every(isRight) ? { ...defaultPolicy, ...object } : undefined;
  },
};

const methodId: Kind<string> = {
  allowed: "one word, as the agent calls its way to log in",
  read: (text) => (/^[\w.:-]{1,200}$/.test(text) ? text : undefined),
};

const seconds: Kind<number> = {
  allowed: `a whole number from 1 to ${MAX_SECONDS}`,
  read: (text) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_SECONDS ? Number(text) : undefined,
};

/** Null where ACP_COMMAND is not set. Adds a line to `problems` for each wrong setting. */
export function readAcpConfig(environment: Environment, problems: string[]): AcpConfig | null {
  const textOf = (name: AcpSettingName) => environment[name]?.trim() ?? "";
  const take = <Value, Fallback>(name: AcpSettingName, kind: Kind<Value>, fallback: Fallback) => {
    const text = textOf(name);
    if (text === "") return fallback;
    const value = kind.read(text);
    if (value !== undefined) return value;
    const got = kind.isSecret === true ? "something else" : `"${text}"`;
    problems.push(`${name} must be ${kind.allowed}, got ${got}.`);
    return fallback;
  };

  const given = take("ACP_COMMAND", command, null);
  const config = {
    path: environment.PATH ?? DEFAULT_PATH,
    environment: take("ACP_ENV", variables, {}),
    authMethod: take("ACP_AUTH_METHOD", methodId, null),
    permissions: take("ACP_PERMISSIONS", policy, defaultPolicy),
    startTimeoutMs: take("ACP_START_SECONDS", seconds, 60) * 1000,
    idleTimeoutMs: take("ACP_IDLE_SECONDS", seconds, 600) * 1000,
    stopGraceMs: take("ACP_STOP_SECONDS", seconds, 5) * 1000,
  };
  return given === null ? null : { command: given, ...config };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a process can be given. */
function isArgument(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0");
}
