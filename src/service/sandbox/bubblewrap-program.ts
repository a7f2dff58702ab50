// Starts a program in bubblewrap that goes on until it is ended: it has the view of a command, or none of the checkout, and has
// an environment that no other program sees.
// Why: docs/decisions/055-mcp-servers-in-the-sandbox.md

import type { Readable, Writable } from "node:stream";
import { lastComplaint } from "../../base/last-complaint.ts";
import type { ProgramPlace, RunningProgram, SandboxedProgram, SandboxLimit } from "../core/ports/sandbox.ts";
import { makeHome, removeHome } from "./agent-homes.ts";
import type { BubblewrapParts, RunningBubblewrap } from "./bubblewrap-process.ts";
import type { CommandGroups } from "./command-groups.ts";
import { prepareDiskWatch } from "./disk-watch.ts";
import { SandboxError } from "./sandbox-error.ts";
import { startInBubblewrap } from "./start-in-bubblewrap.ts";
import type { Watch } from "./supervise.ts";
import { treeView } from "./tree-view.ts";

const MAX_KEPT_CHARS = 8_192;

export async function startProgram(
  parts: BubblewrapParts,
  {
    place,
    program,
    groups,
  }: { readonly place: ProgramPlace; readonly program: SandboxedProgram; readonly groups: CommandGroups },
): Promise<RunningProgram> {
  const { config, host, clock } = parts;
  const { limits } = config;
  // Where the checkout is not shown, an empty folder lies in its place.
  const emptyFolder = place.isTreeShown ? null : await makeHome(config.homesFolder);
  const root = emptyFolder ?? place.checkout.root;
  const { mark, leave } = await parts.guard.enter();
  // With the machine's network there is one loopback for all.
  const isBeside = config.network === "off" && place.beside !== undefined;
  const joined = isBeside ? await groups.follow(place.beside) : null;
  const clean = async () => {
    leave();
    await joined?.leave();
    if (emptyFolder !== null) await removeHome(emptyFolder);
  };
  try {
    const git = await treeView(
      { ...place.checkout, root, ...(emptyFolder && { gitFolder: null, covered: undefined }) },
      host.tree,
    );
    const watchTree = await prepareDiskWatch({ root, maxBytes: limits.diskBytes, clock });
    const { running, watchInside } = startInBubblewrap(parts, {
      git,
      treeFolder: root,
      homeFolder: null,
      cwd: "",
      argv: program.argv,
      kind: "program",
      added: program.env,
      egressSocket: program.egressSocket,
      identity: null,
      loopback: joined?.loopback ?? null,
      hasInput: true,
      mark,
    });
    return superviseProgram(running, { watches: [watchInside, watchTree], clean });
  } catch (cause) {
    await clean();
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
    lastComplaint: () => lastComplaint(complaints),
    ended,
    end: async () => {
      isEnding = true;
      end();
      await ended;
    },
  };
}
