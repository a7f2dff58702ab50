// One deployment as a test sees it: where it answers, and what its operator and its code host can do. Each test brings its
// own account or repository, so that none disturbs another.

import { createPrivateKey, randomInt } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { type Claims, githubClaims } from "../../../fakes/issuer/claims.ts";
import { signCompact } from "../../../fakes/issuer/key.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { systemRandom } from "../../../src/base/ids.ts";
import { type Client, createClient } from "../../../src/client/client.ts";
import { fetchTransport } from "../../../src/client/transport.ts";
import { type ExchangeResponse, exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import type { CallerClass } from "../../../src/service/core/accounts/credential.ts";
import { makeApiKey, openAccount } from "../../../src/service/core/accounts/keys.ts";
import type { Plan } from "../../../src/service/core/money/plan.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import type { WorkflowRecord } from "../../../src/service/core/workflows/workflow.ts";
import { putWorkflow } from "../../../src/service/core/workflows/workflows.ts";
import { openPostgresStore } from "../../../src/service/store/postgres.ts";
import { openSqliteStore } from "../../../src/service/store/sqlite.ts";
import type { Exit } from "../fixtures/service-process.ts";
import { runCommand } from "../run/run-command.ts";
import { type Answer, type Call, call } from "../service-client.ts";
import { CiJob } from "../service-job.ts";
import { type DeploymentHandle, deployedRates } from "./deployments.ts";

/** An account, and clients of its owner and of an AI client that acts for it. */
export type DeployedAccount = {
  readonly id: string;
  readonly ownerKey: string;
  readonly aiKey: string;
  readonly owner: Client;
  readonly ai: Client;
};

export class DeployedService {
  readonly handle: DeploymentHandle;
  readonly #store: Store;
  #calls = 0;

  static async attach(handle: DeploymentHandle): Promise<DeployedService> {
    return new DeployedService(handle, await openBeside(handle));
  }

  private constructor(handle: DeploymentHandle, store: Store) {
    this.handle = handle;
    this.#store = store;
  }

  /** Where each API node answers. */
  get apis(): readonly string[] {
    return this.handle.nodes.filter(({ role }) => role !== "worker").map(({ url }) => url);
  }

  /** Where the next API node in turn answers. */
  url(): string {
    const url = this.apis[this.#calls % this.apis.length];
    if (url === undefined) throw new Error("There is no API node.");
    this.#calls += 1;
    return url;
  }

  /** Calls the next API node by path, nothing interpreted. */
  async call(path: string, options: Call = {}): Promise<Answer> {
    return await call(this.url() + path, options);
  }

  /** The product's client. Each of its requests goes to the next API node. */
  client(secret: string): Client {
    return createClient({
      baseUrl: this.url(),
      credential: () => secret,
      transport: (request) => {
        const { pathname, search } = new URL(request.url);
        return fetchTransport({ ...request, url: this.url() + pathname + search });
      },
    });
  }

  /** A new account. A subscribed one has plenty of credits and no limits. */
  async account(plan: Plan = "subscribed"): Promise<DeployedAccount> {
    const core = this.#core();
    const { id } = await openAccount(core, plan);
    const make = async (callerClass: CallerClass) =>
      (await makeApiKey(core, { accountId: id, callerClass, name: callerClass })).secret;
    const [ownerKey, aiKey] = [await make("owner"), await make("ai_client")];
    return { id, ownerKey, aiKey, owner: this.client(ownerKey), ai: this.client(aiKey) };
  }

  /** A new account, and the id of an agent of it. */
  async accountWithAgent(plan?: Plan): Promise<DeployedAccount & { readonly agentId: string }> {
    const account = await this.account(plan);
    const { id: agentId } = await account.owner.agents.create({ body: { name: "helper" } });
    return { ...account, agentId };
  }

  /** Writes a workflow, or a further version of one, as its operator would. */
  async putWorkflow(workflow: { agentId: string; id?: string; prompt: string }): Promise<WorkflowRecord> {
    const written = await putWorkflow(this.#core(), { name: "triage", id: null, ...workflow });
    if (!written.ok) throw new Error(`The workflow was refused: ${written.refusal.reason}`);
    return written.value;
  }

  /** The command as an operator runs it beside the service. */
  async operate(...args: string[]): Promise<Exit> {
    const { dataDir, databaseUrl, ratesFile } = this.handle;
    return await runCommand(args, {
      DATA_DIR: dataDir,
      RATES_FILE: ratesFile,
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    });
  }

  /** The claims of a repository, and of an owner, that no other test uses. */
  freshRepository(claims: Claims = {}): Claims {
    const id = String(randomInt(1_000_000, 2 ** 40));
    return {
      repository: `owner-${id}/project`,
      repository_id: id,
      repository_owner_id: `7${id}`,
      ...claims,
    };
  }

  /** A job's ID token. */
  mint(claims: Claims = {}): string {
    const { issuer, audience } = this.handle;
    const { kid, alg, privateKey } = issuer;
    return signCompact({
      header: { typ: "JWT", alg, kid },
      payload: githubClaims({
        issuer: issuer.url,
        nowMs: Date.now(),
        overrides: { aud: audience, ...claims },
      }),
      key: createPrivateKey({ key: privateKey, format: "jwk" }),
    });
  }

  async exchange(claims: Claims, more: Readonly<Record<string, string>> = {}): Promise<ExchangeResponse> {
    const json = { subject_token: this.mint(claims), ...more };
    const answer = await this.call("/v1/ci/oidc/exchange", { method: "POST", json });
    if (answer.status !== 200) throw new Error(`The exchange was refused: ${answer.text}`);
    return exchangeResponseSchema.parse(answer.body);
  }

  /** A job that has exchanged its token. A repository of its own unless the claims name one. */
  async job(claims: Claims = this.freshRepository()): Promise<CiJob> {
    return new CiJob({ fixture: this, exchanged: await this.exchange(claims) });
  }

  /** Reads past the service, as an operator would. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    const { dataDir, databaseUrl } = this.handle;
    if (databaseUrl === null) {
      const database = new DatabaseSync(join(dataDir, "agent-service.sqlite"), { readOnly: true });
      try {
        return database.prepare(sql).all();
      } finally {
        database.close();
      }
    }
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Lets go of the deployment, which goes on. */
  async detach(): Promise<void> {
    await this.#store.close();
  }

  #core() {
    return { store: this.#store, clock: systemClock, random: systemRandom, rates: deployedRates };
  }
}

/** The store, without holding what the service holds. */
async function openBeside({ dataDir, databaseUrl }: DeploymentHandle): Promise<Store> {
  if (databaseUrl !== null) return await openPostgresStore({ url: databaseUrl });
  return await openSqliteStore({ folder: dataDir, hold: "none" });
}
