// The settings of the coding agent that the acp backend starts: its command, its environment, its rights. Pure.

import { basename } from "node:path";
import * as z from "zod/mini";
import type { Environment } from "../../base/environment.ts";
import { commandLine, json } from "../../base/settings/json-kinds.ts";
import { integer, matching, oneOf } from "../../base/settings/kinds.ts";
import { described, type Kind, readSettings, variablesOf } from "../../base/settings/setting.ts";
import {
  COPILOT_API_URL,
  type CodingAgentName,
  codingAgentNames,
  codingAgents,
  copilotUrl,
} from "../../contract/ci/coding-agents.ts";
import { type KnownAgent, knownAgent } from "../executor/backends/acp/known-agents.ts";
import { MODEL_KEY, MODEL_URL } from "../executor/backends/acp/model-proxy/model-wires.ts";
import {
  type AcpSettings,
  type PermissionAnswer,
  type PermissionKind,
  type PermissionPolicy,
  permissionKinds,
} from "../executor/backends/acp/settings.ts";
import { readAgentsAccess } from "./acp-model.ts";
import { isKnownForm, secretsIn } from "./known-secrets.ts";
import { type ModelReading, modelSettings } from "./model-config.ts";
import { type ModelIdentity, readModelIdentity } from "./model-identity.ts";

/** The part of the settings that the environment says; how the agent is confined, and where its home lies, is not part of it. */
export type AcpConfig = Omit<
  AcpSettings,
  "confine" | "gateway" | "homes" | "openServers" | "places" | "rates" | "relayPort"
> & {
  /** By whose trust the service gets a token in place of the model's key; null: by none. */
  readonly identity: ModelIdentity | null;
  /** The agent whose program is looked for in PATH, by its name. Null: `command` is the operator's own. */
  readonly agent: CodingAgentName | null;
  /** The model that it is pointed to. Null: the agent chooses by itself. */
  readonly chosenModel: string | null;
};

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
  ACP_AGENT: described({
    kind: oneOf(codingAgentNames),
    fallback: null,
    description:
      "A coding agent by its name, in place of `ACP_COMMAND`: its program is looked for in `PATH`, and it is pointed to `MODEL`.",
    shownDefault: "none: `ACP_COMMAND`",
  }),
  COPILOT_API_URL: described({
    kind: copilotUrl,
    fallback: null,
    description:
      "The API of GitHub Copilot for `ACP_AGENT=copilot`, where no other provider is named: that of GitHub Enterprise Cloud with data residency, or of a plan.",
    shownDefault: `\`${COPILOT_API_URL}\``,
  }),
  ACP_COMMAND: described({
    kind: commandLine('["opencode", "acp"]'),
    fallback: null,
    description:
      "The command that starts the agent. It speaks ACP on its standard input and output. `{model_url}` and `{model_key}` as in `ACP_ENV`.",
    shownDefault: "**required** without `ACP_AGENT`",
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
  ACP_MODE: described({
    kind: matching("one word, the agent's own id of a session mode", /^[\w.:-]{1,200}$/),
    fallback: null,
    description:
      "The mode that the agent's session is put into, for agents that begin in one that asks for no permission.",
    shownDefault: "the agent's own",
  }),
  ACP_PERMISSIONS: described({
    kind: policy,
    fallback: defaultPolicy,
    description: "The answer to the agent's permission requests, for all of them or by kind.",
    shownDefault: "reads and changes of files are allowed; commands, pages and all else are rejected",
  }),
  ACP_START_SECONDS: described({
    kind: seconds,
    // opencode needs more than a minute on a machine that has much to do.
    fallback: 180,
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
  ACP_KEEP_SECONDS: described({
    kind: seconds,
    fallback: 30,
    description:
      "How often the agent's work is kept, for another worker to go on with when this one is lost: what it did since then is done again.",
  }),
};

/** Null unless the backend is another agent. Adds a line to `problems` for each setting that is wrong or missing. */
export function readAcpConfig(
  environment: Environment,
  { backend, needsKey, problems }: ModelReading,
): AcpConfig | null {
  if (backend !== "acp") return null;
  const { values, problems: faults } = readSettings(acpSettings, variablesOf(environment));
  const { ACP_AGENT: agent, ACP_COMMAND: ownCommand } = values;
  if (agent === null && ownCommand === null && faults.length === 0)
    faults.push(
      'ACP_COMMAND must be set for BACKEND acp: a JSON list, such as ["opencode", "acp"]. Or set ACP_AGENT and MODEL.',
    );
  if (agent !== null && ownCommand !== null)
    faults.push("ACP_AGENT and ACP_COMMAND exclude each other: set one of them.");
  const given = { command: ownCommand ?? [], variables: values.ACP_ENV };
  const identity = readModelIdentity(environment, faults);
  const model = readAgentsAccess(environment, {
    agent,
    copilotUrl: values.COPILOT_API_URL ?? COPILOT_API_URL,
    identity,
    needsKey,
    faults,
  });
  const choosesModel = model?.wire === "copilot";
  const chosenModel = agent === null ? null : readChosenModel(environment, { agent, choosesModel, faults });
  const known =
    agent === null || model === null ? null : knownAgent(agent, { model: chosenModel, wire: model.wire });
  const secrets = secretsIn(values.ACP_ENV).map(({ secret }) => secret);
  if (values.ACP_SECRETS === "refused") faults.push(...secretFaults(given));
  if (model === null) faults.push(...placeholderFaults(given));
  problems.push(...faults);
  const command = agent === null ? ownCommand : commandOf(agent, known);
  if (faults.length > 0 || command === null) return null;
  return {
    title: agent === null ? basename(command[0]) : codingAgents[agent].title,
    command,
    agent,
    chosenModel,
    path: environment.PATH ?? DEFAULT_PATH,
    environment: { ...known?.environment, ...values.ACP_ENV },
    homeFiles: known?.homeFiles ?? {},
    secrets,
    identity,
    model,
    mode: values.ACP_MODE ?? known?.mode ?? null,
    authMethod: values.ACP_AUTH_METHOD ?? known?.authMethod ?? null,
    asksForFiles: known?.asksForFiles ?? true,
    answersWithErrors: known?.answersWithErrors ?? false,
    permissions: values.ACP_PERMISSIONS,
    startTimeoutMs: values.ACP_START_SECONDS * 1000,
    idleTimeoutMs: values.ACP_IDLE_SECONDS * 1000,
    stopGraceMs: values.ACP_STOP_SECONDS * 1000,
    keepEveryMs: values.ACP_KEEP_SECONDS * 1000,
  };
}

const { MODEL } = modelSettings;

/** Null where it is wrong or missing. */
function readChosenModel(
  environment: Environment,
  {
    agent,
    choosesModel,
    faults,
  }: {
    readonly agent: CodingAgentName;
    /** Whether it does without a name. */
    readonly choosesModel: boolean;
    readonly faults: string[];
  },
): string | null {
  const { values, problems } = readSettings({ MODEL }, variablesOf(environment));
  faults.push(...problems);
  if (values.MODEL === null && !choosesModel && problems.length === 0)
    faults.push(`MODEL must be set for ACP_AGENT ${agent}: the model, as its API calls it.`);
  return values.MODEL;
}

function commandOf(agent: CodingAgentName, known: KnownAgent | null): AcpSettings["command"] | null {
  return known === null ? null : [codingAgents[agent].program, ...known.args];
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
