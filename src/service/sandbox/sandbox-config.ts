// The settings of the sandbox. Pure.

import { isAbsolute, join, normalize, relative } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import { commandLine } from "../../base/settings/json-kinds.ts";
import { integer, listOf, oneOf } from "../../base/settings/kinds.ts";
import { described, readSettings, type ValuesOf, variablesOf } from "../../base/settings/setting.ts";
import { type KubernetesConfig, kubernetesSettings, readKubernetes } from "./kubernetes-config.ts";
import { faultOfName } from "./scrubbed-environment.ts";

const sandboxModes = ["auto", "bubblewrap", "container", "kubernetes", "off"] as const;
type SandboxMode = (typeof sandboxModes)[number];

const sandboxNetworks = ["off", "allowed"] as const;

export type SandboxLimits = {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Threads count. */
  readonly processes: number;
  /** The size that the tree of the checkout may have. */
  readonly diskBytes: number;
  /** Of each of `/tmp`, the home folder and shared memory; they are memory. */
  readonly temporaryBytes: number;
};

export type SandboxConfig = {
  readonly mode: SandboxMode;
  readonly network: (typeof sandboxNetworks)[number];
  /** Visible beside the toolchain, read-only. */
  readonly readPaths: readonly string[];
  /** Never visible, even where they lie inside something that is: the service's data. */
  readonly hiddenPaths: readonly string[];
  /** Variables that commands get with their values here. */
  readonly passed: Readonly<Record<string, string>>;
  readonly container: ContainerCommands | null;
  readonly kubernetes: KubernetesConfig | null;
  readonly limits: SandboxLimits;
  readonly setup: { readonly timeoutMs: number; readonly cacheBytes: number };
  /** Of an agent that is a program of its own, with all that it starts. Its time is the run's. */
  readonly agentLimits: SandboxLimits;
  /** The job whose checkout commands work in: they see its tools. Null for a service of its own. */
  readonly job: { readonly checkout: string } | null;
  /** The folder of the homes of agents, and of commands that have no sandbox. Made when missing. */
  readonly homesFolder: string;
  /** Of this, `PATH` is used, and what reaches a container engine. */
  readonly environment: Readonly<Record<string, string | undefined>>;
};

export type ContainerCommands = {
  readonly start: readonly [string, ...string[]];
  /** Null where ending the process that `start` began ends everything. */
  readonly stop: readonly [string, ...string[]] | null;
};

/** Names that `{…}` in the operator's commands may stand for. */
const placeholders = ["checkout", "cwd", "command", "name", "memory", "processes"] as const;

/** Paths under which secrets, sockets or the kernel lie. */
const neverVisible = [
  "/",
  "/proc",
  "/sys",
  "/dev",
  "/run",
  "/var",
  "/var/run",
  "/root",
  "/home",
  "/etc",
  "/tmp",
];

const MEGABYTE = 1024 * 1024;
const COMMAND_MEMORY_MB = 4096;
const AGENT_MEMORY_MB = 8192;

const megabytes = (min: number) => integer({ min, max: 1_048_576 });
const command = commandLine('["docker", "run", "…"]');

/** By the names of their environment variables, in the order of the documentation. */
export const sandboxSettings = {
  SANDBOX: described({
    kind: oneOf(sandboxModes),
    fallback: "auto",
    description:
      "`auto` uses bubblewrap where it works, `bubblewrap` requires it, `container` uses `SANDBOX_COMMAND`, `kubernetes` a pod for each run, `off` executes commands without a sandbox: they can reach this machine.",
  }),
  SANDBOX_NETWORK: described({
    kind: oneOf(sandboxNetworks),
    fallback: "off",
    description: "`allowed` gives commands the machine's network.",
  }),
  SANDBOX_READ_PATHS: described({
    kind: listOf({
      allowed: "a list of absolute paths, separated by colons",
      separator: /:/,
      item: (text) => text,
    }),
    fallback: [],
    description: "Folders of tools that commands may read beside the usual ones.",
    shownDefault: "none",
  }),
  SANDBOX_ENV: described({
    kind: listOf({
      allowed: "a list of names of environment variables, separated by commas",
      separator: /,/,
      item: (text) => text,
    }),
    fallback: [],
    description: "Environment variables that commands get. Names that secrets usually have are refused.",
    shownDefault: "none",
  }),
  SANDBOX_COMMAND: described({
    kind: command,
    fallback: null,
    description:
      "With `SANDBOX=container`: the command that starts a container, with `{checkout}` and `{command}`.",
    shownDefault: "none",
  }),
  SANDBOX_STOP_COMMAND: described({
    kind: command,
    fallback: null,
    description: "The command that stops that container, with `{name}`.",
    shownDefault: "none",
  }),
  ...kubernetesSettings,
  SANDBOX_SECONDS: described({
    kind: integer({ min: 1, max: 21_600 }),
    fallback: 600,
    description: "How long one command may take.",
  }),
  SANDBOX_MEMORY_MB: described({
    kind: megabytes(64),
    fallback: null,
    description: "The memory of one command, or of a coding agent with all that it starts.",
    shownDefault: "`4096`; for a coding agent `8192`",
  }),
  SANDBOX_PROCESSES: described({
    kind: integer({ min: 16, max: 100_000 }),
    fallback: 1024,
    description: "Processes and threads of one command.",
  }),
  SANDBOX_DISK_MB: described({
    kind: megabytes(16),
    fallback: 8192,
    description: "The size that the checkout may grow to.",
  }),
  SANDBOX_TMP_MB: described({
    kind: megabytes(1),
    fallback: 512,
    description: "The size of each temporary folder. They are in memory.",
  }),
  SETUP_SECONDS: described({
    kind: integer({ min: 1, max: 3_600 }),
    fallback: 900,
    description: "How long a repository's setup script may take.",
  }),
  SETUP_CACHE_MB: described({
    kind: integer({ min: 0, max: 10_485_760 }),
    fallback: 10_240,
    description:
      "What this node keeps of what setup scripts left, in `DATA_DIR`, for later runs. One repository has at most a quarter of it. 0 keeps nothing.",
  }),
};

