// A fixture whose agent changes what a test tells it to: the service is real, and the patch is one that git made.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import type { TestRepository } from "../../fakes/code-host/git-repository.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import type { ChangesEvent } from "../../src/contract/runs/run-event.ts";
import { Fixture, type StepOptions, type StepResult } from "./scenario.ts";
import { say, scriptedBackend } from "./scripted-backend.ts";

/** What a path shall hold: text, bytes with a mode, or nothing any more. */
export type Edit =
  | string
  | null
  | { readonly mode: "100644" | "100755" | "120000"; readonly content: string | Buffer };
export type Edits = Readonly<Record<string, Edit>>;

export type ChangesValue = ChangesEvent["value"];

type Plan = { changes: ChangesValue | null; reply: string };

export class ChangesFixture {
  readonly fixture: Fixture;
  readonly main: string;
  readonly #plan: Plan;

  static async open(files: Edits = {}): Promise<ChangesFixture> {
    const plan: Plan = { changes: null, reply: "I changed it." };
    const backend = scriptedBackend(async (task) => {
      await say(task, plan.reply);
      if (plan.changes === null) return;
      await task.emit({ type: "CUSTOM", name: "repository.changes", value: plan.changes });
    });
    const fixture = await Fixture.open({ backend });
    const { repository } = fixture;
    const first = repository.git(["rev-parse", "refs/heads/main"]);
    const main = commitEdits(repository, first, { "notes.txt": LINES, ...files });
    repository.git(["update-ref", "refs/heads/main", main]);
    return new ChangesFixture(fixture, main, plan);
  }

  private constructor(fixture: Fixture, main: string, plan: Plan) {
    this.fixture = fixture;
    this.main = main;
    this.#plan = plan;
  }

  get repository(): TestRepository {
    return this.fixture.repository;
  }

  /** What the next runs report. */
  plan(changes: ChangesValue | null, reply = "I changed it."): void {
    Object.assign(this.#plan, { changes, reply });
  }

  /** What changes when these edits are made to a commit. */
  changes(edits: Edits, base = this.main): ChangesValue {
    return changesOf(this.repository, base, edits);
  }

  async play(
    job: JobOptions | CodeHostJob,
    options: StepOptions = {},
  ): Promise<{ step: StepResult; job: CodeHostJob }> {
    const planned = "githubToken" in job ? job : await this.fixture.job(job);
    return { step: await this.fixture.main(planned, options), job: planned };
  }

  tip(branch: string): string | null {
    return this.repository.git(["for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`]) || null;
  }

  file(commit: string, path: string): string {
    return this.repository.git(["show", `${commit}:${path}`]);
  }

  /** "A src/new.ts" for each path that differs, sorted. */
  diff(from: string, to: string): string[] {
    return this.repository
      .git(["diff", "--no-renames", "--name-status", "-z", from, to])
      .split("\0")
      .reduce<string[]>((lines, field, at) => {
        if (field === "") return lines;
        if (at % 2 === 0) lines.push(field);
        else lines.push(`${lines.pop()} ${field}`);
        return lines;
      }, []);
  }

  message(commit: string): string {
    return this.repository.git(["show", "-s", "--format=%B", commit]);
  }

  /** Somebody commits to a branch. */
  commit(branch: string, edits: Edits): string {
    const sha = commitEdits(this.repository, this.tip(branch) ?? this.main, edits);
    this.repository.git(["update-ref", `refs/heads/${branch}`, sha]);
    return sha;
  }

  async close(): Promise<void> {
    await this.fixture.close();
  }
}

/** Ten lines, so that changes far apart do not meet. */
export const LINES = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join("");

export function changesOf(repository: TestRepository, base: string, edits: Edits): ChangesValue {
  const tree = editedTree(repository, base, edits);
  const args = ["diff-tree", "-p", "--binary", "--full-index", "--no-renames", base, tree];
  const patch = execFileSync("git", args, { cwd: repository.path }).toString();
  const files = Object.entries(edits).map(([path, edit]) => ({
    path,
    status: edit === null ? ("deleted" as const) : ("modified" as const),
    additions: 1,
    deletions: 1,
  }));
  return { base_sha: base, files, patch };
}

/** A commit on top of another. No branch points to it. */
export function commitEdits(repository: TestRepository, parent: string, edits: Edits): string {
  const main = repository.git(["rev-parse", "refs/heads/main"]);
  const tree = editedTree(repository, parent, edits);
  const sha = repository.commitTree(tree, { parents: [parent], subject: "By a person", day: 3 });
  repository.git(["update-ref", "refs/heads/main", main]);
  return sha;
}

function editedTree(repository: TestRepository, base: string, edits: Edits): string {
  const env = { GIT_INDEX_FILE: join(repository.path, "edits-index") };
  repository.git(["read-tree", base], { env });
  const lines = Object.entries(edits).map(([path, edit]) => {
    if (edit === null) return `0 ${"0".repeat(40)}\t${path}\0`;
    const { mode, content } = typeof edit === "string" ? { mode: "100644", content: edit } : edit;
    return `${mode} ${repository.blob(content)}\t${path}\0`;
  });
  repository.git(["update-index", "-z", "--index-info"], { env, input: lines.join("") });
  return repository.git(["write-tree"], { env });
}
