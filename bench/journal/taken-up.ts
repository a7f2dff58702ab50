// From a worker that is killed to the next request of its run. On the embedded store the process is started again at once; on
// PostgreSQL another worker waits, and takes the run once the killed one has been silent for STALLED_SECONDS.

import { randomBytes } from "node:crypto";
import type { Script } from "../../fakes/model-server/script.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { call, say, stall } from "../../fakes/model-server/turn.ts";
import type { ServedProcess } from "../../scripts/served-process.ts";
import { SEALING_KEY_BYTES } from "../../src/base/sealed-text.ts";
import type { BenchService, Job } from "../bench-service.ts";
import { LoadClient } from "../http-client.ts";
import { startModelService } from "../model-service.ts";
import { median } from "../statistics.ts";

export const TAKEN_UP_STALLED_SECONDS = 5;
const KILLS = 5;
/** Turns that write a file each; the request after them is held, and its worker killed. */
const TURNS = 3;
const LOOK_SECONDS = 1;

export type TakenUpFigures = {
  readonly medianMs: number;
  readonly longestMs: number;
  /** Of the process that was started in the place of the killed one: from its start to its "ready" line. Null where none was. */
  readonly readyMs: number | null;
};

export async function measureTakenUp(databaseUrl?: string): Promise<TakenUpFigures> {
  const story = new HeldStory();
  const isShared = databaseUrl !== undefined;
  const service = await startModelService({
    script: story.script,
    ...(isShared ? { databaseUrl, pairs: 1 } : {}),
    env: {
      STALLED_SECONDS: String(TAKEN_UP_STALLED_SECONDS),
      RUN_SECRETS_KEY: randomBytes(SEALING_KEY_BYTES).toString("base64"),
    },
  });
  const took: number[] = [];
  const readyMs: number[] = [];
  let worker: ServedProcess = service.workers[0];
  let api = service.jobs[0].api;
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const client = new LoadClient({ baseUrl: api.url, bearer: service.jobs[0].bearer });
    const runId = await submit(client, service.jobs[0], kill);
    await story.held(kill);
    const other = isShared ? await service.startWorker("beside") : null;
    process.kill(worker.pid, "SIGKILL");
    const killedAt = performance.now();
    const next = story.askedAgain(kill).then((at) => took.push(at - killedAt));
    worker = other ?? (await startAgain(service, worker));
    if (other === null) {
      api = worker;
      readyMs.push(worker.readyMs);
    }
    await next;
    client.close();
    const reader = new LoadClient({ baseUrl: api.url, bearer: service.jobs[0].bearer });
    await expectCompleted(reader, runId);
    reader.close();
  }
  await service.stop();
  return {
    medianMs: median(took),
    longestMs: Math.max(...took),
    readyMs: readyMs.length === 0 ? null : median(readyMs),
  };
}

async function startAgain(service: BenchService, killed: ServedProcess): Promise<ServedProcess> {
  await killed.stop();
  return await service.startWorker("again");
}

async function submit(client: LoadClient, { agentId }: Job, kill: number): Promise<string> {
  const { status, body } = await client.send("POST", `/v1/agents/${agentId}/runs`, {
    message: `Run ${kill}.`,
  });
  if (status !== 202) throw new Error(`The run was refused: ${body}`);
  return JSON.parse(body).run_id;
}

async function expectCompleted(client: LoadClient, runId: string): Promise<void> {
  for (let after = 0; ; ) {
    const path = `/v1/ci/runs/${runId}?wait=${LOOK_SECONDS}&after=${after}`;
    const { status, body } = await client.send("GET", path);
    if (status !== 200) throw new Error(`The poll was answered ${status}: ${body}`);
    const page = JSON.parse(body);
    after = page.next;
    if (page.done !== true) continue;
    if (page.run.status !== "completed") throw new Error(`A run that was taken up is ${page.run.status}.`);
    return;
  }
}

type Held = { readonly first: PromiseWithResolvers<void>; readonly again: PromiseWithResolvers<number> };

/** The first request after the last turn is never answered, the second one is. */
class HeldStory {
  readonly #runs = new Map<number, Held & { requests: number }>();

  readonly script: Script = everyTime(({ assistantTurns: turn, firstUserMessage }) => {
    if (turn < TURNS) return call("write_file", { path: `written-${turn}.txt`, content: `Turn ${turn}.\n` });
    const run = this.#run(Number(/Run (\d+)\./.exec(firstUserMessage)?.[1]));
    run.requests += 1;
    if (run.requests > 1) {
      run.again.resolve(performance.now());
      return say("Done.");
    }
    run.first.resolve();
    return stall(run.again.promise, say("Nobody reads this."));
  });

  async held(run: number): Promise<void> {
    await this.#run(run).first.promise;
  }

  async askedAgain(run: number): Promise<number> {
    return await this.#run(run).again.promise;
  }

  #run(number: number) {
    const run = this.#runs.get(number) ?? {
      first: Promise.withResolvers<void>(),
      again: Promise.withResolvers<number>(),
      requests: 0,
    };
    this.#runs.set(number, run);
    return run;
  }
}
