// The settings of the sandbox: decoded from text, each wrong one named with what is allowed. Pure.

import { isAbsolute, join, normalize, relative } from "node:path";
import { ok, type Result, refused } from "../../base/result.ts";
import { faultOfName } from "./scrubbed-environment.ts";

export const sandboxModes = ["auto", "bubblewrap", "container", "off"] as const;
export type SandboxMode = (typeof sandboxModes)[number];

export const sandboxNetworks = ["off", "allowed"] as const;

export type SandboxLimits = {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Threads count. */
  readonly processes: number;
  /** What the tree of the checkout may weigh. */
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
  readonly limits: SandboxLimits;
  /** Of an agent that is a program of its own, with all that it starts. Its time is the run's. */
  readonly agentLimits: SandboxLimits;
  /** Where the homes of agents lie, and of commands that have no sandbox. Made when missing. */
  readonly homesFolder: string;
  /** Of this, `PATH` is used, and what reaches a container engine. */
  readonly environment: Readonly<Record<string, string | undefined>>;
};

export type ContainerCommands = {
  readonly start: readonly [string, ...string[]];
  /** Null where ending the process that `start` began ends everything. */
  readonly stop: readonly [string, ...string[]] | null;
};

/** What `{…}` in the operator's commands may stand for. */
export const placeholders = ["checkout", "cwd", "command", "name", "memory", "processes"] as const;

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
const AGENT_MEMORY_BYTES = 8192 * MEGABYTE;

/** `dataDir` is absolute. A refusal is one line for every wrong setting. */
export function decodeSandbox(
  environment: Readonly<Record<string, string | undefined>>,
  dataDir: string,
): Result<SandboxConfig, readonly string[]> {
  const problems: string[] = [];
  const textOf = (name: string) => environment[name]?.trim() ?? "";
  const oneOf = <const Value extends string>(name: string, values: readonly Value[], fallback: Value) => {
    const given = textOf(name);
    const value = given === "" ? fallback : values.find((each) => each === given);
    if (value === undefined) problems.push(`${name} must be one of ${values.join(", ")}, got "${given}".`);
    return value ?? fallback;
  };
  const wholeNumber = (name: string, range: { min: number; max: number; fallback: number }) => {
    const given = textOf(name);
    if (given === "") return range.fallback;
    const value = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (value >= range.min && value <= range.max) return value;
    problems.push(`${name} must be a whole number from ${range.min} to ${range.max}, got "${given}".`);
    return range.fallback;
  };

  const mode = oneOf("SANDBOX", sandboxModes, "auto");
  const confinement = {
    mode,
    network: oneOf("SANDBOX_NETWORK", sandboxNetworks, "off"),
    readPaths: readPaths(textOf("SANDBOX_READ_PATHS"), dataDir, problems),
    hiddenPaths: [dataDir],
    passed: passedVariables(textOf("SANDBOX_ENV"), environment, problems),
    container: containerCommands(textOf("SANDBOX_COMMAND"), textOf("SANDBOX_STOP_COMMAND"), problems),
  };
  const limits: SandboxLimits = {
    timeoutMs: wholeNumber("SANDBOX_SECONDS", { min: 1, max: 21_600, fallback: 600 }) * 1000,
    memoryBytes: wholeNumber("SANDBOX_MEMORY_MB", { min: 64, max: 1_048_576, fallback: 4096 }) * MEGABYTE,
    processes: wholeNumber("SANDBOX_PROCESSES", { min: 16, max: 100_000, fallback: 1024 }),
    diskBytes: wholeNumber("SANDBOX_DISK_MB", { min: 16, max: 1_048_576, fallback: 8192 }) * MEGABYTE,
    temporaryBytes: wholeNumber("SANDBOX_TMP_MB", { min: 1, max: 1_048_576, fallback: 512 }) * MEGABYTE,
  };
  // It holds its own memory beside that of the commands that it executes.
  const agentMemory = textOf("SANDBOX_MEMORY_MB") === "" ? { memoryBytes: AGENT_MEMORY_BYTES } : {};
  const config: SandboxConfig = {
    ...confinement,
    limits,
    agentLimits: { ...limits, ...agentMemory },
    homesFolder: join(dataDir, "homes"),
    environment,
  };
  if (mode === "container" && config.container === null)
    problems.push("SANDBOX_COMMAND must be set for SANDBOX container: the command that starts one.");
  return problems.length > 0 ? refused(problems) : ok(config);
}

function readPaths(text: string, dataDir: string, problems: string[]): readonly string[] {
  const paths = text.split(":").filter((path) => path !== "");
  for (const path of paths) {
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
    if (why !== null) problems.push(`SANDBOX_READ_PATHS: ${JSON.stringify(path)} ${why}.`);
  }
  return paths;
}

/** True when `path` is `folder` or lies in it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../") || isAbsolute(way));
}

function passedVariables(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of text.split(",").map((part) => part.trim())) {
    if (name === "") continue;
    const fault = faultOfName(name);
    if (fault !== null) problems.push(`SANDBOX_ENV: ${JSON.stringify(name)} ${fault}.`);
    const value = environment[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

function containerCommands(start: string, stop: string, problems: string[]): ContainerCommands | null {
  if (start === "") return null;
  const command = commandOf("SANDBOX_COMMAND", start, problems);
  const ending = stop === "" ? null : commandOf("SANDBOX_STOP_COMMAND", stop, problems);
  if (command === null) return null;
  for (const needed of ["{checkout}", "{command}"]) {
    if (!command.some((part) => part.includes(needed)))
      problems.push(`SANDBOX_COMMAND must contain ${needed}.`);
  }
  // Whoever ends the client of an engine has not ended the container.
  if (
    command.some((part) => part.includes("{name}")) !==
    (ending?.some((part) => part.includes("{name}")) ?? false)
  )
    problems.push("SANDBOX_COMMAND and SANDBOX_STOP_COMMAND must both contain {name}, or neither.");
  return { start: command, stop: ending };
}

function commandOf(name: string, text: string, problems: string[]): readonly [string, ...string[]] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  const parts = Array.isArray(value) && value.every((part) => typeof part === "string") ? value : [];
  const [program, ...rest] = parts;
  if (program === undefined || program === "") {
    problems.push(`${name} must be a JSON list of texts, such as ["docker", "run", …].`);
    return null;
  }
  for (const [placeholder, word = ""] of parts.join(" ").matchAll(/\{(\w+)\}/g)) {
    if (!(placeholders as readonly string[]).includes(word))
      problems.push(`${name}: ${placeholder} is none of {${placeholders.join("}, {")}}.`);
  }
  return [program, ...rest];
}
