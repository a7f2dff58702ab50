import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startIssuer, type TestIssuer } from "../../../fakes/issuer/issuer.ts";
import { makeIssuerKey, signCompact } from "../../../fakes/issuer/key.ts";
import { MAX_TOKEN_CHARS } from "../../../src/service/oidc/compact-token.ts";
import { AUDIENCE, entryOf, type Fixture, START_MS, startFixture } from "./verifier-fixture.ts";

describe("a token that is good", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.close());

  it("says who the job is, what makes a replay recognisable, and until when", async () => {
    const token = fixture.token({ jti: "one", base_ref: "", event_name: "push" });
    expect(await fixture.accept(token)).toEqual({
      job: {
        provider: "github",
        issuer: fixture.issuer.url,
        repository: { id: "74", ownerId: "65", name: "octo-org/octo-repo", visibility: "public" },
        sha: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
        ref: "refs/heads/main",
        event: "push",
        baseRef: null,
        actorId: "12",
        workflow: ".github/workflows/agent.yml@refs/heads/main",
        runId: "1296269001",
        runAttempt: "1",
        cloneUrl: "https://git.example/octo-org/octo-repo.git",
      },
      replayKey: "one",
      usableUntil: START_MS + 300_000 + 60_000,
    });
  });

  it("is verified each time: the store refuses replays", async () => {
    const token = fixture.token();
    expect(await fixture.accept(token)).toEqual(await fixture.accept(token));
  });

  it("is verified with keys that were fetched once", async () => {
    await Promise.all(Array.from({ length: 20 }, () => fixture.accept(fixture.token())));
    expect(fixture.issuer.jwksRequests).toBe(1);
  });
});

describe("the form of a token", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.close());
  afterEach(() => expect(fixture.issuer.requests).toEqual([]));

  const bent: readonly (readonly [string, (token: string) => string])[] = [
    ["is empty", () => ""],
    ["has white space before it", (token) => ` ${token}`],
    ["ends with a new line", (token) => `${token}\n`],
    ["has padding", (token) => `${token}==`],
    ["uses the other base64 alphabet", (token) => token.replace(/^./, "+")],
    ["has a dot too many", (token) => `${token}.`],
    ["has four parts", (token) => `${token}.AAAA`],
    ["has two parts", (token) => token.split(".").slice(0, 2).join(".")],
    ["has no signature", (token) => `${token.split(".").slice(0, 2).join(".")}.`],
    ["has no header", (token) => token.replace(/^[^.]+/, "")],
    ["is a bearer header", (token) => `Bearer ${token}`],
    ["is one megabyte long", (token) => token + "A".repeat(1024 * 1024)],
    ["is one character too long", (token) => token + "A".repeat(MAX_TOKEN_CHARS + 1 - token.length)],
  ];
  it.each(bent)("refuses one that %s", async (_, bend) => {
    await fixture.refuse(bend(fixture.token()), "token_malformed");
  });

  it.each(["[]", "null", '"text"', "{", '{"iss":"\xff"}'])("refuses the payload %j", async (payload) => {
    const bytes = Buffer.from(payload, "latin1").toString("base64url");
    const [header, , signature] = fixture.token().split(".");
    await fixture.refuse(`${header}.${bytes}.${signature}`, "token_malformed");
  });

  it("refuses a header that is not an object", async () => {
    await fixture.refuse(fixture.token().replace(/^[^.]+/, "W10"), "token_malformed");
  });
});

describe("the issuer of a token", () => {
  let fixture: Fixture;
  let other: TestIssuer;
  let stranger: TestIssuer;
  beforeAll(async () => {
    [other, stranger] = await Promise.all([
      startIssuer({ now: () => START_MS }),
      startIssuer({ now: () => START_MS }),
    ]);
    fixture = await startFixture({ others: [entryOf(other)] });
  });
  afterAll(() => Promise.all([fixture.close(), other.close(), stranger.close()]));

  it("is refused when it is not listed, and its keys are not requested", async () => {
    const token = stranger.sign(stranger.githubClaims({ aud: AUDIENCE }));
    await fixture.refuse(token, "issuer_unknown");
    expect(stranger.requests).toEqual([]);
  });

  it.each([
    ["in case", (url: string) => url.replace("http", "HTTP")],
    ["by a slash", (url: string) => `${url}/`],
    ["by a query", (url: string) => `${url}?x=1`],
    ["by a fragment", (url: string) => `${url}#`],
    ["by white space", (url: string) => `${url} `],
    ["by a name for the same address", (url: string) => url.replace("127.0.0.1", "localhost")],
  ])("is refused when it differs %s", async (_, respell) => {
    await fixture.refuse(fixture.token({ iss: respell(fixture.issuer.url) }), "issuer_unknown");
  });

  it.each([[undefined], [null], [7], [["http://127.0.0.1"]], [{}], ["__proto__"], ["constructor"]])(
    "is refused when it is %j",
    async (iss) => {
      await fixture.refuse(fixture.token({ iss }), "issuer_unknown");
    },
  );

  it("is refused when another listed issuer's key signed its claims", async () => {
    const claims = fixture.issuer.githubClaims({ aud: AUDIENCE });
    await fixture.refuse(other.sign(claims), "key_unknown");
    await fixture.refuse(other.sign(claims, { kid: fixture.issuer.key.kid }), "signature_invalid");
    expect(other.requests).toEqual([]);
  });

  it("counts the last of two in one payload, for the lookup and for the verified claims alike", async () => {
    const { issuer } = fixture;
    const rest = JSON.stringify(issuer.githubClaims({ aud: AUDIENCE, iss: undefined })).slice(1);
    const ours = issuer.sign(`{"iss":"${stranger.url}","iss":"${issuer.url}",${rest}`);
    expect((await fixture.accept(ours)).job.issuer).toBe(issuer.url);
    await fixture.refuse(
      issuer.sign(`{"iss":"${issuer.url}","iss":"${stranger.url}",${rest}`),
      "issuer_unknown",
    );
  });

  it("is refused while it is switched off, before any cryptography", async () => {
    const off = await startFixture({ entry: { enabled: false } });
    await off.refuse(off.token(), "issuer_disabled");
    expect(off.issuer.requests).toEqual([]);
    await off.close();
  });
});

