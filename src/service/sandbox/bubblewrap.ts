// Executes commands in bubblewrap: in their own namespaces, ended as a whole by killing the first process in them.
// Why: docs/decisions/017-sandbox.md

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok } from "../../base/result.ts";
import type { Sandbox, SandboxCommand, SandboxedCheckout, SandboxResult } from "../core/ports/sandbox.ts";
import type { BubblewrapParts } from "./bubblewrap-process.ts";
import { startProgram } from "./bubblewrap-program.ts";
import { CommandGroups } from "./command-groups.ts";
import { prepareDiskWatch } from "./disk-watch.ts";
import { findToolsCommand, toolsIn } from "./found-tools.ts";
import { identityWay } from "./identity-way.ts";
import { prepareCommand } from "./prepare-command.ts";
import { prepareHome } from "./prepare-home.ts";
import type { SharedLoopback } from "./relay.ts";
import { isInside } from "./sandbox-config.ts";
import { SandboxError } from "./sandbox-error.ts";
import { startInBubblewrap } from "./start-in-bubblewrap.ts";
import { argvOf, supervise } from "./supervise.ts";
import { treeView } from "./tree-view.ts";
import type { WorkingFolder } from "./working-folder.ts";

/** For all programs, asked at once. */
const TOOLS_MS = 5_000;

export function bubblewrapSandbox(parts: BubblewrapParts): Sandbox {
  let tools: readonly string[] | null = null;
  const groups = new CommandGroups();
  const sandbox: Sandbox = {
    kind: "bubblewrap",
    async facts(signal) {
      const { config, host } = parts;
      const { timeoutMs, memoryBytes, diskBytes } = config.limits;
      tools ??= await findTools(sandbox, signal);
      const hasJobsCaches = host.inHome.length > 0;
      const { tree, home } = host;
      const hasNetwork = config.network === "allowed";
      return { tree, home, hasNetwork, hasJobsCaches, timeoutMs, memoryBytes, diskBytes, tools };
    },
    async run(checkout, command) {
      const folder = await prepareCommand(checkout, command);
      if (!folder.ok) return folder;
      const { mark, leave } = await parts.guard.enter();
      try {
        // With the machine's network there is one loopback for all.
        const isOwn = parts.config.network === "off" && command.beside !== undefined;
        const joined = isOwn ? await groups.join(command.beside) : null;
        const loopback = joined?.loopback ?? null;
        try {
          return ok(await execute(parts, { checkout, command, folder: folder.value, loopback, mark }));
        } finally {
          await joined?.leave();
        }
      } finally {
        leave();
      }
    },
    start: async (place, program) => ok(await startProgram(parts, { place, program, groups })),
  };
  return sandbox;
}

/** In an empty folder: no file of a repository has a say. */
async function findTools(sandbox: Sandbox, signal: AbortSignal): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "sandbox-tools-"));
  try {
    const checkout = { root: folder, gitFolder: null, isTrusted: false };
    const command = {
      cwd: "",
      env: {},
      egressSocket: null,
      timeoutMs: TOOLS_MS,
      maxOutputBytes: 10_000,
      signal,
    };
    const found = await sandbox.run(checkout, { ...command, execute: { shell: findToolsCommand } });
    return found.ok ? toolsIn(found.value) : [];
  } catch (cause) {
    signal.throwIfAborted();
    // The first command tells what is wrong.
    if (!(cause instanceof SandboxError)) throw cause;
    return [];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Work = {
  readonly checkout: SandboxedCheckout;
  readonly command: SandboxCommand;
  readonly folder: WorkingFolder;
  readonly loopback: SharedLoopback | null;
  readonly mark: Readonly<Record<string, string>>;
};

async function execute(
  parts: BubblewrapParts,
  { checkout, command, folder, loopback, mark }: Work,
): Promise<SandboxResult> {
  const { config, clock } = parts;
  const { limits } = config;
  const timeoutMs = Math.min(command.timeoutMs, command.longestMs ?? limits.timeoutMs);
  const { host } = parts;
  const git = await treeView({ ...checkout, root: folder.root }, host.tree);
  const home = checkout.home ?? null;
  if (home !== null) await prepareHome(home, host);
  const watchTrees = await Promise.all(
    [folder.root, home, loopback?.folder ?? null]
      .filter((root) => root !== null)
      .map((root) => prepareDiskWatch({ root, maxBytes: limits.diskBytes, clock })),
  );
  const identity = await identityWay(command.identity, {
    loopback: config.network === "off" ? "own" : "machine",
  });
  command.signal.throwIfAborted();
  const { running, watchInside } = startInBubblewrap(parts, {
    git,
    treeFolder: folder.root,
    homeFolder: home,
    // What a command in the background puts in the place of a folder there would be in the way of the next command's.
    isHomeReadOnly:
      command.beside?.isBackground === true && (host.inHome.length > 0 || isInside(host.tree, host.home)),
    cwd: folder.within,
    argv: argvOf(command.execute),
    kind: "command",
    added: command.env,
    egressSocket: command.egressSocket,
    identity,
    loopback,
    onMade: command.onStart,
    hasInput: command.stdin !== undefined,
    mark,
  });
  return await supervise({ ...running, command, watches: [watchInside, ...watchTrees], timeoutMs, clock });
}
