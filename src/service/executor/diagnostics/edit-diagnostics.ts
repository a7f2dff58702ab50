// Executes a repository's linters around an edit of a file, and reports new diagnostics. A linter that is missing, slow or
// broken is not executed again in the run; nothing of it makes an edit fail.
// Why: docs/decisions/069-diagnostics-after-an-edit.md

import { singleLine } from "../../../base/untrusted-text.ts";
import type { Sandbox, SandboxedCheckout, SandboxResult } from "../../core/ports/sandbox.ts";
import { readTextFile } from "../tools/text-file.ts";
import { ToolError } from "../tools/tool.ts";
import { type FoundLinter, findLinters } from "./find-linters.ts";
import { diagnosticsText, newDiagnostics, type Said } from "./new-diagnostics.ts";
import type { Diagnostic } from "./read-output.ts";

const MAX_MS = 10_000;
/** Of all executions of one linter in a run. */
const MAX_TOTAL_MS = 120_000;
const MAX_OUTPUT_BYTES = 256 * 1024;
const MAX_REASON_CHARS = 200;

/** As a shell says it of a program that it does not find, or may not execute. */
const missingCodes: ReadonlySet<number | null> = new Set([126, 127]);
const startScript = 'command -v "$1" >/dev/null 2>&1 || exit 127; exec "$@"';

type EditDiagnosticsParts = {
  readonly sandbox: Pick<Sandbox, "run">;
  /** Parts that the sandbox needs in addition to the tree. */
  readonly checkout: Omit<SandboxedCheckout, "root">;
  /** Of one execution. Default 10 s. */
  readonly maxMs?: number;
};

/** A file as it is at one time. */
type FileState = {
  readonly root: string;
  readonly path: string;
  readonly text: string;
  readonly signal: AbortSignal;
};

type LinterState = {
  /** Why it is not executed any more; null: it is. */
  off: string | null;
  totalMs: number;
};

export class EditDiagnostics {
  readonly #parts: EditDiagnosticsParts;
  readonly #states = new Map<string, LinterState>();
  /** The last diagnostics of a file, and the text that they are of. */
  readonly #known = new Map<string, { readonly text: string; readonly said: Said }>();
  /** The last output of a linter of projects, of all files. */
  readonly #projects = new Map<string, readonly Diagnostic[]>();
  readonly #untold: string[] = [];

  constructor(parts: EditDiagnosticsParts) {
    this.#parts = parts;
  }

  /** Edits the file at `path`, relative to the root. Rejects as `edit` does; `text` is null where there is nothing to say. */
  async around<Value>(
    { root, path, signal }: Omit<FileState, "text">,
    edit: () => Promise<Value>,
  ): Promise<{ readonly value: Value; readonly text: string | null }> {
    const found = await findLinters(root, path).catch(() => []);
    if (found.length === 0) return { value: await edit(), text: null };
    const before = await textOf(root, path);
    if (before !== null)
      await this.#sayAll(found, { root, path, text: before, signal }, { mayBeOlder: true });
    const known = found.map((one) => this.#baseline(one, path));
    const value = await edit();
    const after = await textOf(root, path);
    if (after === null) return { value, text: null };
    await this.#sayAll(found, { root, path, text: after, signal }, { mayBeOlder: false });
    const fresh = found.flatMap((one, at) => {
      const said = this.#known.get(keyOf(one, path));
      const was = known[at] ?? null;
      const isUnsure = one.linter.isUnsureOfNew === true && (was === null || was.diagnostics.length > 0);
      return said?.text !== after || isUnsure ? [] : newDiagnostics(was, said.said);
    });
    const notes = this.#untold.splice(0);
    const told = [diagnosticsText(path, fresh), ...notes].filter((part) => part !== null);
    return { value, text: told.length === 0 ? null : told.join("\n") };
  }

  /** The diagnostics before the edit. Null where nobody knows. */
  #baseline(found: FoundLinter, path: string): Said | null {
    return this.#known.get(keyOf(found, path))?.said ?? null;
  }