const attackersKey = await makeIssuerKey();

describe("the algorithm, header and signature of a token", () => {
  let fixture: Fixture;
  let attacker: TestIssuer;
  beforeEach(async () => {
    [fixture, attacker] = await Promise.all([startFixture(), startIssuer({ key: attackersKey })]);
  });
  afterEach(() => Promise.all([fixture.close(), attacker.close()]));
  const claims = () => fixture.issuer.githubClaims({ aud: AUDIENCE });

  it.each(["none", "None", "nOnE", "RS384", "PS256", "ES256", "EdDSA", "HS256", "rs256", ""])(
    "refuses the algorithm %j without asking for keys",
    async (alg) => {
      await fixture.refuse(fixture.issuer.sign(claims(), { alg }), "algorithm_refused");
      expect(fixture.issuer.requests).toEqual([]);
    },
  );

  it.each([undefined, null, 7, ["RS256"]])("refuses the algorithm %j", async (alg) => {
    await fixture.refuse(fixture.issuer.sign(claims(), { header: { alg } }), "algorithm_refused");
  });

  it("refuses an unsigned token", async () => {
    await fixture.refuse(fixture.issuer.sign(claims(), { alg: "none", key: null }), "token_malformed");
    const unsigned = signCompact({
      header: { alg: "none", kid: "x" },
      payload: claims(),
      key: Buffer.from("x"),
    });
    await fixture.refuse(unsigned, "algorithm_refused");
  });

  it("refuses HMAC with the public key as its secret", async () => {
    const { publicKey } = fixture.issuer.key;
    const pem = Buffer.from(publicKey.export({ type: "spki", format: "pem" }));
    const der = publicKey.export({ type: "spki", format: "der" });
    for (const secret of [pem, der]) {
      await fixture.refuse(fixture.issuer.sign(claims(), { alg: "HS256", secret }), "algorithm_refused");
      await fixture.refuse(fixture.issuer.sign(claims(), { secret }), "signature_invalid");
    }
  });

  it("refuses the signature of another key under a published key's id", async () => {
    const key = attackersKey;
    await fixture.refuse(
      fixture.issuer.sign(claims(), { key, kid: fixture.issuer.key.kid }),
      "signature_invalid",
    );
  });

  it("refuses changed claims", async () => {
    const [header, , signature] = fixture.token().split(".");
    const payload = Buffer.from(JSON.stringify({ ...claims(), repository_id: "75" })).toString("base64url");
    await fixture.refuse(`${header}.${payload}.${signature}`, "signature_invalid");
  });

  it.each([
    { kid: undefined },
    { kid: "" },
    { kid: 7 },
    { kid: null },
    { crit: ["b64"], b64: false },
    { crit: [] },
  ])("refuses the header %j", async (header) => {
    await fixture.refuse(fixture.issuer.sign(claims(), { header }), "token_malformed");
    expect(fixture.issuer.requests).toEqual([]);
  });

  it("never follows keys that a header brings or points to", async () => {
    const { key } = attacker;
    const brought = [
      { jku: attacker.jwksUri },
      { x5u: `${attacker.url}/cert.pem` },
      { jwk: key.jwk },
      { x5c: ["MIIB"] },
    ];
    for (const header of brought) {
      await fixture.refuse(fixture.issuer.sign(claims(), { key, header }), "key_unknown");
      const borrowed = { key, header, kid: fixture.issuer.key.kid };
      await fixture.refuse(fixture.issuer.sign(claims(), borrowed), "signature_invalid");
      await fixture.accept(fixture.issuer.sign(claims(), { header }));
    }
    expect(attacker.requests).toEqual([]);
  });

  it("gives one replay key for every spelling of one signature", async () => {
    const token = fixture.token({ jti: "spelled" });
    // 256 bytes leave four bits of the last character unused: 16 spellings of the same signature.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const used = alphabet.indexOf(token.slice(-1)) & 0b110000;
    const spellings = Array.from({ length: 16 }, (_, bits) => token.slice(0, -1) + alphabet[used | bits]);
    expect(new Set(spellings).size).toBe(16);
    for (const spelling of spellings) expect((await fixture.accept(spelling)).replayKey).toBe("spelled");
  });
});
