import { describe, expect, it } from "vitest";
import { readClaims } from "../../src/doctor/token-claims.ts";

function token(claims: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "RS256" })}.${part(claims)}.c2lnbmF0dXJl`;
}

describe("the claims that are shown", () => {
  it("are those of a fixed list, and no other", () => {
    const read = readClaims(
      token({
        iss: "https://issuer.example",
        aud: "agents.example",
        sub: "repo:octo/hello:environment:prod-eu:ref:refs/heads/main",
        repository: "octo/hello",
        repository_id: "7",
        ref: "refs/heads/main",
        actor: "octocat",
        iat: 1_000,
        exp: 1_300,
        jti: "secret-of-the-token",
        environment: "prod-eu",
        "https://company.example/claim": "whatever",
      }),
    );
    expect(read).toEqual({
      facts: {
        iss: "https://issuer.example",
        aud: "agents.example",
        repository: "octo/hello",
        repository_id: "7",
        ref: "refs/heads/main",
        actor: "octocat",
        "sub, its form": "repo:<repository>:environment:…:ref:<ref>",
        "exp - iat": "300 s",
      },
      audiences: ["agents.example"],
      // For whoever configures a trust by it; on no other page.
      subject: "repo:octo/hello:environment:prod-eu:ref:refs/heads/main",
      issuedAt: 1_000,
      lifeSeconds: 300,
    });
  });

  it("are read of several audiences, and of times that are none", () => {
    expect(readClaims(token({ aud: ["a", "b", 7], iat: "now" }))).toMatchObject({
      facts: { aud: "a, b" },
      audiences: ["a", "b"],
      issuedAt: null,
      lifeSeconds: null,
    });
  });

  it.each(["", "a.b.c", "no token", token([]), token(null), token("text")])("are none of %j", (text) => {
    expect(readClaims(text)).toBeNull();
  });
});
