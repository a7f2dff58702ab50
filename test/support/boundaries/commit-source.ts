// Jobs of repositories that an account has claimed, and the commits that they send.

import { randomUUID } from "node:crypto";
import { type CodeHost, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import { type ExchangeResponse, exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import { PackFixture } from "../../service/checkouts/packs/pack-fixture.ts";
import { type Call, call } from "../service-client.ts";
import { CiJob } from "../service-job.ts";
import type { BoundaryService } from "./boundary-service.ts";

const PUBLIC = "octo/fixture";

/** An issuer of tokens, and a repository of whose commits packs are made. */
export class CommitSource {
  readonly packs: PackFixture;
  readonly #codeHost: CodeHost;
  #repositories = 0;

  static async open(): Promise<CommitSource> {
    const packs = await PackFixture.make();
    return new CommitSource(
      packs,
      await startCodeHost({ repositories: { [PUBLIC]: packs.repository.path } }),
    );
  }

  private constructor(packs: PackFixture, codeHost: CodeHost) {
    this.packs = packs;
    this.#codeHost = codeHost;
  }

  /** Make a service trust the issuer. */
  get settings(): Readonly<Record<string, string>> {
    return { CI_ISSUERS: JSON.stringify([this.#codeHost.issuerEntry]) };
  }

  /** A job of a new private repository, which the service's account has claimed. */
  async job(service: BoundaryService, sha: string): Promise<ExchangeResponse> {
    this.#repositories += 1;
    const repository = `owner/r${this.#repositories}`;
    return await this.#claimed(service, { repository, sha });
  }

  /** The same, whose repository has become a public one since: the service clones it by itself. */
  async publicJob(service: BoundaryService, sha: string): Promise<ExchangeResponse> {
    this.#repositories += 1;
    const claims = { repository: PUBLIC, sha };
    await this.#claimed(service, claims);
    return await this.#exchange(service, { ...claims, repository_visibility: "public" });
  }

  async #claimed(
    service: BoundaryService,
    claims: Readonly<Record<string, string>>,
  ): Promise<ExchangeResponse> {
    const ofPrivate = { ...claims, repository_visibility: "private" };
    const claim = (await this.#exchange(service, ofPrivate)).claim_url?.split("/").at(-1) ?? "";
    await service.client.claims.create({ body: { claim } });
    return await this.#exchange(service, ofPrivate);
  }

  async #exchange(
    service: BoundaryService,
    claims: Readonly<Record<string, string>>,
  ): Promise<ExchangeResponse> {
    const { issuer } = this.#codeHost;
    const repository = { repository_id: String(5_000 + this.#repositories) };
    const ofJob = issuer.githubClaims({
      aud: "crash.example",
      jti: randomUUID(),
      ...repository,
      ...claims,
    });
    const json = { subject_token: issuer.sign(ofJob), account: service.key.accountId };
    const { body } = await call(`${service.url}/v1/ci/oidc/exchange`, { method: "POST", json });
    return exchangeResponseSchema.parse(body);
  }

  /** A run of the job: it says where the repository of its agent is. */
  async run(service: BoundaryService, exchanged: ExchangeResponse): Promise<void> {
    const fixture = { call: (path: string, options?: Call) => call(service.url + path, options) };
    const job = new CiJob({ fixture, exchanged });
    await job.ended(await job.start());
  }

  /** From now on nobody who clones gets an answer, until `answerClones`. */
  holdClones(): void {
    this.#codeHost.faults.git.always({ type: "hang" });
  }

  answerClones(): void {
    this.#codeHost.faults.git.clear();
  }

  /** Of all repositories. */
  get clones(): number {
    return this.#codeHost.requests.filter(({ path }) => path.includes("git-upload-pack")).length;
  }

  /** Resolves once the service holds the commit. */
  async send(
    service: BoundaryService,
    { access_token: token }: ExchangeResponse,
    sha: string,
  ): Promise<void> {
    const bytes = this.packs.pack([sha]);
    const pack = {
      size: bytes.length,
      open: async function* () {
        yield bytes;
      },
    };
    await service.clientOf(token).commits.send({ sha, pack });
  }

  async close(): Promise<void> {
    await this.#codeHost.close();
    await this.packs.remove();
  }
}
