// The `run:` steps of an example as a runner executes them, and programs that note how they were called.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseFileCommands } from "../../fakes/runner/file-commands.ts";

export type ScriptOptions = {
  readonly script: string;
  /** What the workflow names; null for the runner's own, which has no pipefail. */
  readonly shell: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly programs: string | null;
};

export type EndedScript = {
  readonly outcome: "success" | "failure";
  readonly outputs: Readonly<Record<string, string>>;
  readonly log: string;
};

/** https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell */
export async function runScript({ script, shell, env, programs }: ScriptOptions): Promise<EndedScript> {
  const folder = await mkdtemp(join(tmpdir(), "script-"));
  try {
    const file = join(folder, "script.sh");
    const output = join(folder, "output");
    await writeFile(file, script);
    await writeFile(output, "");
    const path = [...(programs === null ? [] : [programs]), process.env.PATH ?? ""].join(delimiter);
    const flags = shell === "bash" ? ["--noprofile", "--norc", "-eo", "pipefail"] : ["-e"];
    const child = spawn("bash", [...flags, file], {
      cwd: env.GITHUB_WORKSPACE,
      env: { HOME: folder, ...env, PATH: path, GITHUB_OUTPUT: output },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let log = "";
    const take = (chunk: string) => {
      log += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    const [code] = await once(child, "close");
    const outputs = parseFileCommands(await readFile(output, "utf8"));
    return { outcome: code === 0 ? "success" : "failure", outputs, log };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export type ProgramCall = {
  readonly args: readonly string[];
  /** GH_REPO and GH_TOKEN, as the program saw them. */
  readonly repository: string;
  readonly token: string;
  /** What stood in the file after `--notes-file`. */
  readonly notes: string | null;
};

/** A `gh` that notes its calls and answers what it is told to. */
export class FakeGh {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<FakeGh> {
    const folder = await mkdtemp(join(tmpdir(), "programs-"));
    const program = [
      `#!${process.execPath}`,
      'const { appendFileSync, readFileSync } = require("node:fs");',
      `const folder = ${JSON.stringify(folder)};`,
      "const args = process.argv.slice(2);",
      'const at = args.indexOf("--notes-file");',
      'const notes = at < 0 ? null : readFileSync(args[at + 1], "utf8");',
      'const { GH_REPO: repository = "", GH_TOKEN: token = "" } = process.env;',
      'appendFileSync(folder + "/calls", JSON.stringify({ args, repository, token, notes }) + "\\n");',
      'const answers = JSON.parse(readFileSync(folder + "/answers", "utf8"));',
      'const { stdout = "", code = 0 } = answers[args.slice(0, 2).join(" ")] ?? {};',
      "process.stdout.write(stdout);",
      "process.exitCode = code;",
    ];
    await writeFile(join(folder, "gh"), program.join("\n"));
    await chmod(join(folder, "gh"), 0o755);
    const gh = new FakeGh(folder);
    await gh.answer({});
    return gh;
  }

  /** What a command like "release view" prints, and its exit code, from now on. Forgets the calls before. */
  async answer(answers: Readonly<Record<string, { stdout?: string; code?: number }>>): Promise<void> {
    await writeFile(join(this.folder, "answers"), JSON.stringify(answers));
    await writeFile(join(this.folder, "calls"), "");
  }

  async calls(): Promise<ProgramCall[]> {
    const lines = (await readFile(join(this.folder, "calls"), "utf8")).split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
