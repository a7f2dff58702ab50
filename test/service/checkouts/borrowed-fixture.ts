// A checkout as actions/checkout leaves one: shallow, a token in its configuration, and whatever steps did after it.

import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { PathRules } from "../../../src/contract/paths/path-rules.ts";
import { borrowedCheckouts } from "../../../src/service/checkouts/borrowed-checkouts.ts";
import type { Checkout, CheckoutSource } from "../../../src/service/core/checkouts/checkout.ts";

export const REPOSITORY = "octo/fixture";
export const TOKEN = "ghs_persisted_by_checkout";

export class BorrowedFixture {
  readonly folder: string;
  readonly root: string;
  readonly upstream: TestRepository;
  readonly headSha: string;
  /** Of the job, beside those of this process. */
  readonly variables: Record<string, string> = {};
  #runs = 0;

  private constructor(parts: Pick<BorrowedFixture, "folder" | "upstream" | "headSha">) {
    this.folder = parts.folder;
    this.root = join(parts.folder, "checkout");
    this.upstream = parts.upstream;
    this.headSha = parts.headSha;
  }

  static async make(
    files: Parameters<TestRepository["commit"]>[0]["files"],
    options: { readonly origin?: string } = {},
  ): Promise<BorrowedFixture> {
    const folder = await mkdtemp(join(tmpdir(), "checkout-test-"));
    const upstream = new TestRepository(folder, "upstream.git");
    const first = upstream.commit({ files: { "first.txt": "1\n" }, subject: "first" });
    const headSha = upstream.commit({ files, parents: [first], subject: "second", day: 1 });
    const fixture = new BorrowedFixture({ folder, upstream, headSha });
    upstream.git(["clone", "--quiet", "--depth=1", "--branch=main", `file://${upstream.path}`, fixture.root]);
    fixture.git(["remote", "set-url", "origin", options.origin ?? `https://github.com/${REPOSITORY}`]);
    fixture.git(["config", "http.https://github.com/.extraheader", `AUTHORIZATION: basic ${TOKEN}`]);
    return fixture;
  }

  git(args: readonly string[], cwd: string = this.root): string {
    return execFileSync("git", args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
      .toString()
      .trim();
  }

  provider(root: string = this.root, rules: PathRules = new PathRules(), gitPath = "git") {
    const environment = { ...process.env, ...this.variables };
    return borrowedCheckouts({ root, folder: join(this.folder, "runs"), environment, rules, gitPath });
  }

  source(changes: Partial<CheckoutSource> = {}): CheckoutSource {
    this.#runs += 1;
    return {
      runId: `run-${this.#runs}`,
      provider: "github",
      repository: REPOSITORY,
      cloneUrl: "https://github.com/octo/fixture.git",
      visibility: "private",
      sha: this.headSha,
      ref: "refs/heads/main",
      event: "push",
      baseRef: null,
      ...changes,
    };
  }

  async open(
    root?: string,
    source: Partial<CheckoutSource> = {},
    rules: PathRules = new PathRules(),
  ): Promise<Checkout> {
    const opened = await this.provider(root, rules).open(this.source(source), AbortSignal.timeout(30_000));
    if (!opened.ok) throw new Error(opened.refusal.detail);
    return opened.value;
  }

  leftOvers(): Promise<string[]> {
    return readdir(join(this.folder, "runs")).catch(() => []);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