/** `dataDir` is absolute. A refusal is one line for every wrong setting. */
export function decodeSandbox(
  environment: Environment,
  dataDir: string,
): Result<SandboxConfig, readonly string[]> {
  const { values, problems } = readSettings(sandboxSettings, variablesOf(environment));
  problems.push(
    ...values.SANDBOX_READ_PATHS.flatMap((path) => faultOfReadPath(path, dataDir)),
    ...values.SANDBOX_ENV.flatMap(faultOfPassedVariable),
    ...faultsOfContainer(values),
  );
  const isChosen = values.SANDBOX === "kubernetes";
  const kubernetes = readKubernetes(values, { isChosen, environment, problems });
  if (problems.length > 0) return refused(problems);
  const memoryMegabytes = values.SANDBOX_MEMORY_MB;
  const limits: SandboxLimits = {
    timeoutMs: values.SANDBOX_SECONDS * 1000,
    memoryBytes: (memoryMegabytes ?? COMMAND_MEMORY_MB) * MEGABYTE,
    processes: values.SANDBOX_PROCESSES,
    diskBytes: values.SANDBOX_DISK_MB * MEGABYTE,
    temporaryBytes: values.SANDBOX_TMP_MB * MEGABYTE,
  };
  return ok({
    mode: values.SANDBOX,
    network: values.SANDBOX_NETWORK,
    readPaths: values.SANDBOX_READ_PATHS,
    hiddenPaths: [dataDir],
    passed: pickVariables(values.SANDBOX_ENV, environment),
    container:
      values.SANDBOX_COMMAND === null
        ? null
        : { start: values.SANDBOX_COMMAND, stop: values.SANDBOX_STOP_COMMAND },
    kubernetes,
    limits,
    setup: {
      timeoutMs: values.SETUP_SECONDS * 1000,
      cacheBytes: values.SETUP_CACHE_MB * MEGABYTE,
    },
    // An agent holds its own memory beside that of the commands that it executes.
    agentLimits: { ...limits, memoryBytes: (memoryMegabytes ?? AGENT_MEMORY_MB) * MEGABYTE },
    job: null,
    homesFolder: join(dataDir, "homes"),
    environment,
  });
}

function faultOfReadPath(path: string, dataDir: string): readonly string[] {
  const plain = normalize(path).replace(/(.)\/$/, "$1");
  const why = !isAbsolute(path)
    ? "is not absolute"
    : neverVisible.includes(plain)
      ? "is too wide; name the folder of one tool"
      : /^\/(proc|sys|dev|run|var\/run)\//.test(plain)
        ? "leads to the machine itself"
        : isInside(plain, dataDir) || isInside(dataDir, plain)
          ? "holds the service's data, or lies in it"
          : null;
  return why === null ? [] : [`SANDBOX_READ_PATHS: ${JSON.stringify(path)} ${why}.`];
}

/** True when `path` is `folder` or lies in it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../") || isAbsolute(way));
}

function faultOfPassedVariable(name: string): readonly string[] {
  const fault = faultOfName(name);
  return fault === null ? [] : [`SANDBOX_ENV: ${JSON.stringify(name)} ${fault}.`];
}

function pickVariables(names: readonly string[], environment: Environment): Record<string, string> {
  const entries = names.map((name): [string, string | undefined] => [name, environment[name]]);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function faultsOfContainer(values: ValuesOf<typeof sandboxSettings>): readonly string[] {
  const { SANDBOX: mode, SANDBOX_COMMAND: start, SANDBOX_STOP_COMMAND: stop } = values;
  if (start === null) {
    return mode === "container"
      ? ["SANDBOX_COMMAND must be set for SANDBOX container: the command that starts one."]
      : [];
  }
  const holds = (parts: readonly string[] | null, placeholder: string) =>
    parts?.some((part) => part.includes(placeholder)) ?? false;
  return [
    ...unknownPlaceholders("SANDBOX_COMMAND", start),
    ...unknownPlaceholders("SANDBOX_STOP_COMMAND", stop ?? []),
    ...["{checkout}", "{command}"]
      .filter((needed) => !holds(start, needed))
      .map((needed) => `SANDBOX_COMMAND must contain ${needed}.`),
    // To stop the client of a container engine does not stop the container.
    ...(holds(start, "{name}") === holds(stop, "{name}")
      ? []
      : ["SANDBOX_COMMAND and SANDBOX_STOP_COMMAND must both contain {name}, or neither."]),
  ];
}

function unknownPlaceholders(setting: string, parts: readonly string[]): readonly string[] {
  return [...parts.join(" ").matchAll(/\{(\w+)\}/g)]
    .filter(([, word = ""]) => !(placeholders as readonly string[]).includes(word))
    .map(([placeholder]) => `${setting}: ${placeholder} is none of {${placeholders.join("}, {")}}.`);
}
