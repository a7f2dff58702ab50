// Two API nodes and two workers, each a process of its own, on one PostgreSQL schema.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { exchangeResponseSchema } from "../../src/contract/exchange.ts";
import { type Forge, startForge } from "./forge.ts";
import { call } from "./service-client.ts";
import { CiJob } from "./service-job.ts";
import { ServiceProcess } from "./service-process.ts";
import { type StorePlace, storeKinds } from "./stores.ts";

const SLOW_WORKER = join(dirname(fileURLToPath(import.meta.url)), "slow-worker.ts");
const AUDIENCE = "nodes.example";

export type NodesOptions = {
  readonly stalledSeconds?: number;
  /** The address of the database that the nodes are told, where it is not the database's own. */
  readonly through?: (databaseUrl: URL) => void;
};

export type Node = { readonly process: ServiceProcess; readonly url: string };

export class ServiceNodes {
  readonly place: StorePlace;
  /** The application name of every connection of these nodes, and of no other. */
  readonly label: string;
  readonly apis: readonly Node[];
  readonly workers: readonly Node[];
  readonly #forge: Forge;
  readonly #folder: string;

  static async start(options: NodesOptions = {}): Promise<ServiceNodes> {
    const kind = storeKinds.find(({ name }) => name === "PostgreSQL");
    if (kind === undefined) throw new Error("TEST_DATABASE_URL is not set.");
    const [forge, place] = await Promise.all([startForge({ repositories: {} }), kind.make()]);
    const folder = await mkdtemp(join(tmpdir(), "agent-service-nodes-"));
    const { databaseUrl } = place.settings;
    if (databaseUrl === null) throw new Error("The place has no database.");
    const url = new URL(databaseUrl);
    const label = `nodes-${folder.slice(-6)}`;
    url.searchParams.set("application_name", label);
    options.through?.(url);
    const start = async (name: string, entry?: string): Promise<Node> => {
      const env = {
        PORT: "0",
        BASE_URL: "http://nodes.example",
        DATA_DIR: join(folder, name),
        DATABASE_URL: url.href,
        BACKEND: "noop",
        STALLED_SECONDS: String(options.stalledSeconds ?? 60),
        MAX_RUNNING_RUNS: "16",
        CI_AUDIENCE: AUDIENCE,
        CI_ISSUERS: JSON.stringify([forge.issuerEntry]),
        CI_FREE_CREDITS: "1000000",
        CI_RATE_PER_MINUTE: "100000",
        DRAIN_SECONDS: "0",
        ROLE: entry === undefined ? "api" : "worker",
      };
      const process = new ServiceProcess(entry === undefined ? ["serve"] : [], env, entry);
      return { process, url: await process.ready() };
    };
    const [apis, workers] = await Promise.all([
      Promise.all([start("api-1"), start("api-2")]),
      Promise.all([start("worker-1", SLOW_WORKER), start("worker-2", SLOW_WORKER)]),
    ]);
    return new ServiceNodes({ place, label, apis, workers, forge, folder });
  }

  private constructor(parts: {
    place: StorePlace;
    label: string;
    apis: readonly Node[];
    workers: readonly Node[];
    forge: Forge;
    folder: string;
  }) {
    this.place = parts.place;
    this.label = parts.label;
    this.apis = parts.apis;
    this.workers = parts.workers;
    this.#forge = parts.forge;
    this.#folder = parts.folder;
  }

  /** One job, and how it looks through each API node. */
  async jobs(): Promise<[CiJob, CiJob]> {
    const [first, second] = this.apis;
    if (first === undefined || second === undefined) throw new Error("There are two API nodes.");
    const { issuer } = this.#forge;
    const token = issuer.sign(issuer.githubClaims({ aud: AUDIENCE }));
    const answer = await call(`${first.url}/v1/ci/oidc/exchange`, {
      method: "POST",
      json: { subject_token: token },
    });
    const exchanged = exchangeResponseSchema.parse(answer.body);
    const through = ({ url }: Node) =>
      new CiJob({ bed: { call: (path, options) => call(url + path, options) }, exchanged });
    return [through(first), through(second)];
  }

  /** Ends every connection that these nodes have now, as an operator would. Returns how many. */
  async loseConnections(): Promise<number> {
    const ended = await this.place.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${this.label}'`,
    );
    return ended.length;
  }

  async close(): Promise<void> {
    await Promise.all([...this.apis, ...this.workers].map(({ process }) => process.kill()));
    await this.#forge.close();
    await this.place.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
