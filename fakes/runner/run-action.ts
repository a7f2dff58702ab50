// Runs a built entry of the Action as a GitHub runner would, and reads what it wrote as a runner would.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readActionInputs } from "./action-manifest.ts";
import { parseFileCommands } from "./file-commands.ts";
import { type Annotation, processLog } from "./log-commands.ts";
import { areSurroundingsTaken, runInside } from "./surroundings.ts";

const PROJECT = join(import.meta.dirname, "../..");

/** A runner's times between the signals of a cancelled job. */
const TERMINATE_AFTER_MS = 7_500;
const KILL_AFTER_MS = 2_500;

export type RunActionOptions = {
  /** Exactly what the process gets, beside PATH, inputs, state and the command files. */
  readonly env: Readonly<Record<string, string>>;
  readonly entry: "main" | "post";
  /** What `with:` gives; the rest has the defaults of action.yml. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** What an earlier entry saved. */
  readonly state?: Readonly<Record<string, string>>;
  /** Cancels the job when it aborts: SIGINT, SIGTERM 7.5 s later, SIGKILL 2.5 s after that. */
  readonly signal?: AbortSignal;
  /** Sent instead of SIGINT, and nothing after it. */
  readonly kill?: NodeJS.Signals;
  /** Told of each line as it is printed, to act at a moment of the job. */
  readonly onLine?: (line: string) => void;
  /** Another build of the entry. */
  readonly script?: string;
  /** The folder of another version of the Action, which is a process of its own. */
  readonly action?: string;
  /**
   * "process" unless told: the built entry as a process of its own, as on a runner. "inside" runs its source in this process: for what
   * does not depend on the process. A step that may be cancelled, one with NODE_OPTIONS, and a second one at the same time are processes
   * nevertheless.
   */
  readonly where?: "process" | "inside";
};

export type ActionResult = {
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;
  /** What a reader of the job sees: commands gone, secrets masked. */
  readonly log: string;
  /** What the process printed. */
  readonly rawLog: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly annotations: readonly Annotation[];
  readonly masks: readonly string[];
  readonly groups: readonly string[];
  /** Commands that the Action has no reason to give: somebody else's text was obeyed. */
  readonly injectedCommands: readonly string[];
};

/**
 * Runs one entry to its end, with command files of its own as every step has. Without RUNNER_TEMP in `env` the step's
 * files stay in a new folder for the caller to read.
 */
export async function runAction(options: RunActionOptions): Promise<ActionResult> {
  const folder = await mkdtemp(join(tmpdir(), "runner-"));
  try {
    const files = {
      GITHUB_OUTPUT: join(folder, "output"),
      GITHUB_STATE: join(folder, "state"),
      GITHUB_STEP_SUMMARY: join(folder, "summary"),
    };
    for (const path of Object.values(files)) await writeFile(path, "");
    const env = {
      PATH: process.env.PATH ?? "",
      RUNNER_TEMP: folder,
      ...options.env,
      ...files,
      ...inputVariables(options),
      ...stateVariables(options.state ?? {}),
    };
    const ended = mayRunInside(options) ? await runSource(options, env) : await runProcess(options, env);
    const log = processLog(ended.rawLog);
    return {
      ...ended,
      ...log,
      outputs: parseFileCommands(await readFile(files.GITHUB_OUTPUT, "utf8")),
      state: { ...options.state, ...parseFileCommands(await readFile(files.GITHUB_STATE, "utf8")) },
      summary: await readFile(files.GITHUB_STEP_SUMMARY, "utf8"),
    };
  } finally {
    if (options.env.RUNNER_TEMP !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

function mayRunInside({ where, signal, env, action }: RunActionOptions): boolean {
  return (
    where === "inside" &&
    action === undefined &&
    signal === undefined &&
    !areSurroundingsTaken() &&
    env.NODE_OPTIONS === undefined
  );
}

/** Inputs as a runner hands them over: a name in capitals, blanks as underscores, hyphens as they are. */
function inputVariables(options: RunActionOptions): Record<string, string> {
  const { inputs = {} } = options;
  const known = readActionInputs({ githubToken: "ghs_of_this_job", matrix: "null" }, options.action);
  for (const name of Object.keys(inputs)) {
    if (!(name in known)) throw new Error(`action.yml has no input "${name}".`);
  }
  const entries = Object.entries({ ...known, ...inputs });
  return Object.fromEntries(
    entries.map(([name, value]) => [`INPUT_${name.replaceAll(" ", "_").toUpperCase()}`, value]),
  );
}

function stateVariables(state: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]));
}

type Ended = Pick<ActionResult, "exitCode" | "exitSignal" | "rawLog">;

async function runSource(options: RunActionOptions, env: Record<string, string>): Promise<Ended> {
  const log = readLines(options.onLine);
  const { run } = await load(options.entry);
  const exitCode = await runInside(() => run(), { env, print: log.take });
  return { exitCode, exitSignal: null, rawLog: log.text() };
}

/** The recipe. What dist/main.cjs does before it, the comment without a command, only the process shows. */
async function load(entry: RunActionOptions["entry"]): Promise<{ run(): Promise<void> }> {
  return entry === "main"
    ? await import("../../src/action/run-agent.ts")
    : await import("../../src/action/post.ts");
}

/** Keeps what is printed and tells of each whole line. */
function readLines(onLine: RunActionOptions["onLine"]) {
  let text = "";
  let unread = "";
  return {
    text: () => text,
    take: (chunk: string) => {
      text += chunk;
      const lines = (unread + chunk).split("\n");
      unread = lines.pop() ?? "";
      for (const line of lines) onLine?.(line);
    },
  };
}

async function runProcess(options: RunActionOptions, env: Record<string, string>): Promise<Ended> {
  const script = options.script ?? join(options.action ?? PROJECT, "dist", `${options.entry}.cjs`);
  const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "pipe"] });
  const log = readLines(options.onLine);
  child.stdout.setEncoding("utf8").on("data", log.take);
  child.stderr.setEncoding("utf8").on("data", log.take);

  const timers: NodeJS.Timeout[] = [];
  const cancel = () => {
    child.kill(options.kill ?? "SIGINT");
    if (options.kill !== undefined) return;
    timers.push(setTimeout(() => child.kill("SIGTERM"), TERMINATE_AFTER_MS));
    timers.push(setTimeout(() => child.kill("SIGKILL"), TERMINATE_AFTER_MS + KILL_AFTER_MS));
  };
  if (options.signal?.aborted === true) cancel();
  options.signal?.addEventListener("abort", cancel, { once: true });
  try {
    const [exitCode, exitSignal] = await once(child, "close");
    return { exitCode, exitSignal, rawLog: log.text() };
  } finally {
    options.signal?.removeEventListener("abort", cancel);
    for (const timer of timers) clearTimeout(timer);
  }
}