  /** Executes every linter on the file, unless it has seen this text. `mayBeOlder`: what it said of the project will do. */
  async #sayAll(
    found: readonly FoundLinter[],
    file: FileState,
    { mayBeOlder }: { readonly mayBeOlder: boolean },
  ): Promise<void> {
    const ready = found.filter((one) => this.#stateOf(one).off === null);
    const readers = ready.filter(({ linter }) => linter.isForSyntax !== true);
    await Promise.all(
      (readers.length === 0 ? ready : readers).map(async (one) => {
        const key = keyOf(one, file.path);
        if (this.#known.get(key)?.text === file.text) return;
        this.#known.delete(key);
        const older = mayBeOlder ? this.#projects.get(projectOf(one)) : undefined;
        const diagnostics = older?.filter((some) => isAbout(some, one)) ?? (await this.#execute(one, file));
        if (diagnostics === null) return;
        const said = { linter: one.linter.name, diagnostics, lines: file.text.split("\n") };
        this.#known.set(key, { text: file.text, said });
      }),
    );
  }

  /** Null where the linter has nothing to say, now or any more. Never rejects. */
  async #execute(found: FoundLinter, { root, signal }: FileState): Promise<readonly Diagnostic[] | null> {
    const { sandbox, checkout, maxMs = MAX_MS } = this.#parts;
    const { linter, folder, program, path } = found;
    const command = ["/bin/sh", "-c", startScript, "sh", program, ...linter.args(path)] as const;
    const ended = await sandbox
      .run(
        { root, ...checkout },
        {
          execute: { argv: [...command] },
          cwd: folder,
          env: {},
          egressSocket: null,
          timeoutMs: maxMs,
          maxOutputBytes: MAX_OUTPUT_BYTES,
          signal,
        },
      )
      .catch(() => null);
    if (signal.aborted) return null;
    const state = this.#stateOf(found);
    if (ended === null || !ended.ok || missingCodes.has(ended.value.exitCode)) {
      state.off = "it is missing";
      return null;
    }
    const result = ended.value;
    const printed = linter.read(result.output);
    state.totalMs += result.durationMs;
    state.off = faultOf(result, { isUnread: printed.length === 0, totalMs: state.totalMs });
    if (state.off !== null) {
      this.#untold.push(
        `[${linter.name} is not executed after edits any more: ${state.off}. Execute it yourself before you finish, where you can.]`,
      );
    }
    if (state.off !== null && (printed.length === 0 || result.limit !== undefined)) return null;
    if (linter.isOfProject === true) this.#projects.set(projectOf(found), printed);
    return printed.filter((one) => isAbout(one, found));
  }

  #stateOf(found: FoundLinter): LinterState {
    const key = `${found.linter.name}\n${found.folder}`;
    const state = this.#states.get(key) ?? { off: null, totalMs: 0 };
    this.#states.set(key, state);
    return state;
  }
}

/** Why a linter is not executed again. Null: it is. */
function faultOf(
  { exitCode, limit, output }: SandboxResult,
  { isUnread, totalMs }: { readonly isUnread: boolean; readonly totalMs: number },
): string | null {
  if (limit === "time") return "it took too long";
  if (limit !== undefined) return `it reached a limit (${limit})`;
  if (exitCode === null) return "it was ended by a signal";
  if (exitCode !== 0 && isUnread) {
    const last = output.trim().split("\n").at(-1) ?? "";
    return `it failed with exit code ${exitCode}: ${singleLine(last, MAX_REASON_CHARS)}`;
  }
  return totalMs > MAX_TOTAL_MS ? "it has taken too much time in sum" : null;
}

/** Linters name a file relative to where they are executed, or by its place in the sandbox. */
function isAbout({ path }: Diagnostic, { path: asked }: FoundLinter): boolean {
  const relative = asked.slice("./".length);
  if (path === null || path === relative || path === asked) return true;
  return path.startsWith("/") && path.endsWith(`/${relative}`);
}

function projectOf({ linter, folder, path }: FoundLinter): string {
  return JSON.stringify([linter.name, folder, linter.args(path)]);
}

function keyOf({ linter, folder }: FoundLinter, path: string): string {
  return `${linter.name}\n${folder}\n${path}`;
}

/** Null where there is no such text file. */
async function textOf(root: string, path: string): Promise<string | null> {
  return await readTextFile({ root }, path).catch((cause: unknown) => {
    if (cause instanceof ToolError) return null;
    throw cause;
  });
}
