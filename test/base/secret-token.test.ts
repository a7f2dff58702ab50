import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../src/base/secret-token.ts";

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe("makeSecretToken", () => {
  it("makes a prefix, 43 characters of secret and 6 of checksum, and the hash of it all", () => {
    const { text, hash } = makeSecretToken("svc_ci_", new Uint8Array(32));
    expect(text).toMatch(/^svc_ci_A{43}[0-9a-z]{6}$/);
    expect(hash).toBe(createHash("sha256").update(text).digest("hex"));
    expect(hashSecret(text)).toBe(hash);
  });

  it("takes 32 bytes and no other number", () => {
    for (const count of [0, 31, 33]) {
      expect(() => makeSecretToken("svc_ci_", randomBytes(count))).toThrow(RangeError);
    }
  });

  it("makes what is well-formed under its own prefix, and under no other", () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const { text } = makeSecretToken("svc_ci_", random);
        expect(isWellFormedSecret("svc_ci_", text)).toBe(true);
        expect(isWellFormedSecret("svc_cl_", text)).toBe(false);
      }),
    );
  });
});

describe("isWellFormedSecret", () => {
  it("notices any one character that was changed", () => {
    fc.assert(
      fc.property(
        bytes,
        fc.nat({ max: 55 }),
        fc.constantFrom("a", "Z", "0", "-", "é"),
        (random, place, letter) => {
          const { text } = makeSecretToken("svc_ci_", random);
          fc.pre(text[place] !== letter);
          const changed = text.slice(0, place) + letter + text.slice(place + 1);
          expect(isWellFormedSecret("svc_ci_", changed)).toBe(false);
        },
      ),
    );
  });

  it("notices what was cut off or put on", () => {
    const { text } = makeSecretToken("svc_ci_", randomBytes(32));
    for (const wrong of [
      "",
      "svc_ci_",
      text.slice(1),
      text.slice(0, -1),
      `${text} `,
      ` ${text}`,
      text + text,
    ]) {
      expect(isWellFormedSecret("svc_ci_", wrong)).toBe(false);
    }
  });
});
