import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";
import { listFiles } from "../../../../src/service/executor/tools/list-files.ts";
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
  (await listFiles.run(input, { checkout, signal })).text;

describe("list_files", () => {
  const files = {
    "README.md": "hello\n",
    "src/a.ts": "",
    "src/deep/b.ts": "x".repeat(2_345),
    "src/deep/c.js": "",
    "odd\nname": "",
  };

  it.each([
    [{}, 'src/deep/b.ts  2.3 KB\nsrc/deep/c.js  0 B\nsrc/a.ts  0 B\nREADME.md  6 B\n"odd\\nname"  0 B'],
    [{ depth: 1 }, 'src/  3 files\nREADME.md  6 B\n"odd\\nname"  0 B\n[5 files in all]'],
    [
      { depth: 1, limit: 2 },
      "src/  3 files\nREADME.md  6 B\n[entries 1 to 2 of 3; next page: offset 3]\n[5 files in all]",
    ],
    [{ depth: 1, offset: 3 }, '"odd\\nname"  0 B\n[entries 3 to 3 of 3]\n[5 files in all]'],
    [{ path: "src/deep" }, "src/deep/b.ts  2.3 KB\nsrc/deep/c.js  0 B"],
    [{ path: "/workspace/src", depth: 1 }, "src/deep/  2 files\nsrc/a.ts  0 B\n[3 files in all]"],
    [{ path: "./src/", glob: "*.ts" }, "src/a.ts  0 B\nsrc/deep/b.ts  2.3 KB"],
    [{ path: "src/a.ts" }, "src/a.ts  0 B"],
    [{ glob: "src/*.ts" }, "src/a.ts  0 B"],
    [{ glob: "/src/*.ts" }, "src/a.ts  0 B"],
    [{ path: "src", glob: "src/*.ts" }, "src/a.ts  0 B"],
    [{ glob: "*.{ts,js}", limit: "1" }, "src/a.ts  0 B\n[entries 1 to 1 of 3; next page: offset 2]"],
    [
      { glob: "[Rr]eadme*" },
      '[no file: none of 5 files matches the repository, glob "[Rr]eadme*"; 1 match in other case]',
    ],
    [{ glob: "[Rr]EAD*" }, "README.md  6 B"],
    [{ path: "src/**/*.js" }, "src/deep/c.js  0 B"],
    [{ glob: "src/" }, "src/a.ts  0 B\nsrc/deep/b.ts  2.3 KB\nsrc/deep/c.js  0 B"],
    [{ glob: "*.py" }, '[no file: none of 5 files matches the repository, glob "*.py"]'],
  ])("answers %j", async (input, text) => {
    expect(await textOf(await make(files), input)).toBe(text);
  });

  it("lists the folders of the root first where there are very many files", async () => {
    const paths = Array.from({ length: 26_000 }, (_, at) => `top${at % 5}/mid${at % 50}/file${at}.ts`);
    const checkout = await make({}, { files: async () => ["zzz.md", ...paths] });
    expect(await textOf(checkout, { limit: 20 })).toBe(
      `${[0, 1, 2, 3, 4].map((at) => `top${at}/  5200 files`).join("\n")}\nzzz.md  link\n[26001 files in all]`,
    );
  });

  it("stays below 30 KB", async () => {
    const paths = Array.from({ length: 1_000 }, (_, at) => `${"long/".repeat(20)}file${at}.ts`);
    const checkout = await make({}, { files: async () => paths });
    const text = await textOf(checkout, { glob: "*.ts", limit: 1_000 });
    expect(Buffer.byteLength(text)).toBeLessThan(30_200);
    expect(text).toMatch(/\[entries 1 to \d+ of 1000; next page: offset \d+\]/);
  });

  it("follows no link", async () => {
    const checkout = await make({ a: "1234" });
    await symlink("/etc", join(checkout.root, "etc"));
    expect(await textOf(checkout, {})).toBe("a  4 B\netc  link");
    await expect(textOf(checkout, { path: "etc/ssl" })).rejects.toThrow("There is no folder or file etc/ssl");
  });

  it("says that git ignores a folder", async () => {
    const checkout = await make(
      { "made/x": "" },
      { files: async () => ["a"], ignored: async () => ["made"] },
    );
    expect(await textOf(checkout, { path: "made" })).toContain("[no file: git ignores made");
  });

  it("names the nearest folder where there is none, and refuses what climbs", async () => {
    const checkout = await make(files);
    await expect(textOf(checkout, { path: "source/deep" })).rejects.toThrow("Nearest: src/deep.");
    await expect(textOf(checkout, { path: "../x" })).rejects.toThrow('must not hold ".."');
  });
});
