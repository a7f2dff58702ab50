// The costs that were measured last, and the page that shows what follows from them. Both are committed.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Costs, costsSchema } from "./costs.ts";
import {
  assumptionsTable,
  latenciesTable,
  leversTable,
  limitsTable,
  otherCostsTable,
  runCostsTable,
  scalesTable,
} from "./tables.ts";

const COSTS = join(import.meta.dirname, "costs.json");
const PAGE = join(import.meta.dirname, "../../docs/self-hosting/capacity.md");

const tables = {
  costs: (costs: Costs) => `Measured on ${costs.measuredOn}, ${costs.machine}.\n\n${runCostsTable(costs)}`,
  "other costs": otherCostsTable,
  assumptions: assumptionsTable,
  limits: limitsTable,
  latencies: latenciesTable,
  scales: scalesTable,
  levers: leversTable,
} satisfies Record<string, (costs: Costs) => string>;

export function readCosts(): Costs {
  return costsSchema.parse(JSON.parse(readFileSync(COSTS, "utf8")));
}

export function readPage(): string {
  return readFileSync(PAGE, "utf8").replaceAll("\r\n", "\n");
}

/** All tables, one after another. */
export function reportOf(costs: Costs): string {
  return Object.values(tables)
    .map((table) => `${table(costs)}\n`)
    .join("\n");
}

/** The page with its tables, each between `<!-- table: name -->` and `<!-- end of table -->`, made of these costs. */
export function pageWith(page: string, costs: Costs): string {
  return Object.entries(tables).reduce((text, [name, table]) => {
    const [start, end] = [`<!-- table: ${name} -->`, "<!-- end of table -->"];
    const from = text.indexOf(start);
    const to = text.indexOf(end, from);
    if (from === -1 || to === -1) throw new Error(`The page has no place for the table "${name}".`);
    return `${text.slice(0, from + start.length)}\n\n${table(costs)}\n\n${text.slice(to)}`;
  }, page);
}

/** Keeps the costs, and writes the page's tables of them. */
export function recordCosts(costs: Costs): void {
  writeFileSync(COSTS, `${JSON.stringify(costs, rounded, 2)}\n`);
  writeFileSync(PAGE, pageWith(readPage(), readCosts()));
}

/** Four significant digits: further ones are noise. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(4)) : value;
}
