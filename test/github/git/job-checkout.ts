// A repository behind a git server and the checkout that a job has of its base, all removed after the test.

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { type GitServer, startGitServer } from "../../service/checkouts/git-server.ts";

const REPOSITORY = "octo/repo";

export class JobCheckout {
  readonly folder: string;
  readonly server: GitServer;
  readonly repository: TestRepository;
  /** The head of pull request 7, one commit above `main`. */
  readonly headSha: string;

  /** `main` is checked out; the head of pull request 7 changes `a.txt`. */
  static async make(): Promise<JobCheckout> {
    const folder = await mkdtemp(join(tmpdir(), "job-checkout-"));
    await mkdir(join(folder, "temp"));
    const repository = new TestRepository(folder, `${REPOSITORY}.git`);
    const files = { "deep/b.txt": "old\n" };
    const base = repository.commit({ files: { ...files, "a.txt": "one\n" } });
    const headSha = repository.commit({ files: { ...files, "a.txt": "two\n" }, parents: [base], day: 1 });
    repository.updateRef("refs/heads/main", base);
    repository.updateRef("refs/pull/7/head", headSha);
    const checkout = new JobCheckout({ folder, repository, headSha, server: await startGitServer(folder) });
    checkout.clone([repository.path]);
    return checkout;
  }

  private constructor(parts: {
    folder: string;
    repository: TestRepository;
    headSha: string;
    server: GitServer;
  }) {
    this.folder = parts.folder;
    this.repository = parts.repository;
    this.headSha = parts.headSha;
    this.server = parts.server;
  }

  get root(): string {
    return join(this.folder, "checkout");
  }

  /** For what git leaves while it works. Empty at first. */
  get temp(): string {
    return join(this.folder, "temp");
  }

  /** What a job says about its repository and about its checkout. */
  get env(): Readonly<Record<string, string | undefined>> {
    return {
      PATH: process.env.PATH,
      GITHUB_WORKSPACE: this.root,
      GITHUB_SERVER_URL: this.server.url,
      GITHUB_REPOSITORY: REPOSITORY,
      RUNNER_TEMP: this.temp,
    };
  }

  /** Makes the checkout, of `main`. */
  clone(args: readonly string[]): void {
    execFileSync("git", ["clone", "--quiet", "--branch", "main", ...args, this.root]);
  }

  async close(): Promise<void> {
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
