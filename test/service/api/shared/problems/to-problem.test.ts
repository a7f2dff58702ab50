// Every refusal has exactly one public problem, and the compiler says so.

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { exchangeReasons } from "../../../../../src/contract/problems/problem.ts";
import { toProblem } from "../../../../../src/service/api/shared/problems/to-problem.ts";
import {
  notFound,
  type ProblemTable,
  type RefusalOf,
} from "../../../../../src/service/core/ports/problem.ts";

const SERVICE = join(import.meta.dirname, "../../../../../src/service");

const sources = readdirSync(SERVICE, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => join(SERVICE, path));
const isTable = (path: string): boolean => basename(path) === "refusals.ts";

const reasons: string[] = [];

beforeAll(async () => {
  for (const path of sources.filter(isTable)) {
    const exported: Record<string, ProblemTable> = await import(path);
    reasons.push(...Object.values(exported).flatMap((table) => Object.keys(table)));
  }
});

describe("the problems of refusals", () => {
  it("are each in the table of one noun", () => {
    expect(reasons.length).toBeGreaterThan(100);
    expect(reasons.filter((reason, place) => reasons.indexOf(reason) !== place)).toEqual([]);
  });

  it("are each of a refusal that something returns", () => {
    const code = sources.filter((path) => !isTable(path)).map((path) => readFileSync(path, "utf8"));
    expect(reasons.filter((reason) => !code.some((text) => text.includes(`"${reason}"`)))).toEqual([]);
  });

  it("do not compile where a reason is left out", () => {
    const table = { one: ({ id }: { id: string }) => notFound(id) } satisfies ProblemTable;
    // @ts-expect-error: "other" has no problem.
    type Other = RefusalOf<typeof table, "other">;
    const refusal: RefusalOf<typeof table> | Other = { reason: "one", id: "an id" };
    expect(table[refusal.reason](refusal).message).toBe("an id");
  });

  it("do not compile for a reason that no table has", () => {
    // @ts-expect-error: the operator alone is refused for it.
    expect(() => toProblem({ reason: "sku_unknown", sku: "gold" })).toThrow(TypeError);
  });

  it.each(exchangeReasons)("say why an exchange was refused: %s", (reason) => {
    const problem = toProblem({ reason, detail: "Why.", expected: "one", got: "other" });
    expect(problem).toMatchObject({ message: "Why.", fields: { reason, expected: "one", got: "other" } });
  });
});
