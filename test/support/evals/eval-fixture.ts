// A repository for evals: a small project with the test runner of Node, commits that are tasks, and commits that are none.

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";

export type Files = Readonly<Record<string, string>>;

const manifest = `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`;

export class EvalFixture {
  readonly folder: string;
  readonly root: string;
  readonly repository: TestRepository;
  #files: Files = { "package.json": manifest, "README.md": "A project.\n" };
  #head: string;
  #day = 1;

  private constructor(folder: string) {
    this.folder = folder;
    this.root = join(folder, "checkout");
    this.repository = new TestRepository(folder, "project.git");
    this.#head = this.repository.commit({ files: this.#files, subject: "Begin the project" });
  }

  static async open(): Promise<EvalFixture> {
    return new EvalFixture(await mkdtemp(join(tmpdir(), "eval-test-")));
  }

  get head(): string {
    return this.#head;
  }

  /** A text of null takes the file away. */
  commit(message: string, changes: Readonly<Record<string, string | null>>): string {
    return this.#commit(message, { changes, others: [] });
  }

  /** A merge of a branch with one commit. */
  merge(message: string, changes: Readonly<Record<string, string | null>>): string {
    const files = changed(this.#files, changes);
    const parents = [this.#head];
    const side = this.repository.commit({ files, parents, subject: "On a branch", day: this.#day });
    return this.#commit(message, { changes, others: [side] });
  }

  checkOut(): void {
    execFileSync("git", ["clone", "--quiet", this.repository.path, this.root], { stdio: "pipe" });
  }

  /** What the checkout holds beside its commit, and its refs: an eval changes neither. */
  state(): string {
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: this.root }).toString();
    return git("for-each-ref") + git("rev-parse", "HEAD") + git("status", "--porcelain", "--", "src", "test");
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  #commit(
    subject: string,
    { changes, others }: { changes: Readonly<Record<string, string | null>>; others: readonly string[] },
  ): string {
    this.#files = changed(this.#files, changes);
    this.#day += 1;
    const parents = [this.#head, ...others];
    this.#head = this.repository.commit({ files: this.#files, parents, subject, day: this.#day });
    return this.#head;
  }
}

function changed(files: Files, changes: Readonly<Record<string, string | null>>): Files {
  const entries = Object.entries({ ...files, ...changes });
  return Object.fromEntries(entries.flatMap(([path, text]) => (text === null ? [] : [[path, text]])));
}

export const sourceOf = (name: string, result: string): Files => ({
  [`src/${name}.js`]: `export const ${name} = (a, b) => ${result};\n`,
});

/** A test of the function that `sourceOf` writes, for 3 and 2. */
export const testOf = (name: string, expected: number): Files => ({
  [`test/${name}.test.js`]: [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    `import { ${name} } from "../src/${name}.js";`,
    "",
    `test("${name}", () => assert.equal(${name}(3, 2), ${expected}));`,
    "",
  ].join("\n"),
});
