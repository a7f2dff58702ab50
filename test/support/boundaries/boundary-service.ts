// A service that is killed at chosen boundaries (see kill-at-boundary.ts) while it does one thing, and started again.

import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiError, type Client, ConnectionError, createClient } from "../../../src/client/client.ts";
import { makeTestKey, type TestKey } from "../account-key.ts";
import { type Exit, runCommand, ServiceProcess } from "../fixtures/service-process.ts";
import { type StorePlace, sqliteStore } from "../stores/stores.ts";

const PRELOAD = fileURLToPath(new URL("kill-at-boundary.ts", import.meta.url));
/** Of a thing that a bucket lets fail. */
const MAX_ATTEMPTS = 20;

/** One thing that the service does, on places of its own. */
export type Round = {
  /** Resolves when it was acknowledged, whole. May be repeated after it was cut off, and after it was done. */
  act(): Promise<void>;
  /** Compares contents: what was acknowledged is there, what was not is whole or absent. */
  check(isAcknowledged: boolean): Promise<void>;
};

export type Outcome = { readonly isKilled: boolean; readonly boundaries: readonly string[] };

export class BoundaryService {
  readonly place: StorePlace;
  readonly key: TestKey;
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  #process: ServiceProcess;
  #url: string;

  static async start(settings: Readonly<Record<string, string>>): Promise<BoundaryService> {
    const place = await sqliteStore.make();
    const key = await makeTestKey(place, { owner: { plan: "subscribed" } });
    const folder = await mkdtemp(join(tmpdir(), "agent-service-boundaries-"));
    const all = {
      ...{ PORT: "0", DATA_DIR: place.settings.dataDir, BACKEND: "noop", CI_AUDIENCE: "crash.example" },
      ...{ RATE_PER_MINUTE: "1000000", DRAIN_SECONDS: "0" },
      ...{ KILL_PLAN: join(folder, "plan"), KILL_LOG: join(folder, "log") },
      ...settings,
    };
    const process = startProcess(all);
    return new BoundaryService({ place, key, folder, settings: all, process, url: await process.ready() });
  }

  private constructor(parts: {
    place: StorePlace;
    key: TestKey;
    folder: string;
    settings: Readonly<Record<string, string>>;
    process: ServiceProcess;
    url: string;
  }) {
    this.place = parts.place;
    this.key = parts.key;
    this.#folder = parts.folder;
    this.#settings = parts.settings;
    this.#process = parts.process;
    this.#url = parts.url;
  }

  /** Another one each time that it starts. */
  get url(): string {
    return this.#url;
  }

  /** Repeats nothing by itself. */
  get client(): Client {
    return this.clientOf(this.key.secret);
  }

  clientOf(secret: string): Client {
    const retry = { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
    return createClient({ baseUrl: this.#url, credential: () => secret, retry });
  }

  /** Acts until that is acknowledged or the service is killed at boundary `killAt`, 0 for none. */
  async play({ act }: Round, { name, killAt }: { name: string; killAt: number }): Promise<Outcome> {
    const plan = join(this.#folder, "plan");
    const log = join(this.#folder, "log");
    await rm(log, { force: true });
    await writeFile(plan, `${name} ${killAt}`);
    const isDone = await this.persist(act);
    // A service that is gone has ended at the boundary, in no other way.
    const signal = isDone ? "SIGKILL" : (await this.#process.ended).signal;
    if (signal !== "SIGKILL") throw new Error(`The service ended by itself in ${name}, with ${signal}.`);
    await rm(plan);
    const boundaries = existsSync(log) ? (await readFile(log, "utf8")).trim().split("\n") : [];
    return { isKilled: !isDone, boundaries };
  }

  /** Repeats what a bucket lets fail. False when the service is gone. */
  async persist(act: () => Promise<void>): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await act();
        return true;
      } catch (cause) {
        if (cause instanceof ConnectionError || cause instanceof TypeError) return false;
        if (!(cause instanceof ApiError) || cause.status < 500 || attempt === MAX_ATTEMPTS) throw cause;
      }
    }
  }

  /** Whoever was not killed yet is. */
  async startAgain(): Promise<void> {
    await this.#process.kill();
    this.#process = startProcess(this.#settings);
    this.#url = await this.#process.ready();
  }

  /** Executes the command beside it. */
  async command(args: readonly string[]): Promise<Exit> {
    return await runCommand(args, this.#settings);
  }

  async close(): Promise<void> {
    await this.#process.kill();
    await this.place.remove();
    await rm(this.#folder, { recursive: true });
  }
}

function startProcess(settings: Readonly<Record<string, string>>): ServiceProcess {
  return new ServiceProcess(["serve"], settings, { preload: PRELOAD });
}
