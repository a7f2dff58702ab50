// What differs between providers, through the whole verifier, with tokens of real issuers.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Claims } from "../../../fakes/issuer/claims.ts";
import {
  bitbucketClaims,
  buildkiteClaims,
  circleciClaims,
  gitlabClaims,
  type ProviderClaimsContext,
} from "../../../fakes/issuer/provider-claims.ts";
import type { CiProviderName } from "../../../src/contract/ci/providers.ts";
import type { JobStatement } from "../../../src/service/core/ci-jobs/job-identity.ts";
import { AUDIENCE, type Fixture, START_MS, startFixture } from "./verifier-fixture.ts";

type Kind = {
  readonly claims: (context: ProviderClaimsContext) => Record<string, unknown>;
  readonly cloneUrl: string;
  readonly hasId: boolean;
  readonly audience: (aud: unknown) => unknown;
  readonly maxSeconds: number;
};

const text = (aud: unknown) => aud;
const kinds: Readonly<Record<Exclude<CiProviderName, "github">, Kind>> = {
  gitlab: {
    claims: gitlabClaims,
    cloneUrl: "https://git.example/{repository}.git",
    hasId: true,
    audience: text,
    maxSeconds: 10_800,
  },
  circleci: {
    claims: circleciClaims,
    cloneUrl: "https://github.com/{repository}.git",
    hasId: false,
    audience: text,
    maxSeconds: 3600,
  },
  buildkite: {
    claims: buildkiteClaims,
    cloneUrl: "https://git.example/{repository}.git",
    hasId: false,
    audience: text,
    maxSeconds: 3600,
  },
  bitbucket: {
    claims: bitbucketClaims,
    cloneUrl: "https://bitbucket.org/{repository}.git",
    hasId: false,
    audience: (aud) => [aud],
    maxSeconds: 7200,
  },
};

const said: JobStatement = { sha: "b".repeat(40) };
const now = START_MS / 1000;

describe.each(Object.entries(kinds))("a token of %s", (name, kind) => {
  const provider = name as CiProviderName;
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ entry: { provider, clone_url: kind.cloneUrl } });
  });
  afterAll(() => fixture.close());

  const sign = (overrides: Claims = {}) => {
    const context = { issuer: fixture.issuer.url, nowMs: START_MS, audience: AUDIENCE, overrides };
    return fixture.issuer.sign(kind.claims(context));
  };

  it("is accepted, and says who the job is", async () => {
    const { job, usableUntil } = await fixture.accept(sign(), said);
    expect(job).toMatchObject({ provider: name, issuer: fixture.issuer.url });
    expect(usableUntil).toBeGreaterThan(START_MS);
  });

  it("is for our audience alone, in the form that the provider has", async () => {
    const others = [["other"], [AUDIENCE, "other"], ["other", AUDIENCE], [AUDIENCE, AUDIENCE], [], undefined];
    for (const aud of [...others, "other", [[AUDIENCE]], { 0: AUDIENCE }, AUDIENCE.toUpperCase()]) {
      await fixture.refuse(sign({ aud }), "audience_mismatch", said);
    }
    const inOtherForm = kind.audience(AUDIENCE) === AUDIENCE ? [AUDIENCE] : AUDIENCE;
    await fixture.refuse(sign({ aud: inOtherForm }), "audience_mismatch", said);
  });

  it("lives no longer than the provider's tokens do, unless the entry says so", async () => {
    await fixture.accept(sign({ exp: now + kind.maxSeconds }), said);
    const long = sign({ exp: now + kind.maxSeconds + 1 });
    await fixture.refuse(long, "token_lifetime_too_long", said);
    const entry = { provider, clone_url: kind.cloneUrl, max_token_seconds: 600 };
    const short = await startFixture({ entry });
    const context = { issuer: short.issuer.url, nowMs: START_MS, audience: AUDIENCE };
    const lives = (seconds: number) =>
      short.issuer.sign(kind.claims({ ...context, overrides: { exp: now + seconds } }));
    await short.accept(lives(600), said);
    const refusal = await short.refuse(lives(601), "token_lifetime_too_long", said);
    expect(refusal.expected).toBe("at most 600 s");
    await short.close();
  });

  it("has one replay key, however its signature is spelled, and another than the next token", async () => {
    const token = sign();
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const used = alphabet.indexOf(token.slice(-1)) & 0b110000;
    const spellings = Array.from({ length: 16 }, (_, bits) => token.slice(0, -1) + alphabet[used | bits]);
    const keys = new Set<string>();
    for (const spelling of spellings) keys.add((await fixture.accept(spelling, said)).replayKey);
    expect(keys.size).toBe(1);
    const [key = ""] = keys;
    const next = await fixture.accept(sign({ iat: now - 1, exp: now + 60 }), said);
    expect(next.replayKey).not.toBe(key);
    expect(token).not.toContain(key);
    if (!kind.hasId) expect(key).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it(`${kind.hasId ? "needs" : "is not known by"} a jti`, async () => {
    if (kind.hasId) {
      await fixture.refuse(sign({ jti: undefined }), "claim_missing", said);
      expect((await fixture.accept(sign({ jti: "one" }), said)).replayKey).toBe("one");
      return;
    }
    const [first, second] = [sign({ jti: "same" }), sign({ jti: "same", iat: now - 1, exp: now + 60 })];
    const keys = await Promise.all([first, second].map((token) => fixture.accept(token, said)));
    expect(keys[0]?.replayKey).not.toBe(keys[1]?.replayKey);
  });

  it("keeps its replay key for as long as it would be accepted", async () => {
    const token = sign();
    const { usableUntil } = await fixture.accept(token, said);
    const lateBy = usableUntil - fixture.clock.now();
    fixture.clock.advance(lateBy - 1);
    await fixture.accept(token, said);
    fixture.clock.advance(1);
    await fixture.refuse(token, "token_expired", said);
    fixture.clock.advance(-lateBy);
  });

  it("is refused when another provider's issuer signed it, or another algorithm", async () => {
    const { issuer } = fixture;
    const claims = kind.claims({ issuer: issuer.url, nowMs: START_MS, audience: AUDIENCE });
    for (const alg of ["none", "HS256", "RS384", "PS256", "ES256"]) {
      await fixture.refuse(issuer.sign(claims, { alg }), "algorithm_refused", said);
    }
    await fixture.refuse(issuer.sign(issuer.githubClaims({ aud: claims.aud })), "claim_missing", said);
  });
});

describe("Azure DevOps", () => {
  it.each([
    "https://vstoken.dev.azure.com/0ca3ddd9-1111-4222-8333-444455556666",
    "https://app.vstoken.visualstudio.com/0ca3ddd9-1111-4222-8333-444455556666",
  ])("is refused with the reason, and %s is not asked for keys", async (iss) => {
    const fixture = await startFixture();
    const refusal = await fixture.refuse(fixture.token({ iss }), "issuer_unknown");
    expect(refusal.detail).toContain("Azure DevOps cannot be used");
    expect(fixture.issuer.requests).toEqual([]);
    const other = await fixture.refuse(fixture.token({ iss: `https://x.example/${iss}` }), "issuer_unknown");
    expect(other.detail).not.toContain("Azure");
    await fixture.close();
  });
});
