// A service that is killed at chosen boundaries (see kill-at-boundary.ts) while it does one thing, and started again.

import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect } from "vitest";
import { ApiError, type Client, ConnectionError, createClient } from "../../../src/client/client.ts";
import { OPERATION_LEASE_MS } from "../../../src/service/core/workspaces/operations/operation.ts";
import { makeTestKey, operateOn, type TestKey } from "../account-key.ts";
import { type Exit, ServiceProcess } from "../fixtures/service-process.ts";
import { runCommand } from "../run/run-command.ts";
import type { StoreKind, StorePlace } from "../stores/stores.ts";
import type { BlobKind, BlobPlace } from "./blob-places.ts";
import { type DatabaseClock, openDatabaseClock } from "./database-clock.ts";

const KILL_AT_BOUNDARY = fileURLToPath(new URL("kill-at-boundary.ts", import.meta.url));
/** Of a thing that a bucket lets fail. */
const MAX_ATTEMPTS = 20;
/** More than all runs of a test take. */
const CREDITS = 1_000_000;
/** For what goes on by itself. */
const UPKEEP_TIMEOUT_MS = 30_000;

/** One thing that the service does, on places of its own. */
export type Round = {
  /** Resolves when it was acknowledged. May be repeated after it was cut off, and after it was done. */
  act(): Promise<void>;
  /** Resolves when what goes on after the acknowledgement is done. Nothing does, unless told. */
  settle?(): Promise<void>;
  /** Compares contents: what was acknowledged is there, what was not is whole or absent. */
  check(isAcknowledged: boolean): Promise<void>;
};

export type Outcome = {
  readonly isAcknowledged: boolean;
  readonly isKilled: boolean;
  readonly boundaries: readonly string[];
};

export type BoundaryServiceOptions = {
  readonly store: StoreKind;
  readonly blobs: BlobKind;
  readonly settings: Readonly<Record<string, string>>;
  /** Loaded into the service in place of kill-at-boundary.ts, which it loads itself. */
  readonly preload?: string;
};

type Parts = {
  readonly place: StorePlace;
  readonly blobs: BlobPlace;
  readonly clock: DatabaseClock | null;
  readonly key: TestKey;
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly preload: string;
};

/** The service was killed while it was waited for. */
class KilledError extends Error {}

export class BoundaryService {
  readonly place: StorePlace;
  readonly key: TestKey;
  readonly #parts: Parts;
  #process: ServiceProcess;
  #url = "";
  #aheadMs = 0;

  static async start(options: BoundaryServiceOptions): Promise<BoundaryService> {
    const place = await options.store.make();
    const blobs = await options.blobs.open();
    const key = await makeTestKey(place, { owner: { plan: "subscribed" } });
    await operateOn(place, ({ grant }) => grant({ accountId: key.accountId, credits: CREDITS }));
    const folder = await mkdtemp(join(tmpdir(), "agent-service-boundaries-"));
    const { dataDir, databaseUrl } = place.settings;
    const clock = databaseUrl === null ? null : await openDatabaseClock(place, databaseUrl);
    const settings = {
      PORT: "0",
      DATA_DIR: dataDir,
      BACKEND: "noop",
      CI_AUDIENCE: "crash.example",
      BASE_URL: "http://crash.example",
      RATE_PER_MINUTE: "1000000",
      DRAIN_SECONDS: "0",
      KILL_PLAN: join(folder, "plan"),
      KILL_LOG: join(folder, "log"),
      ...clock?.settings,
      ...blobs.settings,
      ...options.settings,
    };
    const preload = join(folder, "preload.mjs");
    await bundle({ from: options.preload ?? KILL_AT_BOUNDARY, to: preload });
    const service = new BoundaryService({ place, blobs, clock, key, folder, settings, preload });
    await service.#ready();
    return service;
  }

  private constructor(parts: Parts) {
    this.place = parts.place;
    this.key = parts.key;
    this.#parts = parts;
    this.#process = this.#start({});
  }

  /** Another one each time that it starts. */
  get url(): string {
    return this.#url;
  }

  /** How far its clock is before the machine's. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Repeats nothing by itself. */
  get client(): Client {
    return this.clientOf(this.key.secret);
  }

