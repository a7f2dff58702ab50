import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AUDIENCE, type Fixture, START_MS, startFixture } from "./verifier-fixture.ts";

const now = START_MS / 1000;
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.close());

describe("the audience", () => {
  it.each([
    ["another service's", "https://github.com/octo-org", "https://github.com/octo-org"],
    ["an array of ours", [AUDIENCE], "an array"],
    ["an array with ours", ["sts.example", AUDIENCE], "an array"],
    ["missing", undefined, "nothing"],
    ["empty", "", ""],
    ["ours in capitals", AUDIENCE.toUpperCase(), AUDIENCE.toUpperCase()],
    ["ours with a slash", `${AUDIENCE}/`, `${AUDIENCE}/`],
    ["an object", { [AUDIENCE]: true }, "an object"],
    ["a number", 7, "7"],
    ["full of control characters", "a\u001b[31m\n\u202eb", "a?[31m??b"],
    ["very long", "a".repeat(5000), "a".repeat(200)],
  ])("is refused when it is %s", async (_, aud, got) => {
    const refusal = await fixture.refuse(fixture.token({ aud }), "audience_mismatch");
    expect(refusal).toMatchObject({ expected: AUDIENCE, got });
    expect(refusal.detail).toContain(`"${AUDIENCE}"`);
  });

  it("comes before the times: an old token for another audience names the audience", async () => {
    const token = fixture.token({ aud: "other", exp: now - 4000, iat: now - 4300 });
    await fixture.refuse(token, "audience_mismatch");
  });
});

describe("the times", () => {
  it.each([["exp"], ["iat"], ["jti"]])("are refused without %s", async (name) => {
    const refusal = await fixture.refuse(fixture.token({ [name]: undefined }), "claim_missing");
    expect(refusal).toMatchObject({ got: "nothing" });
    expect(refusal.detail).toContain(`"${name}"`);
  });

  it.each([
    ["exp", "1768471500"],
    ["exp", null],
    ["exp", -1],
    ["exp", 1e300],
    ["iat", true],
    ["nbf", "soon"],
    ["jti", 7],
    ["jti", ""],
    ["jti", "j".repeat(256)],
    ["jti", "a\0b"],
    ["jti", "a\nb"],
    ["jti", "a\ud800"],
  ])("are refused when %s is %j", async (name, value) => {
    await fixture.refuse(fixture.token({ [name]: value }), "claim_missing");
  });

  it("are refused when exp overflows to infinity", async () => {
    const { issuer } = fixture;
    const payload = JSON.stringify(issuer.githubClaims({ aud: AUDIENCE })).replace(
      /"exp":\d+/,
      '"exp":1e999',
    );
    await fixture.refuse(issuer.sign(payload), "claim_missing");
  });

  it("allow 60 s after the end and not a millisecond more", async () => {
    const ended = { nbf: undefined, iat: now - 400 };
    await fixture.accept(fixture.token({ ...ended, exp: now - 59 }));
    const refusal = await fixture.refuse(fixture.token({ ...ended, exp: now - 60 }), "token_expired");
    expect(refusal).toMatchObject({
      expected: "exp after 2026-01-15T09:59:00.000Z",
      got: "2026-01-15T09:59:00.000Z",
    });
  });

  it("keep a token's replay key for as long as it would be accepted", async () => {
    const token = fixture.token();
    const { usableUntil } = await fixture.accept(token);
    const lateBy = usableUntil - fixture.clock.now();
    fixture.clock.advance(lateBy - 1);
    await fixture.accept(token);
    fixture.clock.advance(1);
    await fixture.refuse(token, "token_expired");
    fixture.clock.advance(-lateBy);
  });

  it("allow 60 s before the start and not a second more", async () => {
    await fixture.accept(fixture.token({ nbf: now + 60 }));
    await fixture.refuse(fixture.token({ nbf: now + 61 }), "token_not_yet_valid");
    await fixture.accept(fixture.token({ nbf: undefined, iat: now + 60 }));
    await fixture.refuse(fixture.token({ nbf: undefined, iat: now + 61 }), "token_not_yet_valid");
    await fixture.refuse(fixture.token({ iat: now + 61 }), "token_not_yet_valid");
  });

  it("allow a life of one hour and not a second more", async () => {
    await fixture.accept(fixture.token({ exp: now + 3600 }));
    const refusal = await fixture.refuse(fixture.token({ exp: now + 3601 }), "token_lifetime_too_long");
    expect(refusal).toMatchObject({ expected: "at most 3600 s", got: "3601 s" });
  });
});

describe("the policy", () => {
  it.each(["pull_request_target", "workflow_run"])("refuses %s", async (event) => {
    const refusal = await fixture.refuse(fixture.token({ event_name: event }), "event_refused");
    expect(refusal).toMatchObject({ got: event });
  });

  it.each(["push", "schedule", "workflow_dispatch", "issue_comment", "pull_request"])(
    "accepts %s",
    async (event) => {
      expect((await fixture.accept(fixture.token({ event_name: event }))).job.event).toBe(event);
    },
  );

  it("accepts what the operator allowed, and that alone", async () => {
    const allowing = await startFixture({ entry: { allow_events: ["workflow_run"] } });
    await allowing.accept(allowing.token({ event_name: "workflow_run" }));
    await allowing.refuse(allowing.token({ event_name: "pull_request_target" }), "event_refused");
    await allowing.close();
  });
});
