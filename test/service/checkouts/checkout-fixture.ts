// One server, one repository and one provider for a test, all removed after it.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { CloneLimits } from "../../../src/service/checkouts/clone-limits.ts";
import { gitCheckouts } from "../../../src/service/checkouts/git-checkouts.ts";
import type {
  Checkout,
  CheckoutProvider,
  CheckoutRefusal,
  CheckoutSource,
} from "../../../src/service/core/checkouts/checkout.ts";
import { type GitServer, startGitServer } from "./git-server.ts";

export const REPOSITORY = "octo/fixture";
/** A checkout ends with its signal: longer than any test of it takes, on a machine with much else to do. */
const UNTIL_MS = 120_000;

export type CheckoutFixtureOptions = {
  readonly limits?: Partial<CloneLimits>;
  readonly clock?: Clock;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly gitTimeoutMs?: number;
};

export class CheckoutFixture {
  readonly folder: string;
  readonly repository: TestRepository;
  readonly server: GitServer;
  readonly #opened: Checkout[] = [];

  private constructor(parts: { folder: string; repository: TestRepository; server: GitServer }) {
    this.folder = parts.folder;
    this.repository = parts.repository;
    this.server = parts.server;
  }

  static async make(): Promise<CheckoutFixture> {
    const folder = await mkdtemp(join(tmpdir(), "checkout-test-"));
    const repository = new TestRepository(folder, `${REPOSITORY}.git`);
    return new CheckoutFixture({ folder, repository, server: await startGitServer(folder) });
  }

  provider(options: CheckoutFixtureOptions = {}): CheckoutProvider {
    const limits = {
      maxBytes: 50_000_000,
      maxCheckoutBytes: 50_000_000,
      cloneTimeoutMs: 60_000,
      maxUnfoldedBytes: 1_000_000_000,
      maxCpuSeconds: 60,
      ...options.limits,
    };
    return gitCheckouts({
      folder: join(this.folder, "runs"),
      limits,
      environment: options.environment ?? process.env,
      ...(options.clock === undefined ? {} : { clock: options.clock }),
      ...(options.gitTimeoutMs === undefined ? {} : { gitTimeoutMs: options.gitTimeoutMs }),
    });
  }

  source(sha: string, changes: Partial<CheckoutSource> = {}): CheckoutSource {
    return {
      runId: "run-1",
      provider: "github",
      repository: REPOSITORY,
      cloneUrl: `${this.server.url}/${REPOSITORY}.git`,
      visibility: "public",
      sha,
      ref: "refs/heads/main",
      event: "push",
      baseRef: null,
      ...changes,
    };
  }

  /** The checkout at `sha`; throws when it was refused. */
  async open(
    sha: string,
    options: CheckoutFixtureOptions & { source?: Partial<CheckoutSource> } = {},
  ): Promise<Checkout> {
    const result = await this.provider(options).open(
      this.source(sha, options.source),
      AbortSignal.timeout(UNTIL_MS),
    );
    if (!result.ok) throw new Error(result.refusal.detail);
    this.#opened.push(result.value);
    return result.value;
  }

  /** The refusal; throws when there was none. Checks that nothing stays on the disk. */
  async refusal(
    sha: string,
    options: CheckoutFixtureOptions & { source?: Partial<CheckoutSource> } = {},
  ): Promise<CheckoutRefusal> {
    const result = await this.provider(options).open(
      this.source(sha, options.source),
      AbortSignal.timeout(UNTIL_MS),
    );
    if (result.ok) throw new Error("Was not refused.");
    const left = await this.leftOvers();
    if (left.length > 0) throw new Error(`Left behind: ${left.join(", ")}`);
    return result.refusal;
  }

  leftOvers(): Promise<string[]> {
    return readdir(join(this.folder, "runs")).catch(() => []);
  }

  async close(): Promise<void> {
    for (const checkout of this.#opened) await checkout.close();
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
