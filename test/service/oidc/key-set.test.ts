import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startIssuer } from "../../../fakes/issuer/issuer.ts";
import {
  EMPTY_KEY_SET_COOLDOWN_MS,
  KEY_SET_COOLDOWN_MS,
  KEY_SET_MAX_AGE_MS,
  KEY_SET_MAX_STALE_MS,
} from "../../../src/service/oidc/key-set.ts";
import { KEY_SET_TIMEOUT_MS, MAX_KEY_SET_BYTES } from "../../../src/service/oidc/key-set-request.ts";
import { AUDIENCE, type Fixture, startFixture } from "./verifier-fixture.ts";

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.close());

const withKid = (kid: string) => fixture.issuer.sign(fixture.issuer.githubClaims({ aud: AUDIENCE }), { kid });

describe("requests for a key set", () => {
  it("are shared by all that wait", async () => {
    await Promise.all(Array.from({ length: 50 }, () => fixture.accept(fixture.token())));
    expect(fixture.issuer.requests).toEqual(["GET /.well-known/jwks"]);
  });

  it("are one, and one more per cooldown, for 1,000 random key ids", async () => {
    await fixture.accept(fixture.token());
    fixture.clock.advance(KEY_SET_COOLDOWN_MS);
    for (let i = 0; i < 1000; i += 1) await fixture.refuse(withKid(`random-${i}`), "key_unknown");
    expect(fixture.issuer.jwksRequests).toBe(2);
    fixture.clock.advance(KEY_SET_COOLDOWN_MS - 1);
    await fixture.refuse(withKid("early"), "key_unknown");
    expect(fixture.issuer.jwksRequests).toBe(2);
    fixture.clock.advance(1);
    await fixture.refuse(withKid("late"), "key_unknown");
    expect(fixture.issuer.jwksRequests).toBe(3);
  });

  it("are one for 1,000 random key ids at once, as the very first tokens", async () => {
    const tokens = Array.from({ length: 1000 }, (_, i) => withKid(`random-${i}`));
    await Promise.all(tokens.map((token) => fixture.refuse(token, "key_unknown")));
    expect(fixture.issuer.jwksRequests).toBe(1);
  });

  it("keep the cooldown while they fail: a failure starts it too", async () => {
    await fixture.accept(fixture.token());
    fixture.clock.advance(KEY_SET_COOLDOWN_MS);
    fixture.issuer.faults.always({ type: "status", status: 500 });
    for (let i = 0; i < 100; i += 1) await fixture.refuse(withKid(`random-${i}`), "keys_unavailable");
    expect(fixture.issuer.jwksRequests).toBe(2);
    await fixture.accept(fixture.token());
  });

  it("keep a shorter cooldown while there is no key", async () => {
    fixture.issuer.faults.next({ type: "reset" });
    for (let i = 0; i < 100; i += 1) await fixture.refuse(fixture.token(), "keys_unavailable");
    expect(fixture.issuer.jwksRequests).toBe(1);
    fixture.clock.advance(EMPTY_KEY_SET_COOLDOWN_MS);
    await fixture.accept(fixture.token());
    expect(fixture.issuer.jwksRequests).toBe(2);
  });
});

describe("a rotation", () => {
  it("is seen at the first token with the new key", async () => {
    await fixture.accept(fixture.token());
    fixture.clock.advance(KEY_SET_COOLDOWN_MS);
    await fixture.issuer.rotate();
    await fixture.accept(fixture.token());
    expect(fixture.issuer.jwksRequests).toBe(2);
  });

  it("ends the old key once the kept set is old", async () => {
    const old = fixture.issuer.key;
    await fixture.accept(fixture.token());
    await fixture.issuer.rotate();
    fixture.clock.advance(KEY_SET_MAX_AGE_MS + 1);
    const claims = fixture.issuer.githubClaims({ aud: AUDIENCE });
    await fixture.refuse(fixture.issuer.sign(claims, { key: old }), "key_unknown");
  });
});

