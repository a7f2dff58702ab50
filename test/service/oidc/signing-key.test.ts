import { describe, expect, it } from "vitest";
import { makeIssuerKey } from "../../../fakes/issuer/key.ts";
import { importSigningKey } from "../../../src/service/oidc/signing-key.ts";

const strong = await makeIssuerKey();

describe("a published key", () => {
  it("is imported when it is an RSA key for signatures", async () => {
    const result = await importSigningKey(strong.jwk, "RS256");
    expect(result).toMatchObject({ ok: true, value: { type: "public", usages: ["verify"] } });
  });

  it("needs neither use nor alg, and may name verify among its operations", async () => {
    const { kty, n, e } = strong.jwk;
    expect((await importSigningKey({ kty, n, e }, "RS256")).ok).toBe(true);
    expect((await importSigningKey({ kty, n, e, key_ops: ["verify"] }, "RS256")).ok).toBe(true);
  });

  it.each([
    ["has 1024 bits", { modulusLength: 1024 }, "is weaker than 2048 bits"],
    ["has 2047 bits", { modulusLength: 2047 }, "is weaker than 2048 bits"],
    ["has the exponent 3", { publicExponent: 3 }, "has an exponent other than 65537"],
    ["is on a curve", { alg: "ES256" as const }, "is not an RSA key"],
  ])("is refused when it %s", async (_, options, refusal) => {
    const { jwk } = await makeIssuerKey(options);
    expect(await importSigningKey(jwk, "RS256")).toEqual({ ok: false, refusal });
  });

  it.each([
    ["for encryption", { use: "enc" }, "is not meant for signatures"],
    ["for another algorithm", { alg: "RS512" }, "is not for RS256"],
    ["for signing only", { key_ops: ["sign"] }, "may not verify"],
    ["symmetric", { kty: "oct", k: "c2VjcmV0" }, "is not an RSA key"],
    ["private", { d: "AQAB" }, "is a private key"],
    ["without a modulus", { n: undefined }, "has no modulus"],
    ["with a modulus that is no base64", { n: "!" }, "is weaker than 2048 bits"],
    ["with the exponent 1", { e: "AQ" }, "has an exponent other than 65537"],
  ])("is refused when it is %s", async (_, change, refusal) => {
    expect(await importSigningKey({ ...strong.jwk, ...change }, "RS256")).toEqual({ ok: false, refusal });
  });

  it.each([null, "key", 7, []])("is refused when it is %j", async (jwk) => {
    expect((await importSigningKey(jwk, "RS256")).ok).toBe(false);
  });
});
