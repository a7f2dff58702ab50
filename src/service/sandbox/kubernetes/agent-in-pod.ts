// A coding agent in the pod of its run: a program that goes on, with the ports that lead to its model, a home that comes back, and nothing
// in its place that may configure it and that the checkout does not have.
// Why: docs/decisions/186-coding-agents-and-setups-in-pods.md

import type { ProcessExit } from "../../../base/piped-process.ts";
import { PathRules } from "../../../contract/paths/path-rules.ts";
import type { AgentStart, PassedLimit, StartedAgent } from "../../core/ports/agent-start.ts";
import { SandboxError } from "../sandbox-error.ts";
import { type Frame, FrameError } from "./frames.ts";
import { LocalTree } from "./local-tree.ts";
import { callPod, type PodPlace } from "./pod-call.ts";
import { PodCopy } from "./pod-copy.ts";
import type { PodProgram, PodProgramEnd } from "./pod-program-call.ts";

/** Below the working folder of the pod. */
export const AGENT_HOME = "agent-home";
const MEGABYTE = 1024 * 1024;
/** Paths that git ignores. */
const MAX_TOLD_PATHS = 2_000_000;
const rules = new PathRules();

/** The copy of its home: what is the agent's own work comes back. */
export function homeCopy({ home, homeRules }: Pick<AgentStart, "home" | "homeRules">): PodCopy {
  const { passedOver, isLeftOut, maxBytes } = homeRules;
  const tree = new LocalTree({ root: home, gitFolder: null, hasGit: false, isLeftOut });
  return new PodCopy({ tree, name: AGENT_HOME, passedOver: [...passedOver], maxBytes });
}

/**
 * Removes what git ignores and what may configure an agent: setup can have made it, of a tree that writers did not make. What the checkout
 * has of it was hidden there.
 */
export async function hideInPod(place: PodPlace, signal: AbortSignal): Promise<void> {
  let found = new Set<string>();
  let told = 0;
  await callPod(place, {
    header: () => ({ call: "ignored" }),
    begin: () => {
      found = new Set();
      told = 0;
    },
    take: ({ path }: Frame) => {
      told += 1;
      if (told > MAX_TOLD_PATHS) throw new FrameError("The pod names more files than it may hold.");
      const hidden = rules.placeOf(path, "agent");
      if (hidden !== null) found.add(hidden);
    },
    signal,
  });
  if (found.size === 0) return;
  const answer = await callPod(place, { header: () => ({ call: "remove", paths: [...found] }), signal });
  if (answer.ok !== true)
    throw new SandboxError(
      "sandbox_not_started",
      "What setup made in the pod to configure agents cannot be removed.",
    );
}

export function startedAgent(
  program: PodProgram,
  { files }: { readonly files: NonNullable<StartedAgent["files"]> },
): StartedAgent {
  const { input, output, complaints, ended } = program;
  const closed = new AbortController();
  ended.then(() => closed.abort());
  return {
    input,
    output,
    complaints,
    exited: ended.then(exitOf),
    closed: closed.signal,
    signal: (name) => {
      if (name === "SIGTERM") program.terminate();
      else void program.end();
    },
    watch: async (signal) => {
      const end = await Promise.race([ended, aborted(signal)]);
      return end === null ? null : limitOf(end);
    },
    files,
  };
}

async function aborted(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return null;
  return await new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(null), { once: true }),
  );
}

function exitOf(end: PodProgramEnd): ProcessExit {
  switch (end.type) {
    case "exited":
      return { type: "exited", exitCode: end.exitCode, signal: end.signal };
    case "not_started":
      return { type: "not_started", code: `${end.code} in the pod` };
    case "ended":
      return { type: "exited", exitCode: null, signal: "SIGKILL" };
    // Where its pod is lost its run goes to another worker: nobody goes on with it here.
    case "failed":
    case "cut":
      return { type: "cut" };
  }
}

function limitOf(end: PodProgramEnd): PassedLimit | null {
  if (end.type !== "exited" || end.limit === null) return null;
  const { limit, allowedBytes } = end.limit;
  const setting = limit === "disk" ? "SANDBOX_DISK_MB" : "the memory limit of the pods' template";
  return { limit, allowed: Math.round(allowedBytes / MEGABYTE), setting };
}
