// Children that one run begins at once.

import { expect, it } from "vitest";
import { Delegations } from "../../../src/service/executor/delegations.ts";

it("starts one after the other, also where one is refused", async () => {
  const delegations = new Delegations();
  const log: string[] = [];
  const start = (name: string, fails = false) =>
    delegations.start(async () => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} is stored`);
      if (fails) throw new Error(`${name} failed`);
      return name;
    });
  const all = await Promise.allSettled([start("a"), start("b", true), start("c")]);
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(log).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} is stored`]));
});

it("starts none that waited for its turn when the run was about to end", async () => {
  const delegations = new Delegations();
  const first = delegations.start(async () => delegations.close());
  const second = delegations.start(async () => "begun");
  await first;
  await expect(second).rejects.toThrow("The run has ended");
});
