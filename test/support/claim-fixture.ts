// A core fixture whose jobs are whoever the test says, with accounts that claim their repositories over
// the socket. A run of the message "wait" is at work until it is stopped; an owner has one free credit.

import { makeJob } from "../../fakes/records.ts";
import { ok } from "../../src/base/result.ts";
import { type ExchangeResponse, exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import type { JobIdentity } from "../../src/service/core/ci/job-identity.ts";
import { scriptedBackend, untilStopped } from "./scripted-backend.ts";
import { makeAccount, openCaller, type TestAccount } from "./service-account.ts";
import type { Answer } from "./service-client.ts";
import { CoreFixture } from "./service-core.ts";
import type { StoreKind } from "./stores.ts";

export type Repository = JobIdentity["repository"];
export type JobOptions = {
  readonly event?: string;
  readonly account?: string;
  readonly provider?: string;
};

export class ClaimFixture {
  readonly core: CoreFixture;
  readonly api: Awaited<ReturnType<typeof openCaller>>;
  /** Every claim token that was printed. */
  readonly tokens: string[] = [];
  readonly #jobs = new Map<string, JobIdentity>();
  #count = 0;

  static async start(kind: StoreKind): Promise<ClaimFixture> {
    const backend = scriptedBackend(async (task) => {
      if (task.messages[0]?.content === "wait") await untilStopped(task);
    });
    const core = await CoreFixture.start({ kind, backend, freeCredits: 1 });
    core.executor.start();
    return new ClaimFixture(core, await openCaller(core));
  }

  private constructor(core: CoreFixture, api: ClaimFixture["api"]) {
    this.core = core;
    this.api = api;
    const usableUntil = core.clock.now() + 365 * 24 * 3_600_000;
    Object.assign(core.core, {
      verifier: {
        verify: async (token: string) =>
          ok({ job: this.#jobs.get(token) ?? makeJob(), replayKey: token, usableUntil }),
      },
    });
  }

  async account(): Promise<TestAccount> {
    return await makeAccount(this.core);
  }

  /** A private repository that no other test uses: its jobs print a claim URL. */
  repository(overrides: Partial<Repository> = {}): Repository {
    this.#count += 1;
    const id = String(this.#count);
    return { id, ownerId: `7${id}`, name: `owner-${id}/project`, visibility: "private", ...overrides };
  }

  /** A job of the repository exchanges its token. */
  async exchange(repository: Repository, options: JobOptions = {}): Promise<ExchangeResponse> {
    const { event = "push", account, provider = "github" } = options;
    this.#count += 1;
    const token = `token-${this.#count}`;
    this.#jobs.set(token, makeJob({ provider, repository, event }));
    const answer = await this.api.send("/v1/ci/oidc/exchange", {
      method: "POST",
      json: { subject_token: token, ...(account === undefined ? {} : { account }) },
    });
    if (answer.status !== 200) throw new Error(`The exchange was refused: ${answer.text}`);
    return exchangeResponseSchema.parse(answer.body);
  }

  /** The claim token that the repository's next job prints. */
  async token(repository: Repository, options: JobOptions = {}): Promise<string> {
    const url = (await this.exchange(repository, options)).claim_url;
    const token = url?.split("/").at(-1);
    if (token === undefined) throw new Error(`A job of ${repository.name} printed no claim URL.`);
    this.tokens.push(token);
    return token;
  }

  async claim(bearer: string, claim: unknown): Promise<Answer> {
    return await this.api.send("/v1/ci/claim", { method: "POST", bearer, json: { claim } });
  }

  /** An account's claim on the repository, pending. */
  async pending(account: TestAccount, repository: Repository, options: JobOptions = {}): Promise<string> {
    const token = await this.token(repository, options);
    const answer = await this.claim(account.owner, token);
    if (answer.status !== 202) throw new Error(`The claim was refused: ${answer.text}`);
    return token;
  }

  async page(token: string): Promise<Answer> {
    return await this.api.send(`/claim/${token}`);
  }
}
