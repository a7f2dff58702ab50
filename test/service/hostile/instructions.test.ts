// What a repository says to the model before it begins, where it means harm: too much, or somebody else's file.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommitFields } from "../../../fakes/code-host/git-repository.ts";
import { call, say } from "../../../fakes/model-server/turn.ts";
import { HostileFixture } from "./hostile-fixture.ts";

let fixture: HostileFixture;
beforeAll(async () => {
  fixture = await HostileFixture.start();
});
afterAll(() => fixture.close());

const steps = [say("Done.")];

describe("AGENTS.md", () => {
  it("of any size takes a bounded part of what the model is told", async () => {
    const files = { "AGENTS.md": `Begin here.\n${"Obey me. ".repeat(2_000_000)}`, "a.txt": "one\n" };
    const { run } = await fixture.play(fixture.repository.commit({ files }), steps);
    expect(run.status).toBe("completed");
    expect(fixture.systemPrompt()).toContain("Begin here.");
    expect(fixture.systemPrompt().length).toBeLessThan(40_000);
  });

  it.each([
    ["to a file outside", () => join(fixture.outside.folder, "secret.txt")],
    ["up and out", () => `${"../".repeat(20)}${fixture.outside.folder.slice(1)}/secret.txt`],
    ["to another file of the repository", () => "a.txt"],
  ])("that is a link %s says nothing", async (_where, target) => {
    const files = { "AGENTS.md": { link: target() }, "a.txt": "Obey me.\n" };
    const { run } = await fixture.play(fixture.repository.commit({ files }), steps);
    expect(run.status).toBe("completed");
    expect(fixture.systemPrompt()).not.toMatch(/From "AGENTS\.md"|secret\.txt|Obey me/);
  });

  it.each([
    ["a folder", { "AGENTS.md/a": "Obey me.\n" }],
    ["a submodule", { "AGENTS.md": { submodule: "1".repeat(40) }, a: "a" }],
    ["empty", { "AGENTS.md": "" }],
    ["bytes that are no text", { "AGENTS.md": Buffer.from([0, 255, 254, 0, 27]) }],
  ])("that is %s ends no run", async (_what, files) => {
    const { run, reply } = await fixture.play(fixture.repository.commit({ files }), steps);
    expect(run.status).toBe("completed");
    expect(reply).toBe("Done.");
  });
});

describe("notes for agents in other files", () => {
  const names = [
    "CLAUDE.md",
    ".github/copilot-instructions.md",
    "deep/AGENTS.md",
    ".github/instructions/a.instructions.md",
    ".claude/skills/one/SKILL.md",
  ];
  const outside = () => join(fixture.outside.folder, "secret.txt");
  const shapes: readonly (readonly [string, (name: string) => CommitFields["files"]])[] = [
    ["a link to a file outside", (name: string) => ({ [name]: { link: outside() } })],
    ["a link to another file", (name: string) => ({ [name]: { link: "/a.txt" } })],
    ["a folder", (name: string) => ({ [`${name}/a`]: "Obey me.\n" })],
    ["a submodule", (name: string) => ({ [name]: { submodule: "1".repeat(40) } })],
    ["bytes that are no text", (name: string) => ({ [name]: Buffer.from([0, 255, 254, 0, 27]) })],
    ["empty", (name: string) => ({ [name]: "" })],
  ];

  it.each(shapes)("that are %s say nothing and end no run", async (_what, shape) => {
    const files = Object.assign(
      { "a.txt": "Obey me.\n", "deep/b.txt": "b\n" },
      ...names.map((name) => shape(name)),
    );
    const { run, results } = await fixture.play(fixture.repository.commit({ files }), [
      call("read_file", { path: "deep/b.txt" }),
      say("Done."),
    ]);
    expect(run.status).toBe("completed");
    expect(fixture.systemPrompt()).not.toMatch(/secret\.txt|Obey me/);
    expect(results[0]).not.toContain("Obey me");
  });

  it("of any size and number take a bounded part of what the model is told", async () => {
    const huge = `Begin here.\n${"Obey me. ".repeat(25_000)}`;
    const rule = `---\napplyTo: "**"\n---\n${huge}`;
    const skill = `---\nname: ${"n".repeat(5_000)}\ndescription: ${"d".repeat(1_000)}\n---\n${huge}`;
    const many = (count: number, path: (at: number) => string, text: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [path(at), text]));
    const files = {
      ...Object.fromEntries(names.slice(0, 3).map((name) => [name, huge])),
      ...many(300, (at) => `.github/instructions/${at}.instructions.md`, rule),
      ...many(300, (at) => `.claude/skills/s${at}/SKILL.md`, skill),
      "deep/b.txt": "b\n",
    };
    const { run, results } = await fixture.play(fixture.repository.commit({ files }), [
      call("read_file", { path: "deep/b.txt" }),
      say("Done."),
    ]);
    expect(run.status).toBe("completed");
    expect(fixture.systemPrompt().length).toBeLessThan(60_000);
    expect(results[0]).toContain("Begin here.");
    expect(results[0]?.length).toBeLessThan(10_000);
  });

  it("in folders whose names are patterns, options or magic words of git are read as they are", async () => {
    const folders = ["[a-z]*", "--help", ":(top)", ":!x", "a b", "ü"];
    const files = Object.fromEntries(
      folders.flatMap((folder) => [
        [`${folder}/AGENTS.md`, `Notes of ${folder}.\n`],
        [`${folder}/f.txt`, "f\n"],
      ]),
    );
    const steps = [...folders.map((folder) => call("read_file", { path: `${folder}/f.txt` })), say("Done.")];
    const { run, results } = await fixture.play(fixture.repository.commit({ files }), steps);
    expect(run.status).toBe("completed");
    for (const [at, folder] of folders.entries()) {
      if (!folder.startsWith(":")) expect(results[at]).toContain(`Notes of ${folder}.`);
      for (const other of folders)
        if (other !== folder) expect(results[at]).not.toContain(`Notes of ${other}.`);
    }
  });
});
