// What a job without a server plays on: a code host with a real repository, and the checkout that a step before made of it.

import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CodeHost, type CodeHostJob, startCodeHost } from "../../fakes/code-host/code-host.ts";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { type ActionResult, type RunActionOptions, runAction } from "../../fakes/runner/run-action.ts";

export const REPOSITORY = "octo-org/octo-repo";
/** What actions/checkout leaves in the checkout's configuration. */
export const PERSISTED_TOKEN = "ghs_persisted_by_checkout";

type StepOptions = Partial<Pick<RunActionOptions, "env" | "inputs" | "onLine" | "signal">>;

export class EmbeddedFixture {
  readonly forge: CodeHost;
  readonly repository: TestRepository;
  readonly #folder: string;
  #workflowRuns = 1_296_269_000;

  private constructor(forge: CodeHost, repository: TestRepository, folder: string) {
    this.forge = forge;
    this.repository = repository;
    this.#folder = folder;
  }

  /** The repository is private, with one commit of these files. */
  static async open(files: Readonly<Record<string, string>>): Promise<EmbeddedFixture> {
    const folder = await mkdtemp(join(tmpdir(), "embedded-"));
    const repository = new TestRepository(folder, "octo-repo.git");
    repository.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
    repository.commit({ files, subject: "Begin" });
    const forge = await startCodeHost({
      repositories: { [REPOSITORY]: { path: repository.path, visibility: "private" } },
    });
    return new EmbeddedFixture(forge, repository, folder);
  }

  /** A job that may not ask for an ID token. */
  async job(options: JobOptions = {}): Promise<CodeHostJob> {
    this.#workflowRuns += 1;
    return await this.forge.job({ runId: String(this.#workflowRuns), idToken: false, ...options });
  }

  /** What actions/checkout does. Returns where the files are. */
  checkOut(job: CodeHostJob): string {
    const root = job.env.GITHUB_WORKSPACE ?? "";
    const git = (args: readonly string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe" });
    git(["init", "--quiet", "."]);
    git(["fetch", "--quiet", "--depth=1", `file://${this.repository.path}`, job.env.GITHUB_SHA ?? ""]);
    git(["checkout", "--quiet", "--detach", "FETCH_HEAD"]);
    git(["remote", "add", "origin", `${job.env.GITHUB_SERVER_URL}/${REPOSITORY}`]);
    git(["config", "http.extraheader", `AUTHORIZATION: basic ${PERSISTED_TOKEN}`]);
    return root;
  }

  async main(job: CodeHostJob, options: StepOptions = {}): Promise<ActionResult> {
    return await this.#step(job, { entry: "main", ...options });
  }

  async post(job: CodeHostJob, main: ActionResult, options: StepOptions = {}): Promise<ActionResult> {
    return await this.#step(job, { entry: "post", state: main.state, ...options });
  }

  /** What the service has left in the job's folder for temporary files. */
  async leftOvers(job: CodeHostJob): Promise<string[]> {
    const names = await readdir(job.env.RUNNER_TEMP ?? "");
    return names.filter((name) => name.startsWith("agent-service-"));
  }

  async close(): Promise<void> {
    await this.forge.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #step(
    job: CodeHostJob,
    step: StepOptions & Pick<RunActionOptions, "entry" | "state">,
  ): Promise<ActionResult> {
    return await runAction({
      ...step,
      env: { ...job.env, ...step.env },
      inputs: { "github-token": job.githubToken, ...step.inputs },
    });
  }
}

/** All that a step said and left, but for its masks: what must not hold a secret. */
export async function allThatIsSeen(step: ActionResult): Promise<string> {
  const files = [step.outputs["reply-file"], step.outputs["events-file"]];
  const texts = await Promise.all(files.map((path) => (path ? readFile(path, "utf8") : "")));
  const printed = step.rawLog.split("\n").filter((line) => !line.startsWith("::add-mask::"));
  return [...printed, ...texts, step.summary, JSON.stringify(step.outputs), JSON.stringify(step.state)].join(
    "\n",
  );
}
