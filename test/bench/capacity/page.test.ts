import { expect, it } from "vitest";
import { pageWith, readCosts, readPage } from "../../../bench/capacity/record.ts";
import { scalesTable } from "../../../bench/capacity/tables.ts";

it("the capacity page shows what follows from the costs that were measured last", () => {
  expect(pageWith(readPage(), readCosts())).toBe(readPage());
});

it("writes a page's tables again in the same places", () => {
  const costs = readCosts();
  const dearer = { ...costs, sqlite: { ...costs.sqlite, baseBytes: 123_000_000_000 } };
  const page = pageWith(readPage(), dearer);
  expect(page).toContain("| Memory of a node, ready | 120 GB |");
  expect(pageWith(page, costs)).toBe(readPage());
  expect(() => pageWith("no tables", costs)).toThrow('no place for the table "costs"');
});

it("says what is needed without PostgreSQL too", () => {
  const table = scalesTable({ ...readCosts(), postgres: null, database: null });
  expect(table).toContain("| One node with SQLite is enough | yes | no | no |");
  expect(table).not.toContain("replicas");
});
