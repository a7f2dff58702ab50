// Tools that write, on a full disk: a file that was there keeps its content, and a new one is not there.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";
import { editFile } from "../../../../src/service/executor/tools/edit-file.ts";
import type { Tool } from "../../../../src/service/executor/tools/tool.ts";
import { attemptTool } from "../../../../src/service/executor/tools/tool-call.ts";
import { writeFile } from "../../../../src/service/executor/tools/write-file.ts";
import { SmallDisk } from "../../../support/small-disk.ts";
import { folderCheckout } from "./folder-checkout.ts";

const LONG = "long\n".repeat(20_000);
const signal = new AbortController().signal;

describe("on a full disk", { tags: ["small-disk"] }, () => {
  let disk: SmallDisk;
  let checkout: Checkout;
  beforeEach(async () => {
    const mounted = SmallDisk.mount(4);
    if (mounted === null) throw new Error("No disk could be mounted.");
    disk = mounted;
    checkout = await folderCheckout({ short: "one\n", long: LONG }, disk.folder);
    disk.fill();
  });
  afterEach(async () => {
    await checkout.close();
    disk.unmount();
  });

  const attempt = (tool: Tool<unknown>, input: unknown) =>
    attemptTool({ task: { signal }, tool, input, checkout });
  const text = (path: string) => readFile(join(checkout.root, path), "utf8");
  const refusal = (path: string) => ({
    ok: false,
    text: `error: The file ${path} could not be written: the disk is full. Delete what is not needed.`,
    fullDisk: expect.any(Error),
  });

  it("a file keeps its content where the new one is longer", async () => {
    expect(await attempt(writeFile, { path: "short", content: LONG })).toEqual(refusal("short"));
    const grown = { path: "long", edits: [{ old_text: LONG, new_text: LONG + LONG }] };
    expect((await attempt(editFile, grown)).ok).toBe(false);
    expect([await text("short"), await text("long")]).toEqual(["one\n", LONG]);
  });

  it("no new file is left", async () => {
    expect(await attempt(writeFile, { path: "new", content: LONG })).toEqual(refusal("new"));
    expect(await readdir(checkout.root)).toEqual(["long", "short"]);
  });

  it("a shorter content takes the place of a longer one, and the same write works once there is room", async () => {
    expect(await attempt(writeFile, { path: "long", content: "three\n" })).toMatchObject({ ok: true });
    expect(await text("long")).toBe("three\n");
    disk.makeRoom();
    expect(await attempt(writeFile, { path: "short", content: LONG })).toMatchObject({ ok: true });
    expect(await text("short")).toBe(LONG);
  });
});
