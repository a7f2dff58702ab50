// What `npm run test:mutants` builds from a source: the code with its mutations beside it.

import { expect, it } from "vitest";
import { withSwitches } from "../scripts/mutants/mutated-tree.ts";
import { findMutations } from "../scripts/mutants/mutations.ts";
import { type Mutant, sampleMutants } from "../scripts/mutants/sample.ts";

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

it("draws the same sample for the same seed, one mutation a line, none within another", () => {
  const lines = Array.from({ length: 40 }, (_, index) => `if (x === ${index}) stop(x === ${index + 1});`);
  const sources = new Map([["src/job/lines.ts", `${lines.join("\n")}\n`]]);
  const draw = (seed: number): Mutant[] => sampleMutants(sources, { seed, count: 90 });
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  expect(draw(1)).toHaveLength(10);
  expect(new Set(draw(1).map(({ line }) => line)).size).toBe(10);
});
