// Finds the sandbox that works on this machine, by a trial; logs missing parts at start, and their installation.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "../../base/clock.ts";
import { type Random, systemRandom } from "../../base/ids.ts";
import { joinWords } from "../../base/join-words.ts";
import type { Logger } from "../../base/log.ts";
import { programIn } from "../../base/program-path.ts";
import type { Sandbox } from "../core/ports/sandbox.ts";
import { bubblewrapSandbox } from "./bubblewrap.ts";
import type { BubblewrapParts } from "./bubblewrap-process.ts";
import { containerSandbox } from "./container.ts";
import { crashGuard } from "./crash-guard.ts";
import { type HostView, hostView } from "./host-view.ts";
import { inheritedDescriptors } from "./inherited-descriptors.ts";
import { blockerTexts, findBlockers } from "./sandbox-blockers.ts";
import type { SandboxConfig } from "./sandbox-config.ts";
import { SandboxError } from "./sandbox-error.ts";
import { systemCallFilter } from "./system-call-filter.ts";
import { unsandboxed } from "./unsandboxed.ts";

const PROBE_MS = 10_000;

type SandboxTools = { readonly clock?: Clock; readonly random?: Random };

/**
 * The sandbox that the operator chose, or the best there is: bubblewrap, else none. Throws a `SandboxError` when
 * the chosen one does not work: it is never replaced by a weaker one.
 */
export async function findSandbox(
  config: SandboxConfig,
  log: Logger,
  tools: SandboxTools = {},
): Promise<Sandbox> {
  const { clock = systemClock, random = systemRandom } = tools;
  const inherited = await inheritedDescriptors();
  const none = unsandboxed({ config, inherited, clock });
  switch (config.mode) {
    case "off":
      log.warn({}, "SANDBOX is off: what agents execute reaches this machine's files and network.");
      return none;
    case "container": {
      if (config.container === null)
        throw new SandboxError("sandbox_not_started", "SANDBOX is container: set SANDBOX_COMMAND.");
      log.info({}, "Agents execute commands in containers, by SANDBOX_COMMAND.");
      return containerSandbox({ config, commands: config.container, inherited, clock, random });
    }
    case "kubernetes": {
      if (config.kubernetes === null)
        throw new SandboxError("sandbox_not_started", "SANDBOX is kubernetes: set SANDBOX_KUBERNETES_POOL.");
      const { kubernetesSandbox } = await import("./kubernetes/kubernetes-sandbox.ts");
      const { pool } = config.kubernetes;
      log.info({ pool }, "Agents execute commands in pods, one for each run.");
      return await kubernetesSandbox({ config, cluster: config.kubernetes, clock, random, log });
    }
    case "bubblewrap":
    case "auto": {
      const guard = crashGuard({ path: config.environment.PATH, random });
      const given = { config, inherited, guard, clock };
      const found = await withJobsTools(given, log);
      if ("sandbox" in found) {
        tellOfWeaknesses(config, log);
        return found.sandbox;
      }
      if (config.mode === "bubblewrap") throw new SandboxError("sandbox_not_started", found.missing);
      log.warn({}, `No sandbox: only trusted repositories may execute commands. ${found.missing}`);
      return none;
    }
  }
}

type Given = Pick<BubblewrapParts, "config" | "inherited" | "guard" | "clock">;
type Tried = { readonly sandbox: Sandbox; readonly host: HostView } | { readonly missing: string };

/** The job's tools may be where bubblewrap cannot show them. A sandbox without them is better than none. */
async function withJobsTools(given: Given, log: Logger): Promise<Tried> {
  const found = await tryBubblewrap(given);
  if ("sandbox" in found) {
    const { unsearched } = found.host;
    if (unsearched.length > 0) log.warn({}, unsearchedText(unsearched));
    return found;
  }
  if (given.config.job === null) return found;
  const without = await tryBubblewrap({ ...given, config: { ...given.config, job: null } });
  if ("missing" in without) return found;
  log.warn({}, `Commands do not see the job's own tools, but those in /usr and /opt alone. ${found.missing}`);
  return without;
}

function unsearchedText(folders: readonly string[]): string {
  return `Not every file of credentials is covered in ${joinWords(folders)}, which commands see: there are too many folders to search. Keep credentials elsewhere.`;
}

async function tryBubblewrap(given: Given): Promise<Tried> {
  if (process.platform !== "linux")
    return { missing: "bubblewrap is for Linux; set SANDBOX_COMMAND instead." };
  const path = given.config.environment.PATH ?? "";
  const [bwrap, prlimit] = await Promise.all([programIn(path, "bwrap"), programIn(path, "prlimit")]);
  if (bwrap === null) return { missing: blockerTexts.no_bubblewrap };
  if (prlimit === null) return { missing: blockerTexts.no_prlimit };
  const filter = systemCallFilter(process.arch, {
    network: given.config.network === "allowed" ? "shared" : "own",
  });
  const folder = await mkdtemp(join(tmpdir(), "sandbox-probe-"));
  try {
    const parts = { ...given, host: await hostView(given.config), prlimitPath: prlimit, filter };
    const sandbox = bubblewrapSandbox(parts);
    const result = await sandbox.run(
      { root: folder, gitFolder: null, isTrusted: false },
      {
        execute: { shell: "echo in > written && cat written" },
        cwd: "",
        env: {},
        egressSocket: null,
        timeoutMs: PROBE_MS,
        maxOutputBytes: 1000,
        signal: AbortSignal.timeout(2 * PROBE_MS),
      },
    );
    if (result.ok && result.value.exitCode === 0 && result.value.output === "in\n")
      return { sandbox, host: parts.host };
    return { missing: `bubblewrap did not execute a first command. ${await howToAllow(path)}`.trim() };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "bubblewrap failed.";
    return { missing: `${why} ${await howToAllow(path)}`.trim() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Which kernel setting of this machine forbids what bubblewrap needs. */
async function howToAllow(path: string): Promise<string> {
  const [blocker] = await findBlockers(path);
  return blocker === undefined
    ? "bubblewrap 0.8 or newer is needed. In a container, its seccomp profile must allow user namespaces and mounts, " +
        "and its /proc must not be masked."
    : blockerTexts[blocker];
}

function tellOfWeaknesses(config: SandboxConfig, log: Logger): void {
  log.info({ network: config.network }, "Agents execute commands in bubblewrap.");
  if (config.network === "allowed") {
    const reach = "loopback, the local network and the address of cloud metadata included";
    log.warn({}, `SANDBOX_NETWORK is allowed: agents reach whatever this machine reaches, ${reach}.`);
  }
  if (process.getuid?.() === 0)
    log.warn(
      {},
      "The service is root: SANDBOX_PROCESSES is held by counting, not by the kernel. Use another user.",
    );
  if (systemCallFilter(process.arch, { network: "own" }) === null)
    log.warn(
      {},
      `There is no filter of system calls for ${process.arch}: namespaces alone confine commands. With the machine's ` +
        "network they reach its abstract unix sockets.",
    );
}
