// Exchanges of other providers' tokens, over the socket: one use each, however it is spelled, and who pays.

import { describe, expect, it } from "vitest";
import type { Claims } from "../../../../../fakes/issuer/claims.ts";
import {
  bitbucketClaims,
  buildkiteClaims,
  circleciClaims,
  gitlabClaims,
  type ProviderClaimsContext,
} from "../../../../../fakes/issuer/provider-claims.ts";
import { exchangeResponseSchema } from "../../../../../src/contract/ci/exchange.ts";
import { problemSchema } from "../../../../../src/contract/problems/problem.ts";
import type { IssuerConfig } from "../../../../../src/service/oidc/issuer-config.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { sqliteStore } from "../../../../support/stores/stores.ts";

type ClaimsOf = (context: ProviderClaimsContext) => Record<string, unknown>;

async function start(claimsOf: ClaimsOf, entry: Partial<IssuerConfig>) {
  const fixture = await startFixture({ level: "service", store: sqliteStore, issuerEntry: entry });
  const mint = (overrides: Claims = {}) => {
    const { issuer } = fixture.codeHost;
    const context = { issuer: issuer.url, nowMs: fixture.clock.now(), audience: fixture.audience, overrides };
    return fixture.keep(issuer.sign(claimsOf(context)));
  };
  return { fixture, mint };
}

describe("an exchange", () => {
  it("of one Buildkite token goes through once, of 50 in parallel under 16 spellings", async () => {
    const { fixture, mint } = await start(buildkiteClaims, { provider: "buildkite" });
    const token = mint();
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const used = alphabet.indexOf(token.slice(-1)) & 0b110000;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        return fixture.exchange(token.slice(0, -1) + alphabet[used | (index % 16)]);
      }),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(answers).toHaveLength(refused.length + 1);
    for (const { status, body } of refused) {
      expect([status, problemSchema.parse(body).reason]).toEqual([401, "token_replayed"]);
    }
    fixture.clock.advance(1000);
    expect((await fixture.exchange(mint())).status).toBe(200);
    for (const secret of fixture.secrets) expect(fixture.logText()).not.toContain(secret);
    await fixture.close();
  });

  it("of a repository that does not say whether it is public needs an account that pays", async () => {
    const { fixture, mint } = await start(buildkiteClaims, { provider: "buildkite" });
    const job = exchangeResponseSchema.parse((await fixture.exchange(mint())).body);
    expect(job.repository).toMatchObject({ provider: "buildkite", visibility: "private" });
    expect(job.claim_url).not.toBeNull();
    await fixture.close();
    const open = await start(buildkiteClaims, { provider: "buildkite", visibility: "public" });
    const free = exchangeResponseSchema.parse((await open.fixture.exchange(open.mint())).body);
    expect(free).toMatchObject({ repository: { visibility: "public" }, claim_url: null });
    await open.fixture.close();
  });

  it("of a GitLab project keeps its agent under another path, and is another for another id", async () => {
    const { fixture, mint } = await start(gitlabClaims, { provider: "gitlab" });
    const agentOf = async (claims: Claims) =>
      exchangeResponseSchema.parse((await fixture.exchange(mint(claims))).body).agent_id;
    const first = await agentOf({});
    expect(await agentOf({ project_path: "other/name" })).toBe(first);
    expect(await agentOf({ project_id: "21", job_project_id: "21" })).not.toBe(first);
    await fixture.close();
  });

  it("of a GitLab fork's merge request is refused as such", async () => {
    const { fixture, mint } = await start(gitlabClaims, { provider: "gitlab" });
    const fork = { project_id: "999", pipeline_source: "merge_request_event" };
    const answer = await fixture.exchange(mint(fork));
    expect([answer.status, problemSchema.parse(answer.body).reason]).toEqual([403, "event_refused"]);
    await fixture.close();
  });

  it.each([
    ["circleci", circleciClaims, "https://github.com/{repository}.git"],
    ["bitbucket", bitbucketClaims, "https://bitbucket.org/{repository}.git"],
  ] as const)("of %s takes the commit that the job names", async (provider, claimsOf, clone_url) => {
    const { fixture, mint } = await start(claimsOf, { provider, clone_url });
    const exchange = async (sha?: unknown) => {
      const json = { subject_token: mint({ sub: String(sha) }), sha };
      return await fixture.call("/v1/ci/oidc/exchange", { method: "POST", json });
    };
    expect((await exchange("b".repeat(40))).status).toBe(200);
    for (const sha of [undefined, "main", "B".repeat(40)]) {
      const refused = await exchange(sha);
      expect([refused.status, problemSchema.parse(refused.body).reason]).toEqual([401, "claim_missing"]);
    }
    expect((await exchange("b".repeat(65))).status).toBe(400);
    await fixture.close();
  });
});
