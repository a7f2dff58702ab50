import { expect, it } from "vitest";
import { pageWith, readCosts, readPage } from "../../../bench/capacity/record.ts";
import { asItIs, type NamedDeployment, partitioned, today } from "../../../bench/capacity/scenarios.ts";
import { limitCells, runCostsTable, scalesTable } from "../../../bench/capacity/tables.ts";

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
  expect(table).toContain("| One node with SQLite is enough, 42 files | yes | no | no |");
  expect(table).not.toContain("Nodes and databases");
});

it("shows what a measurement cannot tell as such, never as nothing", () => {
  const costs = readCosts();
  const { fsyncs } = costs.sqlite;
  const parts = { ...fsyncs.parts, run: 0, turn: 3, event: 0 };
  const unsure = { ...fsyncs, parts, errors: { ...fsyncs.errors, run: 0.5, turn: null, event: 0 } };
  const changed = { ...unsure, largestMiss: 0.341, medianMiss: 0.02 };
  const table = runCostsTable({ ...costs, sqlite: { ...costs.sqlite, fsyncs: changed } });
  const row = table.split("\n").find((line) => line.startsWith("| fsyncs of the node, SQLite |")) ?? "";
  const cells = row.split(" | ");
  expect([cells[1], cells[3], cells[4]]).toEqual(["< 0.5", "not told apart", "0"]);
  expect(cells.at(-1)).toBe("35 %; 2 % |");
});

it("names no change that would change nothing", () => {
  const costs = readCosts();
  const limitsOf = ({ deployment }: NamedDeployment) => limitCells(costs, today, deployment);
  expect(limitsOf(partitioned)).not.toEqual(limitsOf(asItIs));
});
