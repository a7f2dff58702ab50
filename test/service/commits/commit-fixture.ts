// A running service, a private repository that no code host serves, and its jobs: an account has claimed it.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Claims } from "../../../fakes/issuer/claims.ts";
import { createClient } from "../../../src/client/client.ts";
import type { Checkout } from "../../../src/service/core/checkouts/checkout.ts";
import type { Backend, BackendTask } from "../../../src/service/executor/backend.ts";
import type { IssuerConfig } from "../../../src/service/oidc/issuer-config.ts";
import type { Config } from "../../../src/service/settings/config.ts";
import { makeTestKey, operateOn, type TestKey } from "../../support/account-key.ts";
import type { ServiceFixture } from "../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { say } from "../../support/scripted-backend.ts";
import type { Answer } from "../../support/service-client.ts";
import type { CiJob } from "../../support/service-job.ts";
import type { StoreKind } from "../../support/stores/stores.ts";
import { PackFixture } from "../checkouts/packs/pack-fixture.ts";

/** What a run finds, as JSON in its reply. */
export type Finding = {
  readonly text: string | null;
  readonly headSha: string;
  readonly commits: readonly string[];
  readonly instructions: string | null;
  readonly changed: readonly string[] | null;
};

/** Reads `a.txt` and what git knows, and answers with it. */
export async function readAndSay(
  task: Pick<BackendTask, "emit" | "nextId">,
  checkout: Checkout,
): Promise<void> {
  const changes = await checkout.changesSinceBase();
  const finding: Finding = {
    text: await readFile(join(checkout.root, "a.txt"), "utf8").catch(() => null),
    headSha: checkout.headSha,
    commits: (await checkout.recentCommits(10)).map(({ subject }) => subject),
    instructions: await checkout.instructions(),
    changed: changes?.files.map(({ path }) => path) ?? null,
  };
  await say(task, JSON.stringify(finding));
}

const reader: Backend = {
  name: "reader",
  needsCheckout: true,
  run: async (task, checkout) => {
    await readAndSay(task, checkout);
    return { stopReason: "end_turn" };
  },
};

export class CommitFixture {
  readonly service: ServiceFixture;
  readonly packs: PackFixture;
  /** What its service was started with. */
  readonly config: Partial<Config>;
  readonly #key: TestKey;

  static async start(
    config: Partial<Config> = {},
    {
      store,
      backend = reader,
      issuerEntry = {},
    }: {
      readonly store?: StoreKind;
      /** Null: that of the configuration. */
      readonly backend?: Backend | null;
      readonly issuerEntry?: Partial<IssuerConfig>;
    } = {},
  ): Promise<CommitFixture> {
    const chosen = backend === null ? {} : { backend };
    const service = await startFixture({ level: "service", store, ...chosen, config, issuerEntry });
    await service.stop();
    const key = await makeTestKey(service.place, { owner: { plan: "registered_free" } });
    await operateOn(service.place, ({ grant }) => grant({ accountId: key.accountId, credits: 1_000 }));
    await service.restart();
    return new CommitFixture({ service, config, packs: await PackFixture.make(), key });
  }

  private constructor({
    service,
    config,
    packs,
    key,
  }: {
    readonly service: ServiceFixture;
    readonly config: Partial<Config>;
    readonly packs: PackFixture;
    readonly key: TestKey;
  }) {
    this.service = service;
    this.config = config;
    this.packs = packs;
    this.#key = key;
  }

  /** A private repository that no other test uses, as its tokens have it. */
  unclaimed(claims: Claims = {}): Claims {
    return this.service.freshRepository({ repository_visibility: "private", ...claims });
  }

  /** One that the account owns. */
  async claimed(claims: Claims = {}): Promise<Claims> {
    const repository = this.unclaimed(claims);
    const { claim_url } = (await this.service.job(repository)).exchanged;
    const claim = claim_url?.split("/").at(-1);
    await this.service.call("/v1/ci/claim", { method: "POST", bearer: this.#key.secret, json: { claim } });
    const { accountId: account } = this.#key;
    const accepted = await this.service.call("/v1/ci/oidc/exchange", {
      method: "POST",
      json: { subject_token: this.service.mint(repository), account },
    });
    if (!accepted.text.includes('"claim":"claimed"')) throw new Error(accepted.text);
    return repository;
  }

  /** Of the account that owns what is claimed. */
  get key(): TestKey {
    return this.#key;
  }

  client(job: CiJob) {
    return createClient({ baseUrl: this.service.url, credential: job.bearer });
  }

  /** PUTs the commits that `revisions` name, without what `base` has. */
  async send(
    job: CiJob,
    sha: string,
    options: { base?: readonly string[]; pull_request?: number; pack?: Buffer } = {},
  ): Promise<Answer & { readonly sent: number }> {
    const { base = [], pull_request } = options;
    const pack = options.pack ?? this.packs.pack([sha, ...base.map((one) => `^${one}`)]);
    const query = new URLSearchParams();
    if (base.length > 0) query.set("base", base.join(","));
    if (pull_request !== undefined) query.set("pull_request", String(pull_request));
    const response = await fetch(`${this.service.url}/v1/ci/commits/${sha}?${query}`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${job.bearer}`,
        "content-type": "application/x-git-packed-objects",
      },
      body: new Uint8Array(pack),
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, text, body: JSON.parse(text), sent: pack.length };
  }

  /** Runs the agent, and reads what it found. */
  async run(job: CiJob, body: Readonly<Record<string, unknown>> = {}): Promise<Finding> {
    const answer = await job.submit({ message: "read", ...body });
    if (answer.status !== 202) throw new Error(answer.text);
    const events = await job.follow((answer.body as { run_id: string }).run_id);
    const text = events
      .map(({ event }) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : ""))
      .join("");
    if (text === "") throw new Error(JSON.stringify(events.at(-1)));
    return JSON.parse(text) as Finding;
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.packs.remove();
  }
}