  clientOf(secret: string): Client {
    const retry = { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
    return createClient({ baseUrl: this.#url, credential: () => secret, retry });
  }

  /**
   * Acts until that is acknowledged, waits until what goes on after it is done, and stops the service; or until the service is
   * killed at boundary `killAt`, 0 for none.
   */
  async play(round: Round, { name, killAt }: { name: string; killAt: number }): Promise<Outcome> {
    const { folder } = this.#parts;
    const [plan, log] = [join(folder, "plan"), join(folder, "log")];
    await rm(log, { force: true });
    await writeFile(plan, `${name} ${killAt}`);
    const isAcknowledged = await this.persist(() => round.act());
    const isSettled = isAcknowledged && (await this.persist(async () => await round.settle?.()));
    if (isSettled) this.#process.signal("SIGTERM");
    const { code, signal, stderr } = await this.#process.ended;
    const isKilled = signal === "SIGKILL";
    // A service that is gone has ended at the boundary, or was stopped: in no other way.
    if (!isKilled && !(isSettled && code === 0))
      throw new Error(`The service ended by itself in ${name}, with ${signal ?? code}.\n${stderr}`);
    await rm(plan);
    const boundaries = existsSync(log) ? (await readFile(log, "utf8")).trim().split("\n") : [];
    return { isAcknowledged, isKilled, boundaries };
  }

  /** Repeats what a bucket lets fail. False when the service is gone. */
  async persist(act: () => Promise<void>): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await act();
        return true;
      } catch (cause) {
        const isGone = [ConnectionError, TypeError, KilledError].some((kind) => cause instanceof kind);
        if (isGone) return false;
        if (!(cause instanceof ApiError) || cause.status < 500 || attempt === MAX_ATTEMPTS) throw cause;
      }
    }
  }

  async kill(): Promise<void> {
    await this.#process.kill();
  }

  /** Whoever was not killed yet is. What a dead process held is free, or runs out. */
  async startAgain({ aheadMs = 0 }: { readonly aheadMs?: number } = {}): Promise<void> {
    await this.kill();
    await this.#parts.clock?.advance(OPERATION_LEASE_MS);
    this.#aheadMs = aheadMs;
    this.#process = this.#start({ CLOCK_AHEAD_MS: String(aheadMs) });
    await this.#ready();
  }

  /** Resolves once the service has deleted these blobs. Rejects when it is gone. */
  async untilDeleted(keys: readonly string[]): Promise<void> {
    await this.until(async () => (await this.keysOf("discarded")).every((key) => !keys.includes(key)));
  }

  /** Resolves once that is so. Rejects with what `persist` takes for a service that is gone, when it is. */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    let isGone = false;
    void this.#process.ended.then(() => {
      isGone = true;
    });
    await expect.poll(async () => isGone || (await isSo()), { timeout: UPKEEP_TIMEOUT_MS }).toBe(true);
    if (isGone) throw new KilledError();
  }

  async keysOf(state: "discarded" | "kept" | "unfinished"): Promise<readonly string[]> {
    const rows = await this.place.query(`select key from blobs where state = '${state}'`);
    return rows.map(({ key }) => String(key));
  }

  /** The blobs that are there, whether a row names them or not. */
  async listBlobs(): Promise<readonly string[]> {
    return await this.#parts.blobs.list(this.place.settings.dataDir);
  }

  /** Executes the command beside it. */
  async command(args: readonly string[]): Promise<Exit> {
    return await runCommand(args, this.#parts.settings);
  }

  async close(): Promise<void> {
    await this.kill();
    await this.place.remove();
    await this.#parts.blobs.close();
    await rm(this.#parts.folder, { recursive: true });
  }

  #start(more: Readonly<Record<string, string>>): ServiceProcess {
    const { settings, preload } = this.#parts;
    return new ServiceProcess(["serve"], { ...settings, ...more }, { preload });
  }

  async #ready(): Promise<void> {
    const process = this.#process;
    try {
      this.#url = await process.ready();
    } catch (cause) {
      if ((await process.ended).signal === "SIGKILL") throw new KilledError("", { cause });
      throw cause;
    }
  }
}

/** Each start would take the types out of the sources again. */
async function bundle({ from, to }: { from: string; to: string }): Promise<void> {
  await build({
    entryPoints: [from],
    outfile: to,
    logLevel: "silent",
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
  });
}
