// Starts a program in bubblewrap that goes on until it is ended: it sees what a command sees, or nothing of the checkout, and
// has an environment that no other program sees.
// Why: docs/decisions/055-mcp-servers-in-the-sandbox.md

import type { Readable, Writable } from "node:stream";
import type { ProgramPlace, RunningProgram, SandboxedProgram, SandboxLimit } from "../core/ports/sandbox.ts";
import { makeHome, removeHome } from "./agent-homes.ts";
import { bubblewrapStart } from "./bubblewrap-options.ts";
import { type BubblewrapParts, type RunningBubblewrap, startBubblewrap } from "./bubblewrap-process.ts";
import { prepareDiskWatch } from "./disk-watch.ts";
import { gitView } from "./git-view.ts";
import { watchProcesses } from "./process-watch.ts";
import { EGRESS_PORT, proxyVariables, RELAY_MEMORY_BYTES, RELAY_PROCESSES } from "./relay.ts";
import { SandboxError } from "./sandbox-error.ts";
import { scrubbedEnvironment } from "./scrubbed-environment.ts";
import type { Watch } from "./supervise.ts";
import { offlineVariables } from "./toolchain-variables.ts";

const MAX_KEPT_CHARS = 8_192;

export async function startProgram(
  parts: BubblewrapParts,
  { place, program }: { readonly place: ProgramPlace; readonly program: SandboxedProgram },
): Promise<RunningProgram> {
  const { config, host, clock } = parts;
  const { limits } = config;
  // Where the checkout is not shown, an empty folder lies in its place.
  const emptyFolder = place.isTreeShown ? null : await makeHome(config.homesFolder);
  const root = emptyFolder ?? place.checkout.root;
  const { mark, leave } = await parts.guard.enter();
  try {
    const git = await gitView(
      { ...place.checkout, root, ...(emptyFolder && { gitFolder: null }) },
      host.tree,
    );
    const watchTree = await prepareDiskWatch({ root, maxBytes: limits.diskBytes, clock });
    const hasRelay = program.egressSocket !== null && config.network === "off";
    const sockets = hasRelay ? [{ port: EGRESS_PORT, socket: program.egressSocket }] : [];
    const start = bubblewrapStart({
      host,
      git,
      treeFolder: root,
      homeFolder: null,
      cwd: "",
      environment: scrubbedEnvironment({
        path: host.path,
        home: host.home,
        temporary: "/tmp",
        passed: {
          ...(config.network === "off" && !hasRelay ? offlineVariables : {}),
          ...host.environment,
          ...config.passed,
        },
        added: program.env,
        proxy: hasRelay ? proxyVariables() : {},
      }),
      network: config.network,
      sockets,
      limits,
      hasFilter: parts.filter !== null,
      prlimitPath: parts.prlimitPath,
      argv: program.argv,
      kind: "program",
    });
    const running = startBubblewrap({
      args: start.args,
      data: [parts.filter ?? "", ...start.data],
      path: config.environment.PATH,
      mark,
      hasInput: true,
      inherited: parts.inherited,
    });
    const watchInside: Watch = async (signal) => {
      const inside = await running.inside;
      if (inside === null) return null;
      const maxProcesses = limits.processes + (hasRelay ? RELAY_PROCESSES : 0);
      const maxMemoryBytes = limits.memoryBytes + (hasRelay ? RELAY_MEMORY_BYTES : 0);
      return await watchProcesses({ ...inside, maxProcesses, maxMemoryBytes, clock, signal });
    };
    const clean = async () => {
      leave();
      if (emptyFolder !== null) await removeHome(emptyFolder);
    };
    return superviseProgram(running, { watches: [watchInside, watchTree], clean });
  } catch (cause) {
    leave();
    if (emptyFolder !== null) await removeHome(emptyFolder);
    throw cause;
  }
}

/** `clean` is called once, when nothing of the program is left. */
export function superviseProgram(
  running: Pick<RunningBubblewrap, "child" | "end" | "ended">,
  { watches, clean }: { readonly watches: readonly Watch[]; readonly clean: () => Promise<void> },
): RunningProgram {
  const { child, end } = running;
  // Both are pipes.
  const input = child.stdin as Writable;
  const output = child.stdout as Readable;
  let complaints = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    complaints = (complaints + chunk.toString("utf8")).slice(-MAX_KEPT_CHARS);
  });
  // A program that does not read any more has ended, or is about to.
  input.on("error", () => undefined);
  const over = new AbortController();
  let isEnding = false;
  let limit: SandboxLimit | null = null;
  const watching = watches.map(async (watch) => {
    try {
      const passed = await watch(over.signal);
      if (passed === null || over.signal.aborted) return;
      limit ??= passed;
      end();
    } catch {
      // What nobody watches does not go on.
      end();
    }
  });
  const settle = async (): Promise<string> => {
    const how = await running.ended.then(
      ({ exitCode }) =>
        exitCode === null || isEnding ? "it was ended" : `it ended with exit code ${exitCode}`,
      (cause: unknown) =>
        cause instanceof SandboxError ? `it did not start: ${cause.message}` : "it did not start",
    );
    over.abort();
    await Promise.all(watching);
    await clean();
    return limit === null ? how : `it was ended at its limit of ${limit}`;
  };
  const ended = settle();
  return {
    input,
    output,
    lastComplaint: () => complaints.trimEnd().split("\n").at(-1)?.trim() ?? "",
    ended,
    end: async () => {
      isEnding = true;
      end();
      await ended;
    },
  };
}
