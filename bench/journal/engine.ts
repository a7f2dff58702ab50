// node engine.ts <engine> <folder> <url>: one workflow engine, installed in the folder, on the database at the URL. Runs of so many
// steps of 2 KB at once, five times after one to warm up; prints steps a second and the process's CPU a step as JSON, medians.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { median } from "../statistics.ts";
import { JOURNAL_RUNS, STEP_BYTES, STEPS_A_RUN } from "./size.ts";

const REPEATS = 5;

type Steps = (run: (name: string, work: () => Promise<string>) => Promise<unknown>) => Promise<void>;
/** Runs the workflow once, from its start to its known end. */
type RunOnce = () => Promise<unknown>;

const [name = "", folder = "", url = ""] = process.argv.slice(2);
const installed = createRequire(join(folder, "package.json"));
const load = async (id: string) => await import(pathToFileURL(installed.resolve(id)).href);

const steps: Steps = async (run) => {
  for (let step = 1; step <= STEPS_A_RUN; step += 1) {
    await run(`step-${step}`, async () => randomBytes(STEP_BYTES / 2).toString("hex"));
  }
};

const engines: Readonly<Record<string, () => Promise<RunOnce>>> = {
  async absurd() {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(await readFile(join(folder, "absurd.sql"), "utf8"));
    await client.end();
    const { Absurd } = await load("absurd-sdk");
    const app = new Absurd({ db: url, queueName: "bench" });
    await app.createQueue("bench");
    app.registerTask({ name: "steps" }, async (_params: unknown, context: { step: never }) => {
      const { step } = context as { step(name: string, work: () => Promise<string>): Promise<unknown> };
      await steps((id, work) => step.call(context, id, work));
      return null;
    });
    await app.startWorker({ concurrency: JOURNAL_RUNS, pollInterval: 0.01 });
    return async () => {
      const { taskID } = await app.spawn("steps", {});
      await app.awaitTaskResult(taskID);
    };
  },
  async openworkflow() {
    const { OpenWorkflow } = await load("openworkflow");
    const { BackendPostgres } = await load("openworkflow/postgres");
    const app = new OpenWorkflow({ backend: await BackendPostgres.connect(url) });
    type Context = { step: { run(of: { name: string }, work: () => Promise<string>): Promise<unknown> } };
    const workflow = app.defineWorkflow({ name: "steps" }, async ({ step }: Context) => {
      await steps((id, work) => step.run({ name: id }, work));
    });
    await app.newWorker({ concurrency: JOURNAL_RUNS }).start();
    return async () => await (await workflow.run({})).result();
  },
  async dbos() {
    const { DBOS } = await load("@dbos-inc/dbos-sdk");
    DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, logLevel: "error" });
    const work = DBOS.registerWorkflow(() => steps((id, step) => DBOS.runStep(step, { name: id })), {
      name: "steps",
    });
    await DBOS.launch();
    return async () => await (await DBOS.startWorkflow(work)()).getResult();
  },
};

const runOnce = await engines[name]?.();
if (runOnce === undefined) throw new Error(`There is no engine ${name}.`);
const measured: { perSecond: number; cpuMs: number }[] = [];
for (let repeat = 0; repeat <= REPEATS; repeat += 1) {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: JOURNAL_RUNS }, runOnce));
  const used = process.cpuUsage(cpu);
  const count = JOURNAL_RUNS * STEPS_A_RUN;
  measured.push({
    perSecond: count / ((performance.now() - startedAt) / 1000),
    cpuMs: (used.user + used.system) / 1000 / count,
  });
}
const counted = measured.slice(1);
const figures = {
  perSecond: median(counted.map(({ perSecond }) => perSecond)),
  cpuMs: median(counted.map(({ cpuMs }) => cpuMs)),
};
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
