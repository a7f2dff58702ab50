// What a service does with commits that jobs send, one thing at a time, each in a private repository of its own.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { type CodeHost, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import { type ExchangeResponse, exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import { PackFixture } from "../../service/checkouts/packs/pack-fixture.ts";
import { call } from "../service-client.ts";
import type { BoundaryService, Round } from "./boundary-service.ts";

/** An issuer of tokens, and a repository of whose commits packs are made. */
export class CommitSource {
  readonly packs: PackFixture;
  readonly #codeHost: CodeHost;
  #repositories = 0;

  static async open(): Promise<CommitSource> {
    return new CommitSource(await PackFixture.make(), await startCodeHost({ repositories: {} }));
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
    const { issuer } = this.#codeHost;
    const claims = issuer.githubClaims({
      ...{ aud: "crash.example", repository: `owner/r${this.#repositories}`, sha },
      ...{ repository_id: String(5_000 + this.#repositories), repository_visibility: "private" },
    });
    const exchange = async (more: Readonly<Record<string, string>>) => {
      const json = { subject_token: issuer.sign({ ...claims, jti: randomUUID() }), ...more };
      const { body } = await call(`${service.url}/v1/ci/oidc/exchange`, { method: "POST", json });
      return exchangeResponseSchema.parse(body);
    };
    const claim = (await exchange({})).claim_url?.split("/").at(-1) ?? "";
    await service.client.claims.create({ body: { claim } });
    return await exchange({ account: service.key.accountId });
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

const newFiles = () => ({ "README.md": randomUUID(), "src/large.txt": randomUUID().repeat(3_000) });

/** Rounds by the names of what they do. */
export const commitRounds: Readonly<
  Record<string, (service: BoundaryService, source: CommitSource) => Promise<Round>>
> = {
  "a commit that a job sends": async (service, source) => {
    const sha = source.packs.repository.commit({ files: newFiles() });
    const job = await source.job(service, sha);
    return {
      act: () => source.send(service, job, sha),
      check: async (isAcknowledged) => {
        const { present } = await service.clientOf(job.access_token).commits.find({ sha });
        if (isAcknowledged) expect(present).toBe(true);
      },
    };
  },
};
