// Every attack that concerns the exchange, as its author would meet it: over the socket.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IssuerKey, makeIssuerKey } from "../../../../../fakes/issuer/key.ts";
import { problemSchema } from "../../../../../src/contract/problems/problem.ts";
import type { ServiceFixture } from "../../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import type { Answer } from "../../../../support/service-client.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

const EXPIRED_AFTER_MS = 360_000;

type Attack = {
  readonly name: string;
  /** Makes the token, after whatever has to happen first. */
  readonly token: (fixture: ServiceFixture) => string | Promise<string>;
  readonly status: number;
  readonly code: string;
  readonly reason: string;
  /** What the answer repeats of verified claims. Nothing, unless told. */
  readonly shown?: (fixture: ServiceFixture) => { expected: unknown; got: unknown };
};

let strangersKey: IssuerKey;

const attacks: readonly Attack[] = [
  {
    name: "text that is no token",
    token: () => "hello",
    status: 401,
    code: "invalid_request",
    reason: "token_malformed",
  },
  {
    name: "a token with padding",
    token: (fixture) => `${fixture.mint()}=`,
    status: 401,
    code: "invalid_request",
    reason: "token_malformed",
  },
  {
    name: "an unknown issuer",
    token: (fixture) => fixture.mint({ iss: "https://issuer.example" }),
    status: 401,
    code: "invalid_grant",
    reason: "issuer_unknown",
  },
  ...[
    ["slash", (url: string) => `${url}/`],
    ["query", (url: string) => `${url}?a=b`],
    ["case", (url: string) => url.toUpperCase()],
  ].map(
    ([what, change]): Attack => ({
      name: `our issuer with another ${what}`,
      token: (fixture) =>
        fixture.mint({ iss: (change as (url: string) => string)(fixture.codeHost.issuer.url) }),
      status: 401,
      code: "invalid_grant",
      reason: "issuer_unknown",
    }),
  ),
  {
    name: "no signature and alg none",
    token: (fixture) => fixture.codeHost.issuer.sign(claimsOf(fixture), { key: null, alg: "none" }),
    status: 401,
    code: "invalid_request",
    reason: "token_malformed",
  },
  {
    name: "an HMAC with the public key as its secret",
    token: (fixture) => {
      const { issuer } = fixture.codeHost;
      const secret = Buffer.from(issuer.key.publicKey.export({ type: "spki", format: "pem" }));
      return issuer.sign(claimsOf(fixture), { secret, alg: "HS256" });
    },
    status: 401,
    code: "invalid_grant",
    reason: "algorithm_refused",
  },
  {
    name: "another issuer's key under our issuer's key id",
    token: (fixture) =>
      fixture.codeHost.issuer.sign(claimsOf(fixture), {
        key: strangersKey,
        kid: fixture.codeHost.issuer.key.kid,
      }),
    status: 401,
    code: "invalid_grant",
    reason: "signature_invalid",
  },
  {
    name: "a key of the attacker's, named by jku and carried by jwk",
    token: (fixture) =>
      fixture.codeHost.issuer.sign(claimsOf(fixture), {
        key: strangersKey,
        kid: fixture.codeHost.issuer.key.kid,
        header: { jku: "https://attacker.example/jwks", jwk: strangersKey.jwk },
      }),
    status: 401,
    code: "invalid_grant",
    reason: "signature_invalid",
  },
  {
    name: "a key that nobody published",
    token: (fixture) => fixture.codeHost.issuer.sign(claimsOf(fixture), { key: strangersKey, kid: "nobody" }),
    status: 401,
    code: "invalid_grant",
    reason: "key_unknown",
  },
  {
    name: "claims that were changed after the signature",
    token: (fixture) => {
      const [header, , signature] = fixture.mint().split(".");
      const claims = Buffer.from(JSON.stringify(claimsOf(fixture))).toString("base64url");
      return `${header}.${claims}.${signature}`;
    },
    status: 401,
    code: "invalid_grant",
    reason: "signature_invalid",
  },
  {
    name: "another service's token",
    token: (fixture) => fixture.mint({ aud: "sts.amazonaws.com" }),
    status: 401,
    code: "invalid_target",
    reason: "audience_mismatch",
    shown: (fixture) => ({ expected: fixture.audience, got: "sts.amazonaws.com" }),
  },
  {
    name: "our audience among others",
    token: (fixture) => fixture.mint({ aud: [fixture.audience, "other"] }),
    status: 401,
    code: "invalid_target",
    reason: "audience_mismatch",
    shown: (fixture) => ({ expected: fixture.audience, got: "an array" }),
  },
  {
    name: "our audience in a list of one",
    token: (fixture) => fixture.mint({ aud: [fixture.audience] }),
    status: 401,
    code: "invalid_target",
    reason: "audience_mismatch",
    shown: (fixture) => ({ expected: fixture.audience, got: "an array" }),
  },
  {
    name: "a token without jti",
    token: (fixture) => fixture.mint({ jti: undefined }),
    status: 401,
    code: "invalid_grant",
    reason: "claim_missing",
    shown: () => ({ expected: expect.stringMatching(/^jti /), got: "nothing" }),
  },
  {
    name: "a token that names its repository by sub alone",
    token: (fixture) =>
      fixture.mint({ repository_id: undefined, sub: "repo:octo-org/octo-repo:ref:refs/heads/main" }),
    status: 401,
    code: "invalid_grant",
    reason: "claim_missing",
    shown: () => ({ expected: expect.stringMatching(/^repository_id /), got: "nothing" }),
  },
  {
    name: "a repository id that is a name",
    token: (fixture) => fixture.mint({ repository_id: "octo-org/octo-repo" }),
    status: 401,
    code: "invalid_grant",
    reason: "claim_missing",
    shown: () => ({ expected: expect.stringMatching(/^repository_id /), got: "octo-org/octo-repo" }),
  },
  {
    name: "an ended token",
    token: (fixture) => fixture.mint({ iat: nowSeconds(fixture) - 900, exp: nowSeconds(fixture) - 61 }),
    status: 401,
    code: "invalid_grant",
    reason: "token_expired",
    shown: () => ({ expected: expect.any(String), got: expect.any(String) }),
  },
  {
    name: "a token of the future",
    token: (fixture) => fixture.mint({ nbf: nowSeconds(fixture) + 61, exp: nowSeconds(fixture) + 400 }),
    status: 401,
    code: "invalid_grant",
    reason: "token_not_yet_valid",
    shown: () => ({ expected: expect.any(String), got: expect.any(String) }),
  },
  {
    name: "a token for a year",
    token: (fixture) => fixture.mint({ exp: nowSeconds(fixture) + 31_536_000 }),
    status: 401,
    code: "invalid_grant",
    reason: "token_lifetime_too_long",
    shown: () => ({ expected: "at most 3600 s", got: "31536000 s" }),
  },
  ...["pull_request_target", "workflow_run"].map(
    (event): Attack => ({
      name: `a job of ${event}`,
      token: (fixture) => fixture.mint({ event_name: event }),
      status: 403,
      code: "invalid_grant",
      reason: "event_refused",
      shown: () => ({ expected: expect.any(String), got: event }),
    }),
  ),
  {
    name: "a token that was used",
    token: async (fixture) => {
      const token = fixture.mint();
      expect((await fixture.exchange(token)).status).toBe(200);
      return token;
    },
    status: 401,
    code: "invalid_grant",
    reason: "token_replayed",
  },
  {
    name: "a token that was used, spelled otherwise",
    token: async (fixture) => {
      const token = fixture.mint();
      expect((await fixture.exchange(token)).status).toBe(200);
      return fixture.keep(respell(token));
    },
    status: 401,
    code: "invalid_grant",
    reason: "token_replayed",
  },
  {
    name: "a token that was used, one second before the skew after its end is over",
    token: async (fixture) => {
      const token = fixture.mint();
      expect((await fixture.exchange(token)).status).toBe(200);
      fixture.clock.advance(EXPIRED_AFTER_MS - 1_000);
      expect((await fixture.exchange(fixture.mint())).status).toBe(200);
      return token;
    },
    status: 401,
    code: "invalid_grant",
    reason: "token_replayed",
  },
];

