// The nodes of one service, each a process of its own, on one store: two API nodes and two workers on a PostgreSQL
// schema unless told.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CodeHost, startCodeHost } from "../../fakes/code-host/code-host.ts";
import type { Claims } from "../../fakes/issuer/claims.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import type { Role } from "../../src/service/settings/service-settings.ts";
import { call } from "./service-client.ts";
import { CiJob } from "./service-job.ts";
import { ServiceProcess } from "./service-process.ts";
import { type StorePlace, storeKinds } from "./stores.ts";

const SLOW_WORKER = join(dirname(fileURLToPath(import.meta.url)), "slow-worker.ts");
/** What tokens must name. */
export const AUDIENCE = "nodes.example";

export type NodesOptions = {
  /** A place on the PostgreSQL of the tests unless told. Removed with the nodes. */
  readonly place?: StorePlace;
  readonly roles?: readonly Role[];
  readonly stalledSeconds?: number;
  /** Settings of every node, in the place of ours or beside them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The address of the database that the nodes are told, where it is not the database's own. */
  readonly through?: (databaseUrl: URL) => void;
};

export type Node = {
  readonly process: ServiceProcess;
  readonly url: string;
  readonly role: Role;
  readonly folder: string;
  /** Its settings, the port that it took among them. */
  readonly env: Readonly<Record<string, string>>;
};

type Parts = {
  readonly place: StorePlace;
  readonly label: string;
  readonly nodes: Node[];
  readonly forge: CodeHost;
  readonly folder: string;
};

export class ServiceNodes {
  readonly place: StorePlace;
  readonly forge: CodeHost;
  /** The application name of every connection of these nodes, and of no other. */
  readonly label: string;
  readonly all: Node[];
  readonly #folder: string;

  static async start(options: NodesOptions = {}): Promise<ServiceNodes> {
    const { roles = ["api", "api", "worker", "worker"] } = options;
    const place = options.place ?? (await makePostgresPlace());
    const forge = await startCodeHost({ repositories: {} });
    const folder = await mkdtemp(join(tmpdir(), "agent-service-nodes-"));
    const label = `nodes-${folder.slice(-6)}`;
    const { databaseUrl } = place.settings;
    const url = databaseUrl === null ? null : new URL(databaseUrl);
    url?.searchParams.set("application_name", label);
    if (url !== null) options.through?.(url);
    const common = {
      PORT: "0",
      BASE_URL: "http://nodes.example",
      BACKEND: "noop",
      STALLED_SECONDS: String(options.stalledSeconds ?? 60),
      MAX_RUNNING_RUNS: "16",
      CI_AUDIENCE: AUDIENCE,
      CI_ISSUERS: JSON.stringify([forge.issuerEntry]),
      CI_FREE_CREDITS: "1000000",
      CI_RATE_PER_MINUTE: "100000",
      RATE_PER_MINUTE: "1000000",
      ADDRESS_RATE_PER_MINUTE: "1000000",
      DRAIN_SECONDS: "0",
      ...(url === null ? {} : { DATABASE_URL: url.href }),
      ...options.settings,
    };
    const start = async (role: Role, index: number): Promise<Node> => {
      const own = url === null ? place.settings.dataDir : join(folder, `${role}-${index}`);
      return await startNode(role, { ...common, ROLE: role, DATA_DIR: own });
    };
    const nodes = await Promise.all(roles.map(start));
    return new ServiceNodes({ place, label, nodes, forge, folder });
  }

  private constructor(parts: Parts) {
    this.place = parts.place;
    this.forge = parts.forge;
    this.label = parts.label;
    this.all = parts.nodes;
    this.#folder = parts.folder;
  }

  /** The nodes that answer the API. */
  get apis(): readonly Node[] {
    return this.all.filter(({ role }) => role !== "worker");
  }

  /** The nodes that carry runs out. */
  get workers(): readonly Node[] {
    return this.all.filter(({ role }) => role !== "api");
  }

  /** A job's ID token. */
  mint(claims: Claims = {}): string {
    const { issuer } = this.forge;
    return issuer.sign(issuer.githubClaims({ aud: AUDIENCE, ...claims }));
  }

  /** One job, and how it looks through each API node. */
  async jobs(): Promise<[CiJob, CiJob]> {
    const [first, second] = this.apis;
    if (first === undefined || second === undefined) throw new Error("There are two API nodes.");
    const answer = await call(`${first.url}/v1/ci/oidc/exchange`, {
      method: "POST",
      json: { subject_token: this.mint() },
    });
    const exchanged = exchangeResponseSchema.parse(answer.body);
    const through = ({ url }: Node) =>
      new CiJob({ fixture: { call: (path, options) => call(url + path, options) }, exchanged });
    return [through(first), through(second)];
  }

  /** How often the backend was called for each run, on whatever node, living or dead. */
  async executions(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const { folder } of this.workers) {
      const text = await readFile(join(folder, "executions"), "utf8").catch(() => "");
      for (const runId of text.split("\n").slice(0, -1)) counts.set(runId, (counts.get(runId) ?? 0) + 1);
    }
    return counts;
  }

  /** Ends every connection that these nodes have now, as an operator would. Returns how many. */
  async loseConnections(): Promise<number> {
    const ended = await this.place.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${this.label}'`,
    );
    return ended.length;
  }

  /** Kills a node and starts it again where it was, as whoever supervises it would. */
  async startAgain(node: Node): Promise<void> {
    await node.process.kill();
    this.all.splice(this.all.indexOf(node), 1, await startNode(node.role, node.env));
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(({ process }) => process.kill()));
    await this.forge.close();
    await this.place.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function startNode(role: Role, env: Readonly<Record<string, string>>): Promise<Node> {
  const process =
    role === "api" ? new ServiceProcess(["serve"], env) : new ServiceProcess([], env, SLOW_WORKER);
  const url = await process.ready();
  return { process, url, role, folder: env.DATA_DIR ?? "", env: { ...env, PORT: new URL(url).port } };
}

async function makePostgresPlace(): Promise<StorePlace> {
  const kind = storeKinds.find(({ name }) => name === "PostgreSQL");
  if (kind === undefined) throw new Error("TEST_DATABASE_URL is not set.");
  return await kind.make();
}