describe("an endpoint that fails", () => {
  it("keeps the old keys in use for a day", async () => {
    await fixture.accept(fixture.token());
    fixture.issuer.faults.always({ type: "reset" });
    fixture.clock.advance(KEY_SET_MAX_STALE_MS);
    await fixture.accept(fixture.token());
    fixture.clock.advance(KEY_SET_COOLDOWN_MS + 1);
    await fixture.refuse(fixture.token(), "keys_unavailable");
  });

  it("gets a request after the cooldown and then serves fresh keys", async () => {
    await fixture.accept(fixture.token());
    fixture.issuer.faults.next({ type: "status", status: 503 });
    fixture.clock.advance(KEY_SET_MAX_AGE_MS + 1);
    await fixture.accept(fixture.token());
    await fixture.issuer.rotate();
    fixture.clock.advance(KEY_SET_COOLDOWN_MS);
    await fixture.accept(fixture.token());
    expect(fixture.issuer.jwksRequests).toBe(3);
  });

  it.each([
    ["answers 500", { type: "status", status: 500, body: "{}" }, "answered 500"],
    ["answers 204", { type: "status", status: 204 }, "answered 204"],
    ["answers with a page", { type: "html" }, "not a JSON Web Key Set"],
    ["cuts the connection", { type: "reset" }, "cannot be reached"],
    ["cuts the answer", { type: "cut" }, "cannot be reached"],
    ["answers with an array", { type: "status", status: 200, body: "[]" }, "not a JSON Web Key Set"],
    ["answers with no keys", { type: "status", status: 200, body: '{"keys":[]}' }, "not a JSON Web Key Set"],
    [
      "answers with strange keys",
      { type: "status", status: 200, body: '{"keys":[7]}' },
      "not a JSON Web Key Set",
    ],
    ["answers without end", { type: "huge", bytes: 64 * 1024 * 1024 }, "larger than"],
    ["answers too much", { type: "huge", bytes: MAX_KEY_SET_BYTES }, "larger than"],
  ] as const)("refuses when it %s, and the log says why", async (_, fault, logged) => {
    fixture.issuer.faults.always(fault);
    await fixture.refuse(fixture.token(), "keys_unavailable");
    expect(fixture.logs.join()).toContain(logged);
    expect(fixture.logs.join()).toContain(fixture.issuer.url);
  });

  it("has five seconds to answer", async () => {
    fixture.issuer.faults.next({ type: "hang" });
    const waiting = fixture.refuse(fixture.token(), "keys_unavailable");
    await fixture.clock.whenSleeping();
    fixture.clock.advance(KEY_SET_TIMEOUT_MS);
    await waiting;
    expect(fixture.logs.join()).toContain("No key set within 5 s");
    await fixture.refuse(fixture.token(), "keys_unavailable");
    expect(fixture.issuer.jwksRequests).toBeLessThanOrEqual(1);
  });

  it.each([301, 302, 303, 307, 308])("is not followed when it redirects with %i", async (status) => {
    const attacker = await startIssuer();
    fixture.issuer.faults.always({ type: "redirect", location: attacker.jwksUri, status });
    const claims = fixture.issuer.githubClaims({ aud: AUDIENCE });
    await fixture.refuse(attacker.sign(claims), "keys_unavailable");
    expect(attacker.requests).toEqual([]);
    await attacker.close();
  });
});

describe("a key of the set", () => {
  it.each([
    ["has 1024 bits", { modulusLength: 1024 }],
    ["has the exponent 3", { publicExponent: 3 }],
  ])("is refused when it %s", async (_, key) => {
    const weak = await startFixture({ key });
    await weak.refuse(weak.token(), "key_refused");
    expect(weak.logs.join()).toContain("Key not used");
    await weak.close();
  });

  it("is refused when it is on a curve, whatever the header says", async () => {
    const key = await fixture.issuer.addKey({ alg: "ES256" });
    const claims = fixture.issuer.githubClaims({ aud: AUDIENCE });
    await fixture.refuse(fixture.issuer.sign(claims, { key, alg: "RS256" }), "key_refused");
  });

  it("is found beside a key of the same id that does not serve", async () => {
    const { jwk, kid } = fixture.issuer.key;
    fixture.issuer.publish([{ ...jwk, use: "enc" }, jwk, { kty: "oct", kid, k: "AAAA" }, { kty: "RSA" }]);
    await fixture.accept(fixture.token());
  });
});
