// The Action without a server, on a small checkout: process start → the run's id on the log, which is there once the
// service inside answers and has taken the run. Beside it the same Action against a service that is served already. All
// take turns, so that they meet the same machine.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { CodeHostJob } from "../fakes/code-host/code-host.ts";
import { everyTime } from "../fakes/model-server/script.ts";
import { say } from "../fakes/model-server/turn.ts";
import { readActionInputs } from "../fakes/runner/action-manifest.ts";
import { AUDIENCE, type BenchService, startBenchService } from "./bench-service.ts";
import { makeSmallRepository } from "./made-repositories.ts";
import { MODEL, openModelServer } from "./model-service.ts";
import { median } from "./statistics.ts";

const MAIN = join(import.meta.dirname, "../dist/main.cjs");
const RUN_LINE = /^Run [0-9a-f-]{36}$/m;

/** Medians in milliseconds. */
export type EmbeddedFigures = {
  /** Against the served service. */
  readonly plainMs: number;
  readonly embeddedMs: number;
  /** Embedded, with a model configured. */
  readonly withModelMs: number;
};

/** Measures the built dist/main.cjs. The first round of each is not counted. */
export async function measureEmbedded(options: { rounds: number }): Promise<EmbeddedFigures> {
  const repository = await makeSmallRepository();
  const service = await startBenchService({ repository: repository.path });
  const model = await openModelServer(everyTime(() => say("Done.")));
  const modelInputs = { prompt: "Say that it is done.", model: MODEL, "model-base-url": model.baseUrl };
  const kinds = {
    plain: { "base-url": service.jobs[0].api.url, audience: AUDIENCE },
    embedded: { "base-url": "embedded" },
    withModel: { "base-url": "embedded", ...modelInputs },
  };
  const taken = { plain: [] as number[], embedded: [] as number[], withModel: [] as number[] };
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const kind of ["plain", "embedded", "withModel"] as const) {
      const job = await checkedOutJob(service, repository.path);
      taken[kind].push(await runOnce(job, kinds[kind]));
    }
  }
  await service.stop();
  await Promise.all([model.close(), repository.remove()]);
  const middle = (values: readonly number[]) => median(values.slice(1));
  return {
    plainMs: middle(taken.plain),
    embeddedMs: middle(taken.embedded),
    withModelMs: middle(taken.withModel),
  };
}

let jobs = 0;

/** A job of a workflow run of its own, with its commit in its checkout as actions/checkout leaves it. */
async function checkedOutJob({ codeHost }: BenchService, repository: string): Promise<CodeHostJob> {
  jobs += 1;
  const job = await codeHost.job({ runId: String(1_000_000 + jobs) });
  const { GITHUB_WORKSPACE: cwd, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = job.env;
  const git = (args: readonly string[]) => execFileSync("git", args, { cwd, stdio: "pipe" });
  git(["clone", "--quiet", "--depth=1", `file://${repository}`, "."]);
  git(["remote", "set-url", "origin", `${server}/${name}`]);
  return job;
}

/** Runs the step to its end. Returns when the run's id was printed. */
async function runOnce(job: CodeHostJob, given: Readonly<Record<string, string>>): Promise<number> {
  const inputs = { ...readActionInputs({ githubToken: job.githubToken, matrix: "null" }), ...given };
  const variables = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  const env = { PATH: process.env.PATH, ...job.env, ...Object.fromEntries(variables) };
  const startedAt = performance.now();
  const child = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "inherit"] });
  let log = "";
  let readyMs: number | null = null;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    log += chunk;
    if (readyMs === null && RUN_LINE.test(log)) readyMs = performance.now() - startedAt;
  });
  const [code] = await once(child, "close");
  if (code !== 0 || readyMs === null) throw new Error(`The action ended with ${code}:\n${log}`);
  return readyMs;
}
