import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readHeadCommit } from "../../src/ci/head-commit.ts";
import { BorrowedFixture } from "../service/checkouts/borrowed-fixture.ts";

describe("readHeadCommit", () => {
  let fixture: BorrowedFixture;
  let empty: string;
  beforeAll(async () => {
    fixture = await BorrowedFixture.make({ "a.txt": "a\n" });
    empty = await mkdtemp(join(tmpdir(), "head-commit-"));
  });
  afterAll(async () => {
    await fixture.close();
    await rm(empty, { recursive: true, force: true });
  });

  it("is the commit of the checkout, and null where there is none", async () => {
    expect(await readHeadCommit(fixture.root)).toMatch(/^[0-9a-f]{40}$/);
    expect(await readHeadCommit(empty)).toBeNull();
  });
});
