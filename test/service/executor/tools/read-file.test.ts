import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";
import { readFile } from "../../../../src/service/executor/tools/read-file.ts";
import { folderCheckout } from "./folder-checkout.ts";

const signal = new AbortController().signal;
let opened: Checkout[] = [];
afterEach(async () => {
  for (const checkout of opened) await checkout.close();
  opened = [];
});

async function make(
  files: Record<string, string | Buffer>,
  parts: Partial<Checkout> = {},
): Promise<Checkout> {
  const checkout = { ...(await folderCheckout(files)), ...parts };
  opened.push(checkout);
  return checkout;
}

const textOf = async (checkout: Checkout, input: unknown) =>
  (await readFile.run(input, { checkout, signal })).text;

describe("read_file", () => {
  it("shows lines with their numbers, without a byte order mark", async () => {
    const checkout = await make({ a: "\ufeffone\n\ttwo\n\nfour" });
    expect(await textOf(checkout, { path: "a" })).toBe("1\tone\n2\t\ttwo\n3\t\n4\tfour");
  });

  it("reads pages, and says how many lines there are and how to go on", async () => {
    const checkout = await make({ a: "1\n2\n3\n4\n5\n" });
    const read = (input: object) => textOf(checkout, { path: "a", ...input });
    expect(await read({ offset: 2, limit: 2 })).toBe("2\t2\n3\t3\n[lines 2 to 3 of 5; next page: offset 4]");
    expect(await read({ offset: 4 })).toBe("4\t4\n5\t5\n[lines 4 to 5 of 5]");
    await expect(read({ offset: 6 })).rejects.toThrow("The file a has 5 lines, offset is 6.");
  });

  it("ends a page at 2,000 lines, or at 30 KB unless more lines were asked for", async () => {
    const checkout = await make({ short: "x\n".repeat(2_500), long: `${"y".repeat(99)}\n`.repeat(600) });
    const short = await textOf(checkout, { path: "short" });
    expect(short).toContain("\n[lines 1 to 2000 of 2500; next page: offset 2001]");
    const long = await textOf(checkout, { path: "long" });
    expect(Buffer.byteLength(long)).toBeLessThan(30_200);
    expect(long).toMatch(/\n\[lines 1 to (\d+) of 600; next page: offset \d+\]$/);
    const more = await textOf(checkout, { path: "long", limit: 500 });
    expect(more).toContain("\n[lines 1 to 500 of 600; next page: offset 501]");
  });

  it("cuts a long line and says how long it is, between characters", async () => {
    const checkout = await make({ a: `${"é".repeat(3_000)}\nnext\n`, b: `x${"é".repeat(3_000)}` });
    const text = await textOf(checkout, { path: "a" });
    expect(text).toBe(`1\t${"é".repeat(1_000)}… [cut: the line has 6000 bytes]\n2\tnext`);
    expect(await textOf(checkout, { path: "b" })).not.toContain("\ufffd");
  });

  it("reads a page deep in a file of 300 MB without taking it into memory", async () => {
    const checkout = await make({ vast: `${"0123456789abcde\n".repeat(60_000)}` });
    const place = join(checkout.root, "vast");
    await writeFile(place, Buffer.alloc(300_000_000, "0123456789abcde\n"));
    const before = process.memoryUsage().rss;
    const text = await textOf(checkout, { path: "vast", offset: 18_000_000, limit: 2 });
    expect(text).toBe(
      "18000000\t0123456789abcde\n18000001\t0123456789abcde\n[lines 18000000 to 18000001 of 18750000; next page: offset 18000002]",
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  it("says that lines end with CRLF, and shows them without", async () => {
    const checkout = await make({ a: "one\r\ntwo\r\n" });
    expect(await textOf(checkout, { path: "a" })).toBe("1\tone\n2\ttwo\n[the lines end with CRLF]");
  });

  it("says that a file is empty", async () => {
    const checkout = await make({ a: "" });
    expect(await textOf(checkout, { path: "a" })).toBe("[empty file]");
  });

  it("shows bytes that are no UTF-8 as replacement characters", async () => {
    const checkout = await make({ a: Buffer.from([0x61, 0xff, 0x62]) });
    expect(await textOf(checkout, { path: "a" })).toBe("1\ta\ufffdb");
  });

  it.each(["dir/a", "./dir/a", "/dir/a", "/checkout/dir/a", "/workspace/dir/a"])("finds %s", async (path) => {
    const checkout = await make({ "dir/a": "x" });
    expect(await textOf(checkout, { path })).toBe("1\tx");
    expect(await textOf(checkout, { path: join(checkout.root, "dir/a") })).toBe("1\tx");
  });

  it("takes numbers as text, and null for what is left out", async () => {
    const checkout = await make({ a: "1\n2\n3\n" });
    const text = await textOf(checkout, { path: "a", offset: "2", limit: null });
    expect(text).toBe("2\t2\n3\t3\n[lines 2 to 3 of 3]");
    const strange = await textOf(checkout, { path: "a", start_line: 2 });
    expect(strange).toMatch(
      /^\[ignored, for there is no such parameter: "start_line"\. The parameters are: path, /,
    );
  });

  it("names the nearest file where there is none", async () => {
    const checkout = await make({ "src/deep/parser.ts": "", "README.md": "" });
    await expect(textOf(checkout, { path: "src/parser.ts" })).rejects.toThrow("Nearest: src/deep/parser.ts.");
    await expect(textOf(checkout, { path: "REDME.md" })).rejects.toThrow("Nearest: README.md.");
  });

  it.each([
    [{ path: "binary" }, "The file binary is binary (3 bytes)."],
    [{ path: "huge" }, "The file huge is binary (2147483648 bytes)."],
    [
      { path: "image.png" },
      "The file image.png is an image (image/png, 12 bytes). Use view_image to see it.",
    ],
    [{ path: "dir" }, "dir is not a file. Use list_files for a folder."],
    [{ path: "zero" }, "leads out of the repository"],
    [{ path: "/etc/passwd" }, "it must be relative to the repository's root"],
    [{ path: "" }, "The input of read_file is wrong: path"],
    [{ path: "dir/a", offset: 0 }, "The input of read_file is wrong: offset"],
    [{}, "The input of read_file is wrong: path"],
    ["dir/a", "The input of read_file is wrong: input"],
  ])("refuses %j", async (input, words) => {
    const image = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");
    const checkout = await make({
      binary: Buffer.from([1, 0, 2]),
      huge: "",
      "image.png": image,
      "dir/a": "a",
    });
    await truncate(join(checkout.root, "huge"), 2 ** 31);
    await symlink("/dev/zero", join(checkout.root, "zero"));
    await expect(textOf(checkout, input)).rejects.toThrow(words);
  });
});

describe("read_file while a folder is swapped for a link", { tags: ["linux"] }, () => {
  it("never reads a file outside of the checkout", async () => {
    const outside = await mkdtemp(join(tmpdir(), "outside-test-"));
    await writeFile(join(outside, "file"), "SECRET");
    const checkout = await make({ "folder/file": "inside" });
    const swap = `chdir $ARGV[0]; while (1) { rename "folder", "aside"; symlink $ARGV[1], "folder"; unlink "folder"; rename "aside", "folder"; }`;
    const swapper = spawn("perl", ["-e", swap, checkout.root, outside], { stdio: "ignore" });
    try {
      const texts = new Map<string, number>();
      // On a busy machine the other process may not get its turn for seconds.
      const isEnough = (tries: number) => tries >= (texts.size > 1 ? 3_000 : 60_000);
      for (let tries = 0; !isEnough(tries); tries += 1) {
        const text = await readFile.run({ path: "folder/file" }, { checkout, signal }).then(
          (read) => read.text,
          () => "refused",
        );
        texts.set(text, (texts.get(text) ?? 0) + 1);
      }
      expect([...texts.keys()].toSorted()).toEqual(["1\tinside", "refused"]);
    } finally {
      swapper.kill("SIGKILL");
      await once(swapper, "exit");
      await rm(outside, { recursive: true });
    }
  });
});
