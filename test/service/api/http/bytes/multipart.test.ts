import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundaryOf, readParts } from "../../../../../src/service/api/http/bytes/multipart.ts";
import { RequestBodyError } from "../../../../../src/service/api/http/bytes/request-bytes.ts";

type Read = { readonly filename: string; readonly content: string };

/** In pieces of `size` bytes, as a socket may bring them. */
async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Uint8Array, boundary: string, size = 7, maxParts = 10): Promise<Read[]> {
  const parts: Read[] = [];
  for await (const { filename, content } of readParts(inPieces(bytes, size), { boundary, maxParts })) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(Buffer.from(chunk));
    parts.push({ filename, content: Buffer.concat(chunks).toString("latin1") });
  }
  return parts;
}

async function refusalOf(text: string, maxParts?: number): Promise<string> {
  const error: unknown = await read(Buffer.from(text), "b", 5, maxParts).catch((cause: unknown) => cause);
  if (!(error instanceof RequestBodyError)) throw new Error(`It was read: ${JSON.stringify(error)}`);
  return error.problem.message.replace("The body is no multipart/form-data of files: ", "");
}

const head = (filename: string) => `Content-Disposition: form-data; name="f"; filename="${filename}"\r\n\r\n`;

describe("a body of files", () => {
  it("is read as the platform writes it, however it is cut", async () => {
    const content = fc
      .array(fc.constantFrom("\r\n", "--", "\r", "\n", "-", "----form", "a", "\u00ff"), { maxLength: 12 })
      .map((pieces) => pieces.join(""));
    const filename = fc
      .array(fc.constantFrom("a", "/", '"', "\\x", ";", "=", "é", "日", " ", ".txt"), {
        minLength: 1,
        maxLength: 6,
      })
      .map((pieces) => pieces.join(""));
    const files = fc.array(fc.record<Read>({ filename, content }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 1, max: 40 }), async (sent, size) => {
        const form = new FormData();
        for (const file of sent)
          form.append("f", new Blob([Buffer.from(file.content, "latin1")]), file.filename);
        const response = new Response(form);
        const boundary = boundaryOf(response.headers.get("content-type") ?? "") ?? "";
        expect(await read(new Uint8Array(await response.arrayBuffer()), boundary, size)).toEqual(sent);
      }),
      { numRuns: 100 },
    );
  });

  it("may have a preamble, and parts that nobody reads", async () => {
    const body = Buffer.from(`hello\r\n--b\r\n${head("one")}1\r\n--b\r\n${head("two")}2\r\n--b--\r\nbye`);
    const names: string[] = [];
    for await (const { filename } of readParts(inPieces(body, 3), { boundary: "b", maxParts: 2 })) {
      names.push(filename);
    }
    expect(names).toEqual(["one", "two"]);
    expect(await read(Buffer.from("--b--"), "b")).toEqual([]);
  });

  it.each([
    ["is cut off", `--b\r\n${head("a")}content`, "it ends before its last boundary."],
    ["has no boundary", "content", "it ends before its last boundary."],
    ["has something behind a boundary", "--bx\r\n", "what follows a boundary is no end of a line."],
    [
      "has a field",
      '--b\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n--b--',
      "a part has no filename",
    ],
    ["has a part without a head", "--b\r\n\r\nx\r\n--b--", "a part has no filename"],
    [
      "has a name without an end",
      '--b\r\nContent-Disposition: form-data; filename="a\r\n\r\n',
      "has no end.",
    ],
    [
      "has an endless head",
      `--b\r\n${"x".repeat(20_000)}`,
      "the headers of a part have more than 16384 bytes.",
    ],
  ])("is refused when it %s", async (_what, text, message) => {
    expect(await refusalOf(text)).toContain(message);
  });

  it.each([
    ["a quote, as browsers escape it", "a%22b%0D%0Ac", 'a"b\r\nc'],
    ["another escape, as it is", "a%41b", "a%41b"],
    ["folders, and a way out of them", "../a\\b/c", "../a\\b/c"],
  ])("keeps of a file's name %s", async (_what, sent, filename) => {
    const body = Buffer.from(`--b\r\n${head(sent)}1\r\n--b--`);
    expect(await read(body, "b")).toEqual([{ filename, content: "1" }]);
  });

  it("loses no file without a word", async () => {
    const attached = 'Content-Disposition: attachment; filename="a"\r\n\r\n';
    expect(await read(Buffer.from(`--b\r\n${attached}1\r\n--b--`), "b")).toEqual([
      { filename: "a", content: "1" },
    ]);
    const long = `--b\r\nX-Long: ${"x".repeat(20_000)}\r\n${head("a")}1\r\n--b--`;
    expect(await refusalOf(long)).toBe("the headers of a part have more than 16384 bytes.");
  });

  it("is refused with more files than there may be", async () => {
    const body = `--b\r\n${head("a")}1\r\n--b\r\n${head("b")}2\r\n--b--`;
    expect(await refusalOf(body, 1)).toBe("it has more than 1 files.");
    const many = `--b\r\n${head("a")}1\r\n`.repeat(5_000);
    expect(await refusalOf(`${many}--b--`, 10)).toBe("it has more than 10 files.");
  });
});

describe("a boundary", () => {
  it.each([
    ["multipart/form-data; boundary=abc", "abc"],
    ['multipart/form-data; charset=utf-8; Boundary="a b"', "a b"],
    ["multipart/form-data", null],
    ["multipart/form-data; boundary=", null],
    [`multipart/form-data; boundary=${"a".repeat(71)}`, null],
  ])("of %j is %j", (type, boundary) => {
    expect(boundaryOf(type)).toBe(boundary);
  });
});
