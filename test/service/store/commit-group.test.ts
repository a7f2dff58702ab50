// What a group of transactions awaits of the disk. The log's file takes no sync here: who awaits one is refused.

import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommitGroup } from "../../../src/service/store/commit-group.ts";

const NOT_A_FILE = 1_000_000;

describe("a group of transactions", () => {
  let database: DatabaseSync;
  let group: CommitGroup;
  const write = async (): Promise<void> => void database.exec("insert into kept values (1)");
  const read = async (): Promise<unknown> => database.prepare("select count(*) as rows from kept").get();

  beforeEach(() => {
    database = new DatabaseSync(":memory:");
    database.exec("create table kept (value integer); insert into kept values (0)");
    group = new CommitGroup({ database, log: NOT_A_FILE, transaction: {} as never, onCommit: () => {} });
  });
  afterEach(() => database.close());

  it("awaits the disk where one of them wrote", async () => {
    const [written, beside] = await Promise.allSettled([group.run(write), group.run(read)]);
    expect(written).toMatchObject({ status: "rejected", reason: { code: "EBADF" } });
    expect(beside).toMatchObject({ status: "rejected", reason: { code: "EBADF" } });
  });

  it("awaits nothing where none of them wrote, before and after one that did", async () => {
    expect(await group.run(read)).toEqual({ rows: 1 });
    await expect(group.run(write)).rejects.toMatchObject({ code: "EBADF" });
    expect(await group.run(read)).toEqual({ rows: 2 });
  });

  it("awaits the disk where what was written was undone", async () => {
    const undone = group.run(async () => {
      await write();
      throw new Error("undone");
    });
    await expect(undone).rejects.toMatchObject({ code: "EBADF" });
    expect(await group.run(read)).toEqual({ rows: 1 });
  });
});
