// One list says what acts and what is secret: a name that is added to it counts for what a run may change, for what an agent
// finds, for what lists and searches show, and for what tools and commands read.

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { knownPaths } from "../../../src/contract/paths/known-paths.ts";
import { PathRules } from "../../../src/contract/paths/path-rules.ts";
import { readFile as readTool } from "../../../src/service/executor/tools/read-file.ts";
import { SandboxFixture } from "../sandbox/sandbox-fixture.ts";
import { BorrowedFixture } from "./borrowed-fixture.ts";
import { textQuery } from "./text-query.ts";

const SECRET = "token = of-a-tool-of-tomorrow-1234";
const rules = new PathRules([...knownPaths, { is: ["agent", "secret"], paths: ["**/.tool-of-tomorrow"] }]);
const pullRequest = { event: "pull_request", ref: "refs/pull/7/merge", baseRef: "main" };

let fixture: BorrowedFixture;
let sandboxes: SandboxFixture;
beforeEach(async () => {
  fixture = await BorrowedFixture.make({
    "README.md": "# Fixture\n",
    "deep/.tool-of-tomorrow": "token = of the commit\n",
  });
  sandboxes = new SandboxFixture();
});
afterEach(async () => {
  await fixture.close();
  await sandboxes.close();
});
const at = (path: string) => join(fixture.root, path);

describe("a name that is added to the list", () => {
  it("is held back from the run's changes", async () => {
    const checkout = await fixture.open(undefined, {}, rules);
    await mkdir(at("new"));
    await writeFile(at("new/.tool-of-tomorrow"), "hooks\n");
    await writeFile(at("deep/.tool-of-tomorrow"), "hooks\n");
    expect(await checkout.workingChanges()).toMatchObject({
      files: [],
      heldBack: [
        { path: "deep/.tool-of-tomorrow", reason: "protected" },
        { path: "new/.tool-of-tomorrow", reason: "protected" },
      ],
    });
  });

  it("is hidden from agents in a tree that writers did not make", async () => {
    const checkout = await fixture.open(undefined, pullRequest, rules);
    const hidden = (await checkout.hideAgentFiles()) ?? [];
    expect(hidden.map(({ path }) => path)).toEqual(["deep/.tool-of-tomorrow"]);
    expect(existsSync(at("deep/.tool-of-tomorrow"))).toBe(false);
    await checkout.close();
    expect(await readFile(at("deep/.tool-of-tomorrow"), "utf8")).toBe("token = of the commit\n");
  });

  it("is neither listed nor searched where the job left it, and its secret is known", async () => {
    await writeFile(at(".tool-of-tomorrow"), `${SECRET}\n`);
    const checkout = await fixture.open(undefined, {}, rules);
    expect(await checkout.files()).toEqual(["README.md", "deep/.tool-of-tomorrow"]);
    const query = textQuery("token");
    expect((await checkout.findText(query)).matches.map(({ path }) => path)).toEqual([
      "deep/.tool-of-tomorrow",
    ]);
    expect((await checkout.countText(query)).counts.map(({ path }) => path)).toEqual([
      "deep/.tool-of-tomorrow",
    ]);
    expect(checkout.covered?.values).toContain("of-a-tool-of-tomorrow-1234");
  });

  it("is not read by tools, and what the commit has of that name is", async () => {
    await writeFile(at(".tool-of-tomorrow"), `${SECRET}\n`);
    const checkout = await fixture.open(undefined, {}, rules);
    const context = { checkout, signal: AbortSignal.timeout(30_000) };
    await expect(readTool.run({ path: ".tool-of-tomorrow" }, context)).rejects.toThrow(
      /is refused: it holds credentials that the job left there/,
    );
    expect((await readTool.run({ path: "deep/.tool-of-tomorrow" }, context)).text).toContain("of the commit");
  });

  it("is empty for commands", { tags: ["sandbox"] }, async () => {
    await writeFile(at(".tool-of-tomorrow"), `${SECRET}\n`);
    const { root, covered } = await fixture.open(undefined, {}, rules);
    const sandbox = await sandboxes.find();
    const place = { checkout: { root, covered } };
    const result = await sandboxes.result(sandbox, "cat .tool-of-tomorrow deep/.tool-of-tomorrow", place);
    expect(result.output).toBe("token = of the commit\n");
  });
});
