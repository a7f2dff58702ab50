import { afterEach, describe, expect, it } from "vitest";
import { problemSchema } from "../../../../../src/contract/problems/problem.ts";
import type { ServiceFixture, ServiceFixtureOptions } from "../../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import type { Answer } from "../../../../support/service-client.ts";

let fixture: ServiceFixture;

async function start(options: ServiceFixtureOptions): Promise<void> {
  fixture = await startFixture({ level: "service", ...options });
}

afterEach(() => fixture.close());

let addresses = 0;

function nextAddress(): string {
  addresses += 1;
  return `203.0.113.${addresses}`;
}

function expectRateLimited(answer: Answer, seconds: number): void {
  expect(answer.status).toBe(429);
  expect(problemSchema.parse(answer.body).code).toBe("rate_limited");
  expect(answer.headers.get("retry-after")).toBe(String(seconds));
}

async function statusesOf(count: number, send: () => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await send()).status);
  return statuses;
}

describe("the limit per address", () => {
  it("refuses before any cryptography, and opens again as time passes", async () => {
    await start({ config: { exchangeRatePerMinute: 3 } });
    expect(await statusesOf(3, () => fixture.exchange("a.b.c"))).toEqual([401, 401, 401]);
    expectRateLimited(await fixture.exchange(fixture.mint()), 20);
    expect(fixture.codeHost.issuer.requests).toEqual([]);
    fixture.clock.advance(19_999);
    expectRateLimited(await fixture.exchange(fixture.mint()), 1);
    fixture.clock.advance(1);
    expect((await fixture.exchange(fixture.mint())).status).toBe(200);
  });

  it("does not believe X-Forwarded-For where the operator named no proxy", async () => {
    await start({ config: { exchangeRatePerMinute: 2 } });
    const send = () => fixture.exchange("a.b.c", { "x-forwarded-for": nextAddress() });
    expect(await statusesOf(3, send)).toEqual([401, 401, 429]);
  });

  it("counts behind one proxy what that proxy saw, whatever the client wrote before it", async () => {
    await start({ config: { exchangeRatePerMinute: 2, trustedProxyHops: 1 } });
    const from = (address: string) => () =>
      fixture.exchange("a.b.c", { "x-forwarded-for": `${nextAddress()}, ${address}` });
    expect(await statusesOf(3, from("198.51.100.7"))).toEqual([401, 401, 429]);
    expect(await statusesOf(3, from("198.51.100.8"))).toEqual([401, 401, 429]);
  });

  it("falls back to the peer where fewer proxies wrote than the operator named", async () => {
    await start({ config: { exchangeRatePerMinute: 1, trustedProxyHops: 2 } });
    expect(await statusesOf(2, () => fixture.exchange("a.b.c"))).toEqual([401, 429]);
    const written = { "x-forwarded-for": "198.51.100.7" };
    expect((await fixture.exchange("a.b.c", written)).status).toBe(429);
  });
});

describe("the limits per repository and owner", () => {
  it("let a repository exchange 120 times a minute, and others go on", async () => {
    await start({});
    const claims = fixture.freshRepository();
    expect(new Set(await statusesOf(120, () => fixture.exchange(fixture.mint(claims))))).toEqual(
      new Set([200]),
    );
    expectRateLimited(await fixture.exchange(fixture.mint(claims)), 1);
    await fixture.job();
    const [row] = await fixture.place.query("select * from audit_entries where outcome = 'rate_limited'");
    expect(row?.repository_id).toBe(claims.repository_id);
    fixture.clock.advance(500);
    await fixture.job(claims);
  });

  it("are not spent by a used token that is sent again and again", async () => {
    await start({});
    const claims = fixture.freshRepository();
    const used = fixture.mint(claims);
    expect((await fixture.exchange(used)).status).toBe(200);
    expect(new Set(await statusesOf(123, () => fixture.exchange(used)))).toEqual(new Set([401]));
    expect(new Set(await statusesOf(119, () => fixture.exchange(fixture.mint(claims))))).toEqual(
      new Set([200]),
    );
    expectRateLimited(await fixture.exchange(fixture.mint(claims)), 1);
  });

  it("leave a token that they refused usable", async () => {
    await start({});
    const claims = fixture.freshRepository();
    await statusesOf(120, () => fixture.exchange(fixture.mint(claims)));
    const token = fixture.mint(claims);
    expectRateLimited(await fixture.exchange(token), 1);
    fixture.clock.advance(500);
    expect((await fixture.exchange(token)).status).toBe(200);
  });

  it("let an owner's repositories together exchange 600 times a minute", async () => {
    await start({});
    const owner = { repository_owner_id: "4242" };
    for (let index = 0; index < 5; index += 1) {
      const claims = fixture.freshRepository(owner);
      expect(new Set(await statusesOf(120, () => fixture.exchange(fixture.mint(claims))))).toEqual(
        new Set([200]),
      );
    }
    const refused = fixture.freshRepository(owner);
    expectRateLimited(await fixture.exchange(fixture.mint(refused)), 1);
    await fixture.job();
    // What the owner's limit refused took nothing from the repository's.
    const elsewhere = { ...refused, repository_owner_id: "4243" };
    expect(new Set(await statusesOf(120, () => fixture.exchange(fixture.mint(elsewhere))))).toEqual(
      new Set([200]),
    );
  });
});

describe("an issuer that cannot be trusted now", () => {
  it.each([
    ["is down", { type: "status", status: 503 }],
    ["answers with a page", { type: "html" }],
    ["sends elsewhere", { type: "redirect", location: "http://127.0.0.1:1/jwks" }],
    ["cuts the connection", { type: "reset" }],
    ["sends 50 MB", { type: "huge", bytes: 50_000_000 }],
  ] as const)("answers 503 and when to come back when its key set %s", async (_name, fault) => {
    await start({});
    fixture.codeHost.issuer.faults.always(fault);
    const answer = await fixture.exchange(fixture.mint());
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(problemSchema.parse(answer.body)).toMatchObject({
      code: "unavailable",
      reason: "keys_unavailable",
    });
    fixture.codeHost.issuer.faults.clear();
    fixture.clock.advance(5_000);
    await fixture.job();
  });

  it("refuses a weak key", async () => {
    await start({});
    const weak = await fixture.codeHost.issuer.addKey({ modulusLength: 1024 });
    const { issuer } = fixture.codeHost;
    const answer = await fixture.exchange(
      issuer.sign(issuer.githubClaims({ aud: fixture.audience }), { key: weak }),
    );
    expect([answer.status, problemSchema.parse(answer.body).reason]).toEqual([401, "key_refused"]);
  });

  it("refuses every token of an issuer that is switched off, and asks it for nothing", async () => {
    await start({ issuerEntry: { enabled: false } });
    const answer = await fixture.exchange(fixture.mint());
    expect([answer.status, problemSchema.parse(answer.body)]).toMatchObject([
      403,
      { code: "invalid_grant", reason: "issuer_disabled" },
    ]);
    expect(fixture.codeHost.issuer.requests).toEqual([]);
  });

  it("takes the events that the operator allows", async () => {
    await start({ issuerEntry: { allow_events: ["pull_request_target"] } });
    await fixture.job({ event_name: "pull_request_target" });
    const answer = await fixture.exchange(fixture.mint({ event_name: "workflow_run" }));
    expect(problemSchema.parse(answer.body).reason).toBe("event_refused");
  });
});
