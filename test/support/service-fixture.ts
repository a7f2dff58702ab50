// A running service with a code host, a store and a clock that stands still, and CI jobs that use it over the socket.

import { type CodeHost, type CodeHostOptions, startCodeHost } from "../../fakes/code-host/code-host.ts";
import type { Claims } from "../../fakes/issuer/claims.ts";
import { type ExchangeResponse, exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import type { IssuerConfig } from "../../src/service/oidc/issuer-config.ts";
import { ManualClock } from "./clock-manual.ts";
import { startTestService, type TestService, type TestServiceOptions } from "./service.ts";
import { type Answer, type Call, call } from "./service-client.ts";
import { CiJob } from "./service-job.ts";
import { type StoreKind, type StorePlace, storeKinds } from "./stores.ts";

export type BedOptions = Pick<TestServiceOptions, "backend" | "config"> & {
  /** SQLite unless told. */
  readonly kind?: StoreKind | undefined;
  readonly repositories?: CodeHostOptions["repositories"];
  /** Fields of the code host's entry in CI_ISSUERS, replaced. */
  readonly issuerEntry?: Partial<IssuerConfig>;
};

export class ServiceFixture {
  readonly forge: CodeHost;
  readonly clock: ManualClock;
  readonly place: StorePlace;
  /** Every token, capability and claim token that was made: none may be found where secrets must not be. */
  readonly secrets: string[] = [];
  #service: TestService;
  #logs = "";
  #repositories = 1_000;
  readonly #options: BedOptions;

  static async start(options: BedOptions = {}): Promise<ServiceFixture> {
    const clock = new ManualClock();
    const kind = options.kind ?? storeKinds[0];
    if (kind === undefined) throw new Error("There is no store.");
    const forge = await startCodeHost({ repositories: options.repositories ?? {}, now: clock.now });
    const place = await kind.make();
    const service = await startTestService(serviceOptions({ forge, place, clock }, options));
    return new ServiceFixture({ options, forge, clock, place, service });
  }

  private constructor(parts: {
    options: BedOptions;
    forge: CodeHost;
    clock: ManualClock;
    place: StorePlace;
    service: TestService;
  }) {
    this.#options = parts.options;
    this.forge = parts.forge;
    this.clock = parts.clock;
    this.place = parts.place;
    this.#service = parts.service;
  }

  get url(): string {
    return this.#service.url;
  }

  /** What tokens must name: the host of the base URL. */
  get audience(): string {
    return new URL(this.url).host;
  }

  /** Every log line of every service that ran here. */
  logText(): string {
    return this.#logs + this.#service.logText();
  }

  /** The claims of a repository that no other test uses, of an owner that no other test uses. */
  freshRepository(claims: Claims = {}): Claims {
    this.#repositories += 1;
    const id = String(this.#repositories);
    return {
      repository: `owner-${id}/project`,
      repository_id: id,
      repository_owner_id: `7${id}`,
      ...claims,
    };
  }

  /** A job's ID token. */
  mint(claims: Claims = {}): string {
    const { issuer } = this.forge;
    return this.keep(issuer.sign(issuer.githubClaims({ aud: this.audience, ...claims })));
  }

  /** Remembers a secret. */
  keep(secret: string): string {
    this.secrets.push(secret);
    return secret;
  }

  async call(path: string, options: Call = {}): Promise<Answer> {
    const answer = await call(this.url + path, options);
    for (const [secret] of answer.text.matchAll(/svc_(?:ci|claim)_[\w-]+/g)) this.keep(secret);
    return answer;
  }

  async exchange(token: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return await this.call("/v1/ci/oidc/exchange", {
      method: "POST",
      json: { subject_token: token },
      headers,
    });
  }

  /** A job that has exchanged its token. A repository of its own unless the claims name one. */
  async job(claims: Claims = this.freshRepository()): Promise<CiJob> {
    const answer = await this.exchange(this.mint(claims));
    if (answer.status !== 200) throw new Error(`The exchange was refused: ${answer.text}`);
    const exchanged: ExchangeResponse = exchangeResponseSchema.parse(answer.body);
    return new CiJob({ fixture: this, exchanged });
  }

  /** A job with one queued run. */
  async jobWithRun(claims?: Claims): Promise<{ job: CiJob; runId: string }> {
    const job = await this.job(claims);
    return { job, runId: submitRunResponseSchema.parse((await job.submit({ message: "go" })).body).run_id };
  }

  async stop(): Promise<void> {
    await this.#service.stop();
  }

  /** Stops the service and starts another on the same store. */
  async restart(options: Partial<BedOptions> = {}): Promise<void> {
    await this.stop();
    this.#logs += this.#service.logText();
    const { forge, place, clock } = this;
    const merged = { ...this.#options, ...options };
    this.#service = await startTestService(serviceOptions({ forge, place, clock }, merged));
  }

  async close(): Promise<void> {
    await this.stop();
    await this.forge.close();
    await this.place.remove();
  }
}

function serviceOptions(
  parts: { forge: CodeHost; place: StorePlace; clock: ManualClock },
  options: BedOptions,
): TestServiceOptions {
  const { backend, config, issuerEntry } = options;
  const issuers = [{ ...parts.forge.issuerEntry, ...issuerEntry }];
  return { ...parts, ...(backend === undefined ? {} : { backend }), config: { issuers, ...config } };
}