onEveryStore((kind) => {
  describe("attacks on the exchange", () => {
    let fixture: ServiceFixture;

    beforeAll(async () => {
      strangersKey = await makeIssuerKey();
      fixture = await startFixture({ level: "service", store: kind });
      // The key set is known: what follows is refused for what it is, not for keys that are missing.
      await fixture.job();
    });

    afterAll(() => fixture.close());

    for (const { name, token, status, code, reason, shown } of attacks) {
      it(`refuses ${name}: ${reason}`, async () => {
        fixture.clock.advance(60_000);
        const sent = fixture.keep(await token(fixture));
        const answer = await fixture.exchange(sent);
        expect(answer.status).toBe(status);
        const problem = problemSchema.parse(answer.body);
        expect(problem).toMatchObject({ code, reason, error: expect.stringMatching(/^[A-Z].*\.$/) });
        expect({ expected: problem.expected, got: problem.got }).toEqual(
          shown?.(fixture) ?? { expected: undefined, got: undefined },
        );
        expectTold(answer, [sent]);
        const audited = await fixture.place.query(
          `select outcome from audit_entries where request_id = '${problem.request_id}'`,
        );
        expect(audited).toEqual([{ outcome: reason }]);
      });
    }

    it("lets one of 50 parallel exchanges of one token pass", async () => {
      const token = fixture.mint(fixture.freshRepository());
      const spellings = [token, respell(token)].map((spelling) => fixture.keep(spelling));
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => fixture.exchange(spellings[index % 2] ?? token)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const refusals = answers.filter(({ status }) => status !== 200);
      expect(new Set(refusals.map(({ body }) => problemSchema.parse(body).reason))).toEqual(
        new Set(["token_replayed"]),
      );
    });

    it("asks for keys twice at most when 1,000 tokens name 1,000 keys", async () => {
      fixture.clock.advance(60_000);
      const { issuer } = fixture.codeHost;
      const asked = issuer.jwksRequests;
      for (let index = 0; index < 1_000; index += 50) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, offset) =>
            fixture.exchange(
              issuer.sign(claimsOf(fixture), { key: strangersKey, kid: `kid-${index + offset}` }),
            ),
          ),
        );
        for (const { body } of answers) expect(problemSchema.parse(body).reason).toBe("key_unknown");
      }
      expect(issuer.jwksRequests - asked).toBeLessThanOrEqual(2);
    });

    it("has logged the refusals, and no token, capability or claim token among them", async () => {
      const logs = fixture.logText();
      for (const { reason } of attacks) expect(logs).toContain(`"reason":"${reason}"`);
      expect(fixture.secrets.length).toBeGreaterThan(attacks.length);
      for (const secret of fixture.secrets) {
        for (const part of [secret, ...secret.split(".")].filter((text) => text.length > 8)) {
          expect(logs).not.toContain(part);
        }
      }
    });

    it("has an audit entry for each outcome, which names a repository only where a token was verified", async () => {
      const rows = await fixture.place.query("select * from audit_entries order by id");
      const outcomes = new Set(rows.map(({ outcome }) => outcome));
      for (const { reason } of attacks) expect(outcomes).toContain(reason);
      for (const row of rows) {
        const isVerified = row.outcome === "ok" || row.outcome === "token_replayed";
        expect(row.repository_id === null, String(row.outcome)).toBe(!isVerified);
        expect(fixture.logText()).toContain(String(row.request_id));
      }
    });
  });
});

function claimsOf(fixture: ServiceFixture): Record<string, unknown> {
  return fixture.codeHost.issuer.githubClaims({ aud: fixture.audience });
}

function nowSeconds(fixture: ServiceFixture): number {
  return Math.floor(fixture.clock.now() / 1000);
}

/** The last character of a signature of 256 bytes holds four bits that no decoder reads. */
function respell(token: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(token.at(-1) ?? "");
  return token.slice(0, -1) + alphabet.charAt(last ^ 1);
}

function expectTold(answer: Answer, secrets: readonly string[]): void {
  const said = answer.text + JSON.stringify([...answer.headers]);
  for (const secret of secrets) {
    for (const part of secret.split(".").filter((text) => text.length > 8)) expect(said).not.toContain(part);
  }
}
