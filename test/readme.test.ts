import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPage } from "../scripts/docs.ts";
import { OUR_ACTION } from "../scripts/lint-workflows.ts";

const readme = readPage("README.md");

describe("the README", () => {
  it("fits on a few screens", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(150);
  });

  it("has the commands that play the demo and the tests", () => {
    expect(readme).toMatch(/```sh\nnpm ci && npm run demo\nnpm ci && npm test\n```/);
  });

  it("says near its top that nothing is released", () => {
    expect(readme.split("\n").slice(0, 25).join(" ")).toMatch(
      /Status: not released, and not yet run on GitHub/,
    );
  });
});

describe("documents and examples", () => {
  it("name no package and no action that this project does not own", () => {
    const root = new URL("..", import.meta.url);
    const files = ["docs", "examples"].flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(md|ya?ml)$|^command$/.test(entry.name))
        .map((entry) => `${entry.parentPath.slice(root.pathname.length)}/${entry.name}`),
    );
    const used = ["README.md", ...files].flatMap((path) =>
      readPage(path)
        .split("\n")
        .filter((line) => /uses: +\S*agent-service@|npx[^`|]*agent-service/.test(line))
        .filter((line) => !line.includes(`uses: ${OUR_ACTION}`) && !/npx --yes --package=\S+\s/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(used).toEqual([]);
  });
});
