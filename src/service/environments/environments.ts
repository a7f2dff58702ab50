// Executes setup scripts in the sandbox, each with a home of its own that the run's commands find again, or copies what an
// equal script left.
// Why: docs/decisions/047-setup-and-its-cache.md

import { arch, platform } from "node:os";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Checkout } from "../core/checkouts/checkout.ts";
import type { EnvironmentRequest, Environments, PreparedEnvironment } from "../core/checkouts/environment.ts";
import type { PackSink, PlaceArchive } from "../core/ports/place-archive.ts";
import type { Sandbox, SandboxedCheckout, SandboxKind } from "../core/ports/sandbox.ts";
import type { TaskOrigin } from "../core/runs/shell-policy.ts";
import { CopyRefusedError } from "./copy-folder.ts";
import type { EnvironmentCache } from "./environment-cache.ts";
import { type EnvironmentKeys, environmentKeys } from "./environment-key.ts";
import { restoreEntry, restorePack } from "./restore-entry.ts";

const MAX_OUTPUT_BYTES = 48_000;
/** The script is no file of the checkout, where the agent of another run could have changed it. */
const EXECUTE = 'file=$(mktemp) && cat >"$file" && chmod 700 "$file" && exec "$file" </dev/null';

type EnvironmentsOptions = {
  readonly sandbox: () => Promise<Sandbox>;
  readonly isTrusted: (origin: TaskOrigin) => boolean;
  /** The time that one script may take. */
  readonly setupMs: number;
  /** Null: every run is set up anew. */
  readonly cache: EnvironmentCache | null;
  readonly makeHome: () => Promise<string>;
  readonly removeHome: (home: string) => Promise<void>;
  readonly removeFolder: (path: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
};

export function openEnvironments(options: EnvironmentsOptions): Environments {
  return {
    async prepare(request) {
      const begunAt = options.clock.monotonic();
      const sandbox = await options.sandbox();
      // A container sees the checkout alone.
      const home = sandbox.kind === "container" ? null : new RunHome(options, await options.makeHome());
      try {
        const archive = await archiveOf(options, { request, sandbox, home });
        const parts = { options, request, sandbox, home, archive };
        const keys = await keysOf(parts);
        const cached = keys === null ? null : await restored(parts, keys);
        const setup = cached ?? (await executed(parts, keys));
        const durationMs = options.clock.monotonic() - begunAt;
        return { home: home?.path ?? null, setup, durationMs, close: async () => await home?.remove() };
      } catch (cause) {
        await home?.remove();
        throw cause;
      }
    },
    sweep: async () => await options.cache?.sweep(),
  };
}

/** The sandboxes of which what a script left is on this machine. */
const keeping: ReadonlySet<SandboxKind> = new Set<SandboxKind>(["bubblewrap", "container"]);

type Parts = {
  readonly options: EnvironmentsOptions;
  readonly request: EnvironmentRequest;
  readonly sandbox: Sandbox;
  readonly home: RunHome | null;
  /** What setup leaves in a place that is not this machine. Null: it is here, or nothing is kept. */
  readonly archive: PlaceArchive | null;
};

/** Where there is no place to be had, setup is refused by the same words. */
async function archiveOf(
  { cache, isTrusted }: Pick<EnvironmentsOptions, "cache" | "isTrusted">,
  { request, sandbox, home }: Pick<Parts, "request" | "sandbox" | "home">,
): Promise<PlaceArchive | null> {
  if (cache === null || sandbox.archive === undefined) return null;
  const { checkout, source, signal } = request;
  const archive = await sandbox.archive(placeOf(checkout, { home, isTrusted: isTrusted(source) }), signal);
  return archive.ok ? archive.value : null;
}

function placeOf(
  { root, gitFolder, covered }: Checkout,
  { home, isTrusted }: { readonly home: RunHome | null; readonly isTrusted: boolean },
): SandboxedCheckout {
  return {
    root,
    gitFolder: gitFolder ?? null,
    covered,
    isTrusted,
    ...(home === null ? {} : { home: home.path }),
  };
}

/** A home that can be begun anew. */
class RunHome {
  readonly #options: Pick<EnvironmentsOptions, "makeHome" | "removeHome">;
  #path: string;

  constructor(options: Pick<EnvironmentsOptions, "makeHome" | "removeHome">, path: string) {
    this.#options = options;
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  async renew(): Promise<void> {
    await this.remove();
    this.#path = await this.#options.makeHome();
  }

  async remove(): Promise<void> {
    await this.#options.removeHome(this.#path);
  }
}

/** Without a sandbox nothing is kept: what a command leaves running could change it. */
async function keysOf({ options, request, sandbox, archive }: Parts): Promise<EnvironmentKeys | null> {
  if (options.cache === null || (archive === null && !keeping.has(sandbox.kind))) return null;
  return await environmentKeys(request, [...(archive?.facts ?? [platform(), arch()]), sandbox.kind]);
}

type Setup = PreparedEnvironment["setup"];

/** Null where nothing equal was kept. */
async function restored(
  { options, request, home, archive }: Parts,
  keys: EnvironmentKeys,
): Promise<Extract<Setup, { ok: "cached" }> | null> {
  const { cache, removeFolder } = options;
  const { checkout, signal } = request;
  for (const key of new Set([keys.own ?? keys.trusted, keys.trusted])) {
    const name = { repository: keys.repository, key };
    const entry = (await cache?.find(name)) ?? null;
    if (entry === null) continue;
    const to = { checkout, home: home?.path ?? null, removeFolder, signal };
    const restoring = archive === null ? restoreEntry({ entry, ...to }) : restorePack(entry, archive, signal);
    const end = await restoring.finally(entry.release);
    if (end === "whole") return { ok: "cached", setupMs: entry.manifest.setupMs };
    await home?.renew();
    if (end === "broken") await cache?.drop(name);
  }
  return null;
}

async function executed(
  { options, request, sandbox, home, archive }: Parts,
  keys: EnvironmentKeys | null,
): Promise<Exclude<Setup, { ok: "cached" }>> {
  const { isTrusted, setupMs, cache, clock, log } = options;
  const { checkout, source, script, egressSocket, signal } = request;
  const { root } = checkout;
  const begunAt = clock.monotonic();
  const place = placeOf(checkout, { home, isTrusted: isTrusted(source) });
  const setup = await sandbox.run(place, {
    execute: { shell: EXECUTE },
    stdin: script,
    cwd: "",
    env: {},
    timeoutMs: setupMs,
    longestMs: setupMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    egressSocket,
    signal,
  });
  const own = keys?.own ?? null;
  if (!setup.ok || setup.value.exitCode !== 0 || keys === null || own === null || cache === null)
    return setup;
  try {
    const name = { repository: keys.repository, key: own };
    const setupMs = clock.monotonic() - begunAt;
    if (archive !== null) {
      const pack = (sink: PackSink, maxBytes: number) => archive.pack(sink, { maxBytes, signal });
      await cache.keepPack(name, { setupMs, pack }, signal);
    } else {
      const left = { home: home?.path ?? null, root, setupMs };
      await cache.keep(name, { ...left, paths: await checkout.ignored() }, signal);
    }
  } catch (cause) {
    signal.throwIfAborted();
    // The run has its environment; the next one is set up again.
    const why = cause instanceof CopyRefusedError ? { reason: cause.message } : { err: cause };
    log.warn(why, "what a setup script left could not be kept");
  }
  return setup;
}
