// Every path that means something to a program, as a golden file: one that is lost would be written by agents, or shown to them.

import { expect, it } from "vitest";
import { knownPaths, secretPathVariables } from "../../src/contract/paths/known-paths.ts";

it("knows these paths", async () => {
  const lines = knownPaths.flatMap(({ is, paths, ...rest }) =>
    paths.map(
      (path) =>
        `${path}\t${is.join(", ")}${Object.keys(rest).length === 0 ? "" : `\t${JSON.stringify(rest)}`}\n`,
    ),
  );
  await expect(
    `${lines.join("")}${secretPathVariables.map((name) => `$${name}\n`).join("")}`,
  ).toMatchFileSnapshot("./golden/known-paths.txt");
});
