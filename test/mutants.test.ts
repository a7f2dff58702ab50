// What `npm run test:mutants` builds from a source: the code with its mutations beside it.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withSwitches } from "../scripts/mutants/mutated-tree.ts";
import { findMutations } from "../scripts/mutants/mutations.ts";
import { areaOf, type Mutant, sampleMutants } from "../scripts/mutants/sample.ts";

const SOURCE = `import { a } from "./a.ts";
type Kind = "one" | "two";
export function choose(kind: Kind, size?: number): string {
  if (kind === "one") a.stop();
  return (size ?? 0) < 3 ? kind : "large";
}
`;

it("finds what can be changed, and leaves types and imports alone", () => {
  expect(findMutations(SOURCE).map(({ line, kind }) => `${line} ${kind}`)).toEqual([
    "4 condition → true",
    "4 condition → false",
    "4 === → !==",
    "4 string → empty",
    "4 statement → nothing",
    "5 condition → true",
    "5 condition → false",
    "5 < → <=",
    "5 ?? → left",
    "5 0 → 1",
    "5 3 → 4",
    "5 3 → 0",
    "5 string → empty",
  ]);
});

it("builds a mutant in beside the code, for expressions and for statements", () => {
  const mutants = findMutations(SOURCE).flatMap((mutation, index): Mutant[] =>
    ["statement → nothing", "?? → left"].includes(mutation.kind)
      ? [{ ...mutation, id: index, file: "src/job/choose.ts" }]
      : [],
  );
  const text = withSwitches(SOURCE, "src/job/choose.ts", mutants);
  expect(text).toContain('import { isMutant } from "../base/mutant-switch.ts";\n');
  expect(text).toContain('if (kind === "one") if (!isMutant(4)) { a.stop(); }');
  expect(text).toContain("((isMutant(8) ? (size) : (size ?? 0))) < 3");
});

it("leaves fields, awaits and statements out, but no await that the caller does anyway", () => {
  const source = `async function keep(store) {
  const row = { id: 1, ...more };
  try {
    return await store.write(row);
  } catch {
    this.failed = await store.fail(row?.id.trim().slice(1));
  }
  throw await new Error("No row");
}
const read = async () => await store.read();
`;
  const kinds = ["field → nothing", "await → nothing", "statement → nothing", "throw → nothing"];
  const found = findMutations(source);
  const texts = found
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ start, end }) => source.slice(start, end));
  expect(texts).toEqual([
    "id: 1,",
    "...more",
    "await store.write(row)",
    "this.failed = await store.fail(row?.id.trim().slice(1));",
    "await store.fail(row?.id.trim().slice(1))",
    'throw await new Error("No row");',
    'await new Error("No row")',
  ]);
  expect(found.filter(({ kind }) => kind.startsWith(".")).map(({ kind }) => kind)).toEqual([
    ".slice() → .valueOf()",
  ]);
  const mutants = found.map((mutation, id): Mutant => ({ ...mutation, id, file: "src/job/keep.ts" }));
  const first = mutants.filter(({ kind }) => kind === "field → nothing");
  expect(withSwitches(source, "src/job/keep.ts", first)).toMatch(
    /\{ \.\.\.\(isMutant\(\d\) \? \{\} : \{ id: 1, \}\), \.\.\.\(isMutant\(\d\) \? \{\} : \{ \.\.\.more \}\), \}/,
  );
});

it("leaves out the parts of a query, by its builder and in its text", () => {
  const source = `db.selectFrom("runs").where("id", "=", id).orderBy("id").execute();
sql\`select id from runs where (status = 'open and shut' or \${isOld("where a and b")}) and at between 1 and 2 order by id limit \${n} for update\`;
`;
  const found = findMutations(source).filter(({ kind }) => /^(\.\w+\(\)|sql .*) → nothing$/.test(kind));
  const written = found.map(({ kind, replacement }) => `${kind}: ${replacement}`);
  const value = (text: string): string => `$\{${text}}`;
  const old = value('isOld("where a and b")');
  const before = `select id from runs where (status = 'open and shut' or ${old})`;
  const between = "and at between 1 and 2";
  const limit = `limit ${value("n")}`;
  const lock = "for update";
  expect(written).toEqual([
    '.orderBy() → nothing: db.selectFrom("runs").where("id", "=", id)',
    '.where() → nothing: db.selectFrom("runs")',
    `sql where → nothing: sql\`select id from runs order by id ${limit} ${lock}\``,
    `sql or → nothing: sql\`${before.replace(`or ${old}`, "")} ${between} order by id ${limit} ${lock}\``,
    `sql and → nothing: sql\`${before} order by id ${limit} ${lock}\``,
    `sql order by → nothing: sql\`${before} ${between} ${limit} ${lock}\``,
    `sql limit → nothing: sql\`${before} ${between} order by id ${lock}\``,
    `sql for update → nothing: sql\`${before} ${between} order by id ${limit} \``,
  ]);
});

it("draws the same sample for the same seed, evenly by area, one mutation a line, none within another", () => {
  const lines = Array.from({ length: 40 }, (_, index) => `if (x === ${index}) stop(x === ${index + 1});`);
  const text = `${lines.join("\n")}\n`;
  const files = [
    "job/a.ts",
    "service/main.ts",
    "service/core/runs/b.ts",
    "service/core/c.ts",
    "service/store/d.ts",
  ];
  const sources = new Map(files.map((file) => [`src/${file}`, text]));
  const draw = (seed: number): Mutant[] => sampleMutants(sources, { seed, count: 40 });
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  const areas = Map.groupBy(draw(1), ({ file }) => areaOf(file));
  expect([...areas].map(([area, { length }]) => [area, length])).toEqual([
    ["job", 10],
    ["service", 10],
    ["service/core", 10],
    ["service/store", 10],
  ]);
  expect(new Set(draw(1).map(({ file, line }) => `${file}:${line}`)).size).toBe(40);
});

it("draws from every folder of src", () => {
  const root = join(import.meta.dirname, "..");
  const names = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".ts")).map((name) => `src/${name}`);
  const areas = Map.groupBy(files, areaOf);
  expect(areas.size).toBeGreaterThan(25);
  // Some files stand for each: reading and parsing all takes seconds.
  const some = [...areas.values()].flatMap((own) => own.slice(0, 3));
  const sources = new Map(some.map((file) => [file, readFileSync(join(root, file), "utf8")]));
  const drawn = new Set(
    sampleMutants(sources, { seed: 1, count: areas.size }).map(({ file }) => areaOf(file)),
  );
  expect([...drawn].sort()).toEqual([...areas.keys()].sort());
});
