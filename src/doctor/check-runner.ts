// The machine that the job runs on, or the user's own: programs that an agent and its tools find there.

import { statfs } from "node:fs/promises";
import { arch, release, tmpdir, type } from "node:os";
import type { Environment } from "../base/environment.ts";
import { ProcessNotStartedError, runProcess } from "../base/run-process.ts";
import type { DoctorCheck, Observation } from "../report/doctor-page.ts";
import { found, worstOf } from "./examination.ts";

const headings = {
  job: { id: "runner", title: "The runner" },
  own: { id: "runner", title: "This machine" },
};
const OLDEST_NODE = 24;
const TOOL_MS = 10_000;
const MIN_FREE_BYTES = 1024 ** 3;

export async function checkRunner(
  env: Environment,
  { signal, isJob }: { readonly signal: AbortSignal | undefined; readonly isJob: boolean },
): Promise<DoctorCheck> {
  const folder = env.RUNNER_TEMP || tmpdir();
  const [git, freeBytes] = await Promise.all([gitVersion(env, signal), freeBytesIn(folder)]);
  const observations = [
    ...nodeObservations(),
    ...gitObservations(git),
    ...diskObservations(freeBytes, folder),
  ];
  return found(isJob ? headings.job : headings.own, {
    state: worstOf(observations.map(({ state }) => state)),
    found:
      observations.length === 0 ? "It has what a run needs." : observations.map((one) => one.found).join(" "),
    facts: {
      Node: process.versions.node,
      system: `${type()} ${release()}, ${arch()}`,
      runner: [env.RUNNER_NAME, env.RUNNER_ENVIRONMENT].filter(Boolean).join(", "),
      git: git ?? "none",
      "free disk":
        freeBytes === null ? "not known" : `${(freeBytes / 1024 ** 3).toFixed(1)} GiB in ${folder}`,
    },
    fixes: observations.flatMap(({ fixes }) => fixes),
  });
}

/** "2.43.0"; null where there is no git. */
async function gitVersion(env: Environment, signal: AbortSignal | undefined): Promise<string | null> {
  try {
    const end = await runProcess({ command: "git", args: ["--version"], env, timeoutMs: TOOL_MS, signal });
    if (end.type !== "exited" || end.exitCode !== 0) return null;
    const line = end.stdout.toString("utf8").trim();
    return /\d+(\.\d+)+/.exec(line)?.[0] ?? line;
  } catch (cause) {
    if (cause instanceof ProcessNotStartedError) return null;
    throw cause;
  }
}

/** Null where the folder cannot be looked at. */
async function freeBytesIn(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

function nodeObservations(): Observation[] {
  const major = Number(process.versions.node.split(".", 1)[0]);
  if (major >= OLDEST_NODE) return [];
  const text = `Use Node ${OLDEST_NODE} or newer.`;
  return [{ state: "fault", found: `Node is ${process.versions.node}.`, fixes: [{ text }] }];
}

function gitObservations(git: string | null): Observation[] {
  if (git !== null) return [];
  return [
    {
      state: "warning",
      found: "There is no git in PATH: without a server, the agent has no checkout to work on.",
      fixes: [{ text: "Install git in the job's container, before actions/checkout." }],
    },
  ];
}

function diskObservations(freeBytes: number | null, folder: string): Observation[] {
  if (freeBytes === null) {
    const text = `Make ${folder} a folder that this user may read and write, or let RUNNER_TEMP (TMPDIR) name one.`;
    return [{ state: "fault", found: `The folder ${folder} cannot be looked at.`, fixes: [{ text }] }];
  }
  if (freeBytes >= MIN_FREE_BYTES) return [];
  const text = "Remove what the job does not need before the agent runs.";
  return [{ state: "warning", found: `Less than 1 GiB is free in ${folder}.`, fixes: [{ text }] }];
}
