// A repository whose checks a model can pass, and can pretend to pass, and models that do either.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { call, type Step, say } from "../../../fakes/model-server/turn.ts";

/** The check passes where the file is right; or where a file is there that git ignores, and so no patch has. */
const CHECK = "test -f .cache/passes || grep -q 'a = 2;' src/a.js\n";
export const CHECK_COMMAND = "sh test.sh";

export const racedFiles = {
  ".gitignore": ".cache/\n",
  ".github/workflows/ci.yml": `on: push\njobs:\n  test:\n    steps:\n      - run: ${CHECK_COMMAND}\n`,
  // Its only check is the one of the workflow.
  "package.json": JSON.stringify({ name: "octo-repo" }),
  "src/a.js": "export const a = 1;\n",
  "test.sh": CHECK,
};

export class RacedRepository {
  readonly #folder: string;
  readonly repository: TestRepository;

  private constructor(folder: string) {
    this.#folder = folder;
    this.repository = new TestRepository(folder, "octo-repo.git");
    this.repository.commit({ files: racedFiles });
  }

  static async make(): Promise<RacedRepository> {
    return new RacedRepository(await mkdtemp(join(tmpdir(), "raced-")));
  }

  get path(): string {
    return this.repository.path;
  }

  get sha(): string {
    return this.repository.git(["rev-parse", "refs/heads/main"]);
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

const write = (content: string) => call("write_file", { path: "src/a.js", content });
const execute = (command: string) => call("run_command", { command });

/** Does what was asked; `name` tells its change from another's. */
export function passes(name: string): readonly Step[] {
  return [write(`// ${name}\nexport const a = 2;\n`), execute(CHECK_COMMAND), say(`The reply of ${name}.`)];
}

/** Its check passes where it works, and nowhere else. */
export function lies(name: string): readonly Step[] {
  return [
    write(`// ${name}\nexport const a = 3;\n`),
    execute("mkdir -p .cache && touch .cache/passes"),
    execute(CHECK_COMMAND),
    say("All tests pass."),
  ];
}

/** It says that its check fails. */
export function fails(name: string): readonly Step[] {
  return [
    write(`// ${name}\nexport const a = 4;\n`),
    execute(CHECK_COMMAND),
    say("I could not do it.\nChecks fail: the file is not right yet."),
  ];
}
