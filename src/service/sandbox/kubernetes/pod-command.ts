// A command in a pod: the variables that it gets, and how it ended. Pure.

import type { SandboxLimit, SandboxResult } from "../../core/ports/sandbox.ts";
import type { BoundedOutput } from "../bounded-output.ts";
import type { SandboxConfig } from "../sandbox-config.ts";
import { scrubbedEnvironment } from "../scrubbed-environment.ts";
import { offlineVariables } from "../toolchain-variables.ts";
import { FrameError } from "./frames.ts";

const limits: ReadonlySet<unknown> = new Set<SandboxLimit>(["time", "output", "memory", "disk"]);

/** Of the pod are the path, the home and the folder for temporary files. */
export function variablesOf({
  network,
  passed,
  added,
  proxy,
  identity,
}: {
  readonly network: SandboxConfig["network"];
  readonly passed: Readonly<Record<string, string>>;
  readonly added: Readonly<Record<string, string>>;
  /** Null where the command reaches none. */
  readonly proxy: Readonly<Record<string, string>> | null;
  /** Variables that name the relay of the run's ID tokens. */
  readonly identity: Readonly<Record<string, string>>;
}): Readonly<Record<string, string>> {
  const all = scrubbedEnvironment({
    path: "",
    home: "",
    temporary: "",
    passed: { ...(network === "off" && proxy === null ? offlineVariables : {}), ...passed },
    added,
    proxy: proxy ?? {},
    identity,
  });
  const { PATH, HOME, TMPDIR, ...rest } = all;
  const isAsked = (name: string) => name in passed || name in added;
  return Object.fromEntries([
    ...Object.entries(rest),
    ...Object.entries({ PATH, HOME, TMPDIR }).filter(([name]) => isAsked(name)),
  ]) as Readonly<Record<string, string>>;
}

/** Throws a `FrameError` for an end that is none. */
export function endOf(end: Readonly<Record<string, unknown>>, output: BoundedOutput): SandboxResult {
  const { exitCode, signal, limit, durationMs } = end;
  const isCode = exitCode === null || (Number.isInteger(exitCode) && typeof exitCode === "number");
  const isSignal = signal === null || (typeof signal === "string" && /^SIG[A-Z0-9]{2,10}$/.test(signal));
  if (!isCode || !isSignal || typeof durationMs !== "number")
    throw new FrameError("The pod tells of no end of the command.");
  const passed = limits.has(limit) ? (limit as SandboxLimit) : undefined;
  return {
    exitCode: passed === undefined ? (exitCode as number | null) : null,
    signal: passed === undefined ? (signal as string | null) : "SIGKILL",
    output: output.text(),
    truncated: output.truncated,
    timedOut: passed === "time",
    durationMs,
    ...(passed === undefined ? {} : { limit: passed }),
  };
}
