import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedOutput } from "../../../src/service/sandbox/bounded-output.ts";
import { harmlessConfiguration } from "../../../src/service/sandbox/git-view.ts";

function outputOf(chunks: readonly Buffer[], maxBytes: number): BoundedOutput {
  const output = new BoundedOutput(maxBytes);
  for (const chunk of chunks) output.add(chunk);
  return output;
}

describe("bounded output", () => {
  it("keeps everything that fits, however it comes", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (texts) => {
        const chunks = texts.map((text) => Buffer.from(text));
        const output = outputOf(chunks, Buffer.concat(chunks).length);
        expect([output.text(), output.truncated]).toEqual([texts.join(""), false]);
      }),
    );
  });

  it("keeps head and tail within the bound, says what is missing, and splits no character", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 7 }), (maxBytes, size) => {
        const all = Buffer.from("aé€😀".repeat(20_000));
        const chunks: Buffer[] = [];
        for (let at = 0; at < all.length; at += size * 1000) chunks.push(all.subarray(at, at + size * 1000));
        const [head = "", tail = ""] = outputOf(chunks, maxBytes)
          .text()
          .split(/\n\[[\d,]+ bytes cut\]\n/);
        const text = all.toString();
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head + tail)).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });

  it("names the bytes that were cut", () => {
    expect(outputOf([Buffer.from("0123456789")], 4).text()).toBe("01\n[6 bytes cut]\n89");
  });
});

describe("git's configuration in a sandbox", () => {
  it("keeps what git needs to read its folder, and nothing that can hold a secret or run", () => {
    const text = [
      "[core]",
      "\trepositoryformatversion = 1",
      "\tfsmonitor = /bin/evil",
      '\tsshCommand = "ssh -i key"',
      "[extensions]",
      "\tobjectFormat = sha256",
      '[remote "origin"]',
      "\turl = https://x:secret@example.com/a.git",
      '[http "https://github.com/"]',
      "\textraheader = AUTHORIZATION: basic secret",
      '[includeIf "gitdir:/x"]',
      "\tpath = /tmp/credentials",
      "[core] bare = true",
    ].join("\n");
    expect(harmlessConfiguration(text)).toBe(
      "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n",
    );
  });
});
