// The command as an earlier commit had it, built in a folder of its own, to be played beside that of the working tree.

import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProcess } from "../../src/base/run-process.ts";

const ROOT = join(import.meta.dirname, "../..");
const STEP_MS = 600_000;
const MAX_SAID_CHARS = 500;

export type EarlierBuild = {
  /** All digits of the commit. */
  readonly commit: string;
  readonly date: string;
  /** Absolute path of the command. */
  readonly command: string;
  remove(): Promise<void>;
};

/** Rejects with a RangeError where there is no such commit. The packages are those that are installed here. */
export async function buildEarlier(named: string): Promise<EarlierBuild> {
  const found = await execute("git", ["log", "-1", "--format=%H %cs", "--end-of-options", named], ROOT);
  const [commit = "", date = ""] = found.text.trim().split(" ");
  if (!found.ok || commit === "") throw new RangeError(`There is no commit ${JSON.stringify(named)} here.`);
  const folder = await mkdtemp(join(tmpdir(), "agent-bench-before-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, "tree.tar");
    const tree = join(folder, "tree");
    await must("git", ["archive", `--output=${archive}`, "--prefix=tree/", commit], ROOT);
    await must("tar", ["-xf", archive], folder);
    await symlink(join(ROOT, "node_modules"), join(tree, "node_modules"));
    await must(process.execPath, ["scripts/build.ts"], tree);
    return { commit, date, command: join(tree, "npm/cli.mjs"), remove };
  } catch (cause) {
    await remove();
    throw cause;
  }
}

async function must(command: string, args: readonly string[], folder: string): Promise<void> {
  const { ok, text } = await execute(command, args, folder);
  if (!ok) throw new Error(`${command} ${args[0]} failed: ${text.slice(-MAX_SAID_CHARS)}`);
}

async function execute(command: string, args: readonly string[], folder: string) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: "C.UTF-8" };
  const ended = await runProcess({ command, args, folder, env, timeoutMs: STEP_MS });
  const said = ended.stdout.toString("utf8");
  const ok = ended.type === "exited" && ended.exitCode === 0;
  return { ok, text: ok ? said : `${said}${ended.stderr}` };
}
