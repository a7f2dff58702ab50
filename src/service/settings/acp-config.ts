// The settings of the coding agent that the acp backend starts: its command, what it gets, what it may. Pure.

import * as z from "zod/mini";
import { commandLine, json } from "../../base/settings/json-kinds.ts";
import { integer, matching, oneOf } from "../../base/settings/kinds.ts";
import {
  described,
  type Environment,
  type Kind,
  readSettings,
  variablesOf,
} from "../../base/settings/setting.ts";
import type { ModelAccess } from "../executor/backends/acp/model-proxy/model-access.ts";
import {
  MODEL_KEY,
  MODEL_URL,
  type ModelWire,
  wireFacts,
} from "../executor/backends/acp/model-proxy/model-wires.ts";
import {
  type AcpSettings,
  type PermissionAnswer,
  type PermissionKind,
  type PermissionPolicy,
  permissionKinds,
} from "../executor/backends/acp/settings.ts";
import { isKnownForm, secretsIn } from "./known-secrets.ts";
import { modelSettings, wireOf } from "./model-config.ts";

/** What the environment says; how the agent is confined, and where its home lies, is not part of it. */
export type AcpConfig = Omit<AcpSettings, "confine" | "homes" | "rates" | "relayPort">;

const MAX_SECONDS = 21_600;
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
const answers: readonly PermissionAnswer[] = ["allow", "reject"];
const seconds = integer({ min: 1, max: MAX_SECONDS });

/** Reads and changes of the checkout, of which only a patch leaves it; no commands, no pages. */
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

const answer = z.enum(["allow", "reject"], "must be allow or reject");
const POLICY = `allow, reject, or a JSON object of those by ${permissionKinds.join(", ")}`;
const policyByKind = json({
  allowed: POLICY,
  schema: z.pipe(
    z.partialRecord(z.enum(permissionKinds), answer, `must be ${POLICY}`),
    z.transform((given): PermissionPolicy => ({ ...defaultPolicy, ...given })),
  ),
});
const policy: Kind<PermissionPolicy> = {
  ...policyByKind,
  decode: (text) => {
    const whole = answers.find((one) => one === text);
    return whole === undefined ? policyByKind.decode(text) : { ok: true, value: whole };
  },
};

const VARIABLE_VALUE = "must be a string, or an object that is passed as JSON";
const variableName = z
  .string()
  .check(
    z.refine(
      (name) => /^[A-Za-z_]\w*$/.test(name) && name !== "HOME",
      "must be the name of a variable, not HOME",
    ),
  );
const variableValue = z.union(
  [
    z.string().check(z.refine((text) => !text.includes("\0"), VARIABLE_VALUE)),
    z.pipe(
      z.record(z.string(), z.unknown()),
      z.transform((object) => JSON.stringify(object)),
    ),
  ],
  VARIABLE_VALUE,
);

/** By the names of their environment variables, in the order of the documentation. */
export const acpSettings = {
  ACP_COMMAND: described({
    kind: commandLine('["opencode", "acp"]'),
    fallback: null,
    description:
      "The command that starts the agent. It speaks ACP on its standard input and output. `{model_url}` and `{model_key}` as in `ACP_ENV`.",
    shownDefault: "**required**",
  }),
  ACP_ENV: described({
    kind: json({
      allowed: "a JSON object of environment variables",
      schema: z.record(variableName, variableValue, "must be a JSON object of environment variables"),
      isSecret: true,
    }),
    fallback: {},
    description:
      "The agent's own settings, as environment variables. A value that is an object is passed as JSON. `{model_url}` and `{model_key}` stand for the address and the key by which it reaches its model.",
    shownDefault: "the address and the key, by the names that agents of the protocol read",
  }),
  ACP_SECRETS: described({
    kind: oneOf(["refused", "allowed"]),
    fallback: "refused",
    description:
      "`allowed` lets `ACP_ENV` and `ACP_COMMAND` hold secrets: whatever the agent executes can read them.",
  }),
  ACP_AUTH_METHOD: described({
    kind: matching("one word, the agent's own id of a login method", /^[\w.:-]{1,200}$/),
    fallback: null,
    description: "The agent's login method, for agents that need one beside their environment.",
    shownDefault: "none",
  }),
  ACP_PERMISSIONS: described({
    kind: policy,
    fallback: defaultPolicy,
    description: "The answer to the agent's permission requests, for all of them or by kind.",
    shownDefault: "reads and changes of files are allowed; commands, pages and all else are rejected",
  }),
  ACP_START_SECONDS: described({
    kind: seconds,
    fallback: 60,
    description: "How long the agent may take from its start to its session.",
  }),
  ACP_IDLE_SECONDS: described({
    kind: seconds,
    fallback: 600,
    description: "How long the agent may work without a message.",
  }),
  ACP_STOP_SECONDS: described({
    kind: seconds,
    fallback: 5,
    description: "The grace period between the steps of stopping the agent: cancel, terminate, kill.",
  }),
};

