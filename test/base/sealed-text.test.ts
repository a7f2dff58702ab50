import { describe, expect, it } from "vitest";
import { seal, sealingKeyOf, unseal } from "../../src/base/sealed-text.ts";

const key = (fill: number) => sealingKeyOf(Buffer.alloc(32, fill));
const nonce = Buffer.alloc(12, 7);
const TEXT = "sk-ant-oat01-ünïcode";

const sealed = seal(TEXT, { key: key(1), nonce, boundTo: "run-1" });

describe("sealed text", () => {
  it("opens with the key that sealed it, be it the previous one", () => {
    const open = (current: number, previous: number | null) =>
      unseal(sealed, {
        keys: { current: key(current), previous: previous === null ? null : key(previous) },
        boundTo: "run-1",
      });
    expect(open(1, null)).toEqual({ ok: true, value: TEXT });
    expect(open(2, 1)).toEqual({ ok: true, value: TEXT });
    expect(open(2, 3)).toEqual({ ok: false, refusal: { reason: "key_unknown", keyId: key(1).id } });
  });

  it("shows neither the text nor the key, and names the key by an id that is not part of it", () => {
    for (const secret of [
      TEXT,
      Buffer.from(TEXT).toString("base64url"),
      Buffer.alloc(32, 1).toString("base64url"),
    ])
      expect(sealed).not.toContain(secret.slice(0, 12));
    expect(sealed.split(".")[1]).toBe(key(1).id);
    expect(key(1).id).not.toBe(key(2).id);
    expect(JSON.stringify(key(1))).toBe(JSON.stringify({ id: key(1).id, key: {} }));
  });

  it("does not open what was changed, cut, moved to another run, or never sealed", () => {
    const keys = { current: key(1), previous: null };
    const [version, id, nonceText, body = ""] = sealed.split(".");
    const flipped = Buffer.from(body, "base64url");
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    const texts = [
      [version, id, nonceText, flipped.toString("base64url")].join("."),
      [version, id, nonceText, body.slice(0, 8)].join("."),
      [version, id, Buffer.alloc(12, 8).toString("base64url"), body].join("."),
      [version, id, "", body].join("."),
      TEXT,
      "",
      sealed.replace(/^v1/, "v2"),
    ];
    const refusal = { ok: false, refusal: { reason: "not_sealed_here" } };
    for (const text of texts) expect(unseal(text, { keys, boundTo: "run-1" }), text).toEqual(refusal);
    expect(unseal(sealed, { keys, boundTo: "run-2" })).toEqual(refusal);
  });

  it("takes a key of 32 bytes alone", () => {
    expect(() => sealingKeyOf(Buffer.alloc(31))).toThrow("A key has 32 bytes.");
  });
});
