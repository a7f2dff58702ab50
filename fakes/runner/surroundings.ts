// Runs a program's recipe in this process, in the surroundings that a process of its own would have: environment, output,
// working directory, exit code, proxy, authorities of TLS. It takes a tenth of the processor time of a process. One at a time.

import { readFileSync } from "node:fs";
import { setGlobalProxyFromEnv } from "node:http";
import { Readable } from "node:stream";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

let isTaken = false;

/** Whether a program runs in this process now: another one needs a process of its own. */
export function areSurroundingsTaken(): boolean {
  return isTaken;
}

export type Surroundings = {
  /** Exactly what `process.env` holds. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told of what is written to either stream. */
  readonly print: (text: string, stream: "stdout" | "stderr") => void;
  /** The working directory. This process's own unless told. */
  readonly folder?: string;
  /** All of its standard input. Nothing unless told. */
  readonly input?: string;
};

/** Runs it to its end, and returns the exit code that it set. Rejects as it does. */
export async function runInside(
  program: () => Promise<unknown>,
  surroundings: Surroundings,
): Promise<number> {
  if (isTaken) throw new Error("A program is at work in this process.");
  isTaken = true;
  const restore = replace(surroundings);
  try {
    await program();
    return Number(process.exitCode ?? 0);
  } finally {
    restore();
    isTaken = false;
  }
}

function replace({ env, print, folder, input = "" }: Surroundings): () => void {
  const variables = { ...process.env };
  const { exitCode } = process;
  const before = process.cwd();
  const leaveNetwork = enterNetwork(env);
  const restoreInput = replaceInput(input);
  const streams = (["stdout", "stderr"] as const).map((name) => ({ name, write: process[name].write }));
  replaceVariables(env);
  process.exitCode = undefined;
  if (folder !== undefined) process.chdir(folder);
  for (const { name } of streams) process[name].write = writer((text) => print(text, name));
  return () => {
    for (const { name, write } of streams) process[name].write = write;
    leaveNetwork();
    restoreInput();
    process.chdir(before);
    process.exitCode = exitCode;
    replaceVariables(variables);
  };
}

function replaceInput(text: string): () => void {
  const before = Object.getOwnPropertyDescriptor(process, "stdin");
  if (before === undefined) throw new Error("This process has no standard input.");
  const value = Readable.from(text === "" ? [] : [Buffer.from(text)]);
  Object.defineProperty(process, "stdin", { value, configurable: true });
  return () => Object.defineProperty(process, "stdin", before);
}

/** Takes the proxy and the authorities of these variables, as Node does at the start of a process that has them. Returns how to leave them. */
export function enterNetwork(env: Surroundings["env"]): () => void {
  const authorities = getCACertificates("default");
  const extra = env.NODE_EXTRA_CA_CERTS;
  if (extra !== undefined) setDefaultCACertificates([...authorities, readFileSync(extra, "utf8")]);
  const restoreProxy = env.NODE_USE_ENV_PROXY === "1" ? setGlobalProxyFromEnv(env) : null;
  return () => {
    restoreProxy?.();
    if (extra !== undefined) setDefaultCACertificates(authorities);
  };
}

/** The three forms of `write`, of which the last argument may be told when it is done. */
function writer(print: (text: string) => void): NodeJS.WriteStream["write"] {
  return (chunk: string | Uint8Array, ...rest: unknown[]) => {
    print(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
    const done = rest.at(-1);
    if (typeof done === "function") queueMicrotask(() => done());
    return true;
  };
}

function replaceVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value;
}
