import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readHeadCommit } from "../../src/ci/head-commit.ts";
import { CheckoutBed } from "../service/workspace/checkout-bed.ts";

describe("readHeadCommit", () => {
  let bed: CheckoutBed;
  let empty: string;
  beforeAll(async () => {
    bed = await CheckoutBed.make({ "a.txt": "a\n" });
    empty = await mkdtemp(join(tmpdir(), "head-commit-"));
  });
  afterAll(async () => {
    await bed.close();
    await rm(empty, { recursive: true, force: true });
  });

  it("is what the checkout stands on, and nothing where there is none", async () => {
    expect(await readHeadCommit(bed.root)).toMatch(/^[0-9a-f]{40}$/);
    expect(await readHeadCommit(empty)).toBeNull();
  });
});