/** Null unless the backend is another agent. Adds a line to `problems` for each setting that is wrong or missing. */
export function readAcpConfig(
  environment: Environment,
  { backend, problems }: { readonly backend: string; readonly problems: string[] },
): AcpConfig | null {
  if (backend !== "acp") return null;
  const { values, problems: faults } = readSettings(acpSettings, variablesOf(environment));
  const command = values.ACP_COMMAND;
  if (command === null && faults.length === 0)
    faults.push('ACP_COMMAND must be set for BACKEND acp: a JSON list, such as ["opencode", "acp"].');
  const given = { command: command ?? [], variables: values.ACP_ENV };
  const model = readAccess(environment, faults);
  const secrets = secretsIn(values.ACP_ENV).map(({ secret }) => secret);
  if (values.ACP_SECRETS === "refused") faults.push(...secretFaults(given));
  if (model === null) faults.push(...placeholderFaults(given));
  problems.push(...faults);
  if (faults.length > 0 || command === null) return null;
  return {
    command,
    path: environment.PATH ?? DEFAULT_PATH,
    environment: values.ACP_ENV,
    secrets,
    model,
    authMethod: values.ACP_AUTH_METHOD,
    permissions: values.ACP_PERMISSIONS,
    startTimeoutMs: values.ACP_START_SECONDS * 1000,
    idleTimeoutMs: values.ACP_IDLE_SECONDS * 1000,
    stopGraceMs: values.ACP_STOP_SECONDS * 1000,
  };
}

const { MODEL_PROVIDER, MODEL_BASE_URL, MODEL_API_KEY } = modelSettings;

/** Null where no setting names a model: the agent then reaches it by itself. */
function readAccess(environment: Environment, faults: string[]): ModelAccess | null {
  const declared = { MODEL_PROVIDER, MODEL_BASE_URL, MODEL_API_KEY };
  const { values, problems } = readSettings(declared, variablesOf(environment));
  faults.push(...problems);
  const { MODEL_PROVIDER: provider, MODEL_BASE_URL: url, MODEL_API_KEY: apiKey } = values;
  if (provider === null && url === null && apiKey === null) return null;
  const wire = provider ?? (url === null ? null : wireOf(url));
  const baseUrl = url ?? (wire === null ? null : wireFacts[wire].ownBaseUrl);
  if (wire === null || baseUrl === null) {
    if (problems.length === 0) faults.push(missingAddress(wire));
    return null;
  }
  const { protocol, hostname } = new URL(baseUrl);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (apiKey !== null && protocol !== "https:" && !isLoopback)
    faults.push("MODEL_BASE_URL must begin with https:// where MODEL_API_KEY is set, or lead to loopback.");
  return { wire, baseUrl, apiKey };
}

function missingAddress(wire: ModelWire | null): string {
  return wire === null
    ? "MODEL_PROVIDER or MODEL_BASE_URL must be set beside MODEL_API_KEY: they say where the agent's model is."
    : `MODEL_BASE_URL must be set for MODEL_PROVIDER ${wire}: the address of its API, such as https://api.openai.com/v1.`;
}

type Given = {
  readonly command: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
};

function secretFaults({ command, variables }: Given): readonly string[] {
  const places = [
    ...secretsIn(variables).map(({ place }) => `ACP_ENV.${place}`),
    ...command.flatMap((argument, at) =>
      argument.split(/["'=\s]/).some(isKnownForm) ? [`ACP_COMMAND[${at}]`] : [],
    ),
  ];
  return places.map(
    (place) =>
      `${place} holds a secret, which whatever the agent executes could read. Set MODEL_API_KEY and MODEL_PROVIDER ` +
      `instead and put "${MODEL_KEY}" there, and "${MODEL_URL}" for the address; or set ACP_SECRETS=allowed.`,
  );
}

function placeholderFaults({ command, variables }: Given): readonly string[] {
  const texts = [...command, ...Object.values(variables)];
  if (!texts.some((text) => text.includes(MODEL_URL) || text.includes(MODEL_KEY))) return [];
  return [
    `MODEL_PROVIDER or MODEL_BASE_URL must be set where ${MODEL_URL} or ${MODEL_KEY} is used: they say where the agent's model is.`,
  ];
}
