// The service to be measured: one process, or API nodes and workers on one PostgreSQL, with jobs that use it, of a
// codeHost of the benchmark's own. Backend `noop`: runs that clone and compute nothing, for what the service
// itself takes.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CodeHost, startCodeHost } from "../fakes/code-host/code-host.ts";
import { opened } from "../scripts/opened.ts";
import { type ServedProcess, startServer } from "../scripts/served-process.ts";
import { exchangeResponseSchema } from "../src/contract/ci/exchange.ts";
import { LoadClient } from "./http-client.ts";

const root = join(import.meta.dirname, "..");
/** What ID tokens are made for. */
export const AUDIENCE = "bench.example";

/** A job, of an owner of its own, that uses one of the API nodes. */
export type Job = {
  readonly api: ServedProcess;
  readonly agentId: string;
  /** Its capability. */
  readonly bearer: string;
  readonly client: LoadClient;
};

export type BenchService = {
  readonly codeHost: CodeHost;
  readonly jobs: AtLeastOne<Job>;
  /** Where runs are carried out: in one process the API itself. */
  readonly workers: AtLeastOne<ServedProcess>;
  /** Starts one more process that executes runs: beside the others, or where one has ended, with its data. */
  startWorker(where: "beside" | "again"): Promise<ServedProcess>;
  stop(): Promise<void>;
};

type AtLeastOne<Item> = readonly [Item, ...Item[]];

export type BenchServiceOptions = {
  /** The embedded store unless told. */
  readonly databaseUrl?: string;
  /** So many API nodes and as many workers. One process for all unless told. */
  readonly pairs?: number;
  /** Jobs, in turn on the API nodes: one unless told. */
  readonly jobs?: number;
  /** Where the repository lies that jobs are of: this one's own unless told. */
  readonly repository?: string;
  /** What carries the runs out, in the place of `agent-service`. */
  readonly worker?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export async function startBenchService(options: BenchServiceOptions = {}): Promise<BenchService> {
  const codeHost = await startCodeHost({ repositories: { "octo/hello": options.repository ?? root } });
  const closeCodeHost = opened(() => codeHost.close());
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const removeFolder = opened(() => rm(folder, { recursive: true, force: true }));

  let nodes = 0;
  const start = async (role: string, args: readonly string[]) => {
    nodes += 1;
    const dataFolder = join(folder, `node-${nodes}`);
    return await startServer({ args, env: environment({ options, codeHost, role, dataFolder }) });
  };
  const { pairs, worker } = options;
  const names = Array.from({ length: pairs ?? 0 }, (_, index) => String(index));
  const serve = ["npm/cli.mjs", "serve"];
  const apis = await Promise.all(
    pairs === undefined ? [start("all", worker ?? serve)] : names.map(() => start("api", serve)),
  );
  const work = worker ?? ["npm/cli.mjs", "work"];
  const workers = await Promise.all(names.map(() => start("worker", work)));
  const more: ServedProcess[] = [];

  const jobs: Job[] = [];
  for (let index = 0; index < (options.jobs ?? 1); index += 1) {
    const api = apis[index % apis.length] ?? atLeastOne(apis)[0];
    jobs.push(await exchange({ codeHost, api, index }));
  }
  return {
    codeHost,
    jobs: atLeastOne(jobs),
    workers: atLeastOne(pairs === undefined ? apis : workers),
    startWorker: async (where) => {
      if (where === "again") nodes -= 1;
      const started = await (pairs === undefined ? start("all", worker ?? serve) : start("worker", work));
      more.push(started);
      return started;
    },
    stop: async () => {
      for (const { client } of jobs) client.close();
      await Promise.all([...apis, ...workers, ...more].map(({ stop }) => stop()));
      await Promise.all([closeCodeHost(), removeFolder()]);
    },
  };
}

function environment(node: {
  options: BenchServiceOptions;
  codeHost: CodeHost;
  role: string;
  dataFolder: string;
}): Record<string, string> {
  const { databaseUrl, env } = node.options;
  return {
    BACKEND: "noop",
    BASE_URL: `http://${AUDIENCE}`,
    CI_FREE_CREDITS: "1000000",
    CI_ISSUERS: JSON.stringify([node.codeHost.issuerEntry]),
    DATA_DIR: node.dataFolder,
    DRAIN_SECONDS: "0",
    PORT: "0",
    ROLE: node.role,
    // One address, and few capabilities, do what thousands would.
    ADDRESS_RATE_PER_MINUTE: "10000000",
    CI_RATE_PER_MINUTE: "1000000",
    RATE_PER_MINUTE: "10000000",
    MAX_SOCKETS: "10000",
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...env,
  };
}

async function exchange(asked: { codeHost: CodeHost; api: ServedProcess; index: number }): Promise<Job> {
  const { codeHost, api, index } = asked;
  const job = await codeHost.job();
  const id = String(1_000 + index);
  const client = new LoadClient({ baseUrl: api.url, bearer: "" });
  const { status, body } = await client.send("POST", "/v1/ci/oidc/exchange", {
    subject_token: job.mintIdToken(AUDIENCE, { repository_id: id, repository_owner_id: id }),
  });
  client.close();
  if (status !== 200) throw new Error(`The exchange answered ${status}: ${body}`);
  const { access_token: bearer, agent_id: agentId } = exchangeResponseSchema.parse(JSON.parse(body));
  return { api, agentId, bearer, client: new LoadClient({ baseUrl: api.url, bearer }) };
}

function atLeastOne<Item>([item, ...others]: readonly Item[]): AtLeastOne<Item> {
  if (item === undefined) throw new RangeError("There has to be one at least.");
  return [item, ...others];
}
