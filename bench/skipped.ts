// A comment that asks for nothing: the whole of the Action's process, beside Node that starts and ends. On a busy
// repository nearly every job of the Action is this one. The two take turns, so that both meet the same machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./statistics.ts";

const MAIN = join(dirname(fileURLToPath(import.meta.url)), "../dist/main.cjs");

export type Skipped = {
  /** Medians in milliseconds. */
  readonly bareMs: number;
  readonly actionMs: number;
  /** The action's median over that of an empty script. */
  readonly ratio: number;
};

/** Measures the built dist/main.cjs under the Node that runs this. The first round of each is not counted. */
export async function measureSkipped(options: { rounds: number }): Promise<Skipped> {
  const folder = await mkdtemp(join(tmpdir(), "skipped-"));
  try {
    const files = {
      script: join(folder, "bare.cjs"),
      event: join(folder, "event.json"),
      output: join(folder, "output"),
      state: join(folder, "state"),
    };
    await writeFile(files.script, "");
    await writeFile(files.event, JSON.stringify({ action: "created", comment: { body: COMMENT } }));
    await writeFile(files.output, "");
    await writeFile(files.state, "");
    const bare: number[] = [];
    const action: number[] = [];
    for (let round = 0; round <= options.rounds; round += 1) {
      bare.push(await runOnce(files.script, {}));
      action.push(await runOnce(MAIN, actionEnv(files)));
    }
    const outputs = await readFile(files.output, "utf8");
    if (!outputs.includes("no_command")) throw new Error("The action did not skip the comment.");
    const [bareMs, actionMs] = [median(bare.slice(1)), median(action.slice(1))];
    return { bareMs, actionMs, ratio: actionMs / bareMs };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const COMMENT = "This looks right to me, but see `src/index.ts`.\n\n> and what of the tests?\n\nThey pass.\n";

async function runOnce(script: string, env: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [script], { env, stdio: "ignore" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${script} ended with ${code}.`);
  return performance.now() - startedAt;
}

function actionEnv(files: { event: string; output: string; state: string }): Record<string, string> {
  return {
    "INPUT_BASE-URL": "https://agents.example.com",
    "INPUT_GITHUB-TOKEN": "ghs_0",
    INPUT_MATRIX: "null",
    GITHUB_EVENT_NAME: "issue_comment",
    GITHUB_EVENT_PATH: files.event,
    GITHUB_OUTPUT: files.output,
    GITHUB_STATE: files.state,
    GITHUB_REPOSITORY: "octo/repo",
    GITHUB_REPOSITORY_ID: "1",
    GITHUB_RUN_ID: "1",
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { bareMs, actionMs, ratio } = await measureSkipped({ rounds: 40 });
  process.stdout.write(
    `skipped ${actionMs.toFixed(1)} ms, bare Node ${bareMs.toFixed(1)} ms, ratio ${ratio.toFixed(2)}\n`,
  );
}
