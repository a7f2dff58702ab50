// Setups of one repository and of others: real clones, a real sandbox, a cache on disk.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemRandom } from "../../../src/base/ids.ts";
import { removeFolder } from "../../../src/service/checkouts/run-folder.ts";
import type { Checkout } from "../../../src/service/core/checkouts/checkout.ts";
import type {
  EnvironmentRequest,
  Environments,
  PreparedEnvironment,
} from "../../../src/service/core/checkouts/environment.ts";
import type { Sandbox } from "../../../src/service/core/ports/sandbox.ts";
import { EnvironmentCache } from "../../../src/service/environments/environment-cache.ts";
import { openEnvironments } from "../../../src/service/environments/environments.ts";
import { makeHome, removeHome } from "../../../src/service/sandbox/agent-homes.ts";
import { ManualClock } from "../../support/clocks/manual-clock.ts";
import { CheckoutFixture } from "../checkouts/checkout-fixture.ts";
import { SandboxFixture } from "../sandbox/sandbox-fixture.ts";

export const MEGABYTE = 1024 * 1024;

export type Prepared = PreparedEnvironment & { readonly checkout: Checkout; readonly state: string };

export class EnvironmentsFixture {
  readonly git: CheckoutFixture;
  readonly clock = new ManualClock();
  readonly sandboxes = new SandboxFixture();
  readonly folder: string;
  readonly cacheFolder: string;
  sandbox: Sandbox;
  environments: Environments;
  #runs = 0;
  readonly #prepared: PreparedEnvironment[] = [];

  static async make(maxBytes = 400 * MEGABYTE): Promise<EnvironmentsFixture> {
    const folder = await mkdtemp(join(tmpdir(), "environments-test-"));
    const fixture = new EnvironmentsFixture(await CheckoutFixture.make(), folder);
    fixture.sandbox = await fixture.sandboxes.find({ environment: { SANDBOX: "bubblewrap" } });
    await fixture.open(maxBytes);
    return fixture;
  }

  private constructor(git: CheckoutFixture, folder: string) {
    this.git = git;
    this.folder = folder;
    this.cacheFolder = join(folder, "environments");
    const isUnset = () => {
      throw new Error("Is opened first.");
    };
    this.sandbox = { kind: "none", facts: isUnset, run: isUnset, start: isUnset };
    this.environments = { prepare: isUnset, sweep: isUnset };
  }

  /** As a service that starts does. */
  async open(maxBytes = 400 * MEGABYTE): Promise<void> {
    const { clock, cacheFolder: folder } = this;
    this.environments = openEnvironments({
      sandbox: async () => this.sandbox,
      isTrusted: () => false,
      setupMs: 60_000,
      cache: new EnvironmentCache({ folder, maxBytes, clock, random: systemRandom, removeFolder }),
      makeHome: () => makeHome(join(this.folder, "homes")),
      removeHome,
      removeFolder,
      clock,
      log: this.sandboxes.log,
    });
    await this.environments.sweep();
  }

  /** A run of its own: a fresh clone of the commit, set up. `state` is "executed", "cached" or "failed". */
  async prepare(
    sha: string,
    script: string,
    request: Partial<Pick<EnvironmentRequest, "class" | "repository" | "signal" | "egressSocket">> = {},
  ): Promise<Prepared> {
    this.#runs += 1;
    const source = this.git.source(sha, { runId: `run-${this.#runs}` });
    const signal = request.signal ?? new AbortController().signal;
    const opened = await this.git.provider().open(source, signal);
    if (!opened.ok) throw new Error(opened.refusal.detail);
    const { root } = opened.value;
    const leave = this.sandbox.places?.enter({ runId: source.runId, root, onLost: () => {} });
    const prepared = await this.environments.prepare({
      repository: { issuer: "https://issuer.example", id: "1" },
      class: "trusted",
      egressSocket: null,
      ...request,
      checkout: opened.value,
      source,
      script,
      signal,
    });
    const close = async () => {
      await leave?.();
      await opened.value.close();
    };
    this.#prepared.push(prepared, { ...prepared, close });
    const { setup } = prepared;
    const state =
      setup.ok === "cached" ? "cached" : setup.ok && setup.value.exitCode === 0 ? "executed" : "failed";
    return { ...prepared, checkout: opened.value, state };
  }

  /** Executes a command of the run's agent. */
  async command({ checkout, home }: Prepared, shell: string): Promise<string> {
    const place = { root: checkout.root, gitFolder: checkout.gitFolder ?? null };
    const result = await this.sandboxes.result(this.sandbox, shell, {
      checkout: { ...place, ...(home === null ? {} : { home }) },
    });
    return result.output;
  }

  /** Whole entries, as paths below the cache's folder. */
  async entries(): Promise<string[]> {
    const found: string[] = [];
    for (const repository of await readdir(this.cacheFolder))
      for (const key of await readdir(join(this.cacheFolder, repository))) found.push(`${repository}/${key}`);
    return found.sort();
  }

  async close(): Promise<void> {
    for (const prepared of this.#prepared) await prepared.close();
    await this.sandboxes.close();
    await this.git.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
