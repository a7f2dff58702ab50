// `agent-service serve` as a process of its own, which a test may end in any way.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), "../..");
/** The Node that the project installs: whatever runs the tests may be older. */
const NODE = join(PROJECT, "node_modules/node/bin", process.platform === "win32" ? "node.exe" : "node");
/** Built before the first test. */
const COMMAND = join(PROJECT, "npm/cli.mjs");

export type Exit = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #stderr: string[] = [];
  readonly #ready = Promise.withResolvers<string | null>();
  /** Resolves when the process has ended and all that it printed is here. */
  readonly ended: Promise<Exit>;

  /** Starts the command, or the test's own `entry`. It gets this environment and PATH, nothing else. */
  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}, entry = COMMAND) {
    this.#child = spawn(NODE, [entry, ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error("The process has no output.");
    createInterface({ input: stdout }).on("line", (line) => {
      this.#lines.push(line);
      const url = /"url":"([^"]+)".*"msg":"ready"/.exec(line)?.[1];
      if (url !== undefined) this.#ready.resolve(url);
    });
    stderr.on("data", (chunk) => this.#stderr.push(String(chunk)));
    this.ended = once(this.#child, "close").then(([code, signal]) => {
      this.#ready.resolve(null);
      return { code, signal, stdout: this.#lines.join("\n"), stderr: this.#stderr.join("") };
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Where it listens, once it does. Rejects when it ended before. */
  async ready(): Promise<string> {
    const url = await this.#ready.promise;
    if (url !== null) return url;
    const { code, stdout, stderr } = await this.ended;
    throw new Error(`The service ended with ${code} before it was ready.\n${stdout}\n${stderr}`);
  }

  /** Sends this process, and no other, a signal. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<Exit> {
    this.signal("SIGKILL");
    return await this.ended;
  }
}

/** Runs the command to its end. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Exit> {
  return await new ServiceProcess(args, env).ended;
}
