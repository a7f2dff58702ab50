// What repositories say to agents, read by git from real commits.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ProjectMemory } from "../../../../src/service/executor/memory/project-memory.ts";
import { CheckoutFixture } from "../../checkouts/checkout-fixture.ts";

let fixture: CheckoutFixture;

beforeEach(async () => {
  fixture = await CheckoutFixture.make();
});
afterEach(() => fixture.close());

type Files = Parameters<CheckoutFixture["repository"]["commit"]>[0]["files"];

async function memoryOf(files: Files): Promise<ProjectMemory> {
  const sha = fixture.repository.commit({ files: { "a.txt": "a\n", ...files } });
  return await ProjectMemory.open(await fixture.open(sha));
}

describe("the notes of a repository", () => {
  it("of the root folder are told at once, each text once", async () => {
    const memory = await memoryOf({
      "AGENTS.md": "Run npm test.\n",
      "CLAUDE.md": "@AGENTS.md\n",
      ".claude/CLAUDE.md": "Be brief.\n",
      "GEMINI.md": "Run npm test.",
      ".github/copilot-instructions.md": "Use tabs.\n",
    });
    expect(memory.rootTexts).toEqual([
      { path: "AGENTS.md", text: "Run npm test." },
      { path: ".claude/CLAUDE.md", text: "Be brief." },
      { path: ".github/copilot-instructions.md", text: "Use tabs." },
    ]);
  });

  it("of a folder are told once, with the first of its files, from outside in", async () => {
    const memory = await memoryOf({
      "web/AGENTS.md": "Web rules.\n",
      "web/forms/CLAUDE.md": "Form rules.\n",
      "web/forms/a.ts": "a\n",
      "server/AGENTS.md": "Server rules.\n",
    });
    expect(memory.rootTexts).toEqual([]);
    expect(await memory.noteFor("a.txt")).toBeNull();
    const note = await memory.noteFor("web/forms/a.ts");
    expect(note).toMatch(/web\/AGENTS\.md[\s\S]*Web rules\.[\s\S]*web\/forms\/CLAUDE\.md[\s\S]*Form rules\./);
    expect(note).not.toContain("Server rules.");
    expect(await memory.noteFor("web/forms/a.ts")).toBeNull();
    expect(await memory.noteFor("server/new.ts")).toContain("Server rules.");
  });

  it("for some files are told with the first of these, those for all files at once", async () => {
    const rule = (applyTo: string, text: string) => `---\napplyTo: "${applyTo}"\n---\n${text}\n`;
    const memory = await memoryOf({
      ".github/instructions/all.instructions.md": rule("**", "Everywhere."),
      ".github/instructions/ts.instructions.md": rule("**/*.ts,**/*.tsx", "No default exports."),
      ".github/instructions/asked.instructions.md": "For people who ask.\n",
    });
    expect(memory.rootTexts).toEqual([
      { path: ".github/instructions/all.instructions.md", text: "Everywhere." },
    ]);
    expect(await memory.noteFor("src/a.js")).toBeNull();
    expect(await memory.noteFor("src/a.tsx")).toContain("No default exports.");
    expect(await memory.noteFor("src/b.ts")).toBeNull();
  });

  it("list skills by name and description, whose text is read when it is asked for", async () => {
    const memory = await memoryOf({
      ".claude/skills/migrate/SKILL.md":
        "---\nname: migrate\ndescription: Write a migration.\n---\nStep one.\n",
      ".agents/skills/release/SKILL.md": "Tag it.\n",
      ".github/skills/migrate/SKILL.md": "---\nname: migrate\n---\nAnother one.\n",
    });
    expect(memory.skills.map(({ name, description }) => [name, description])).toEqual([
      ["release", ""],
      ["migrate", "Write a migration."],
    ]);
    expect(await memory.skillText("migrate")).toBe("Step one.");
    expect(await memory.skillText("release")).toBe("Tag it.");
    expect(await memory.skillText("../migrate")).toBeNull();
  });

  it("are bounded: at once, in one note, and in all notes", async () => {
    const folders = Array.from({ length: 20 }, (_, at) => `f${at}`);
    const memory = await memoryOf({
      "AGENTS.md": "a".repeat(20_000),
      "CLAUDE.md": "b".repeat(20_000),
      "GEMINI.md": "c",
      ...Object.fromEntries(folders.map((folder) => [`${folder}/AGENTS.md`, folder.repeat(10_000)])),
    });
    expect(memory.rootTexts.map(({ text }) => text.length)).toEqual([20_000, 4_000 + "\n[cut here]".length]);
    let told = 0;
    for (const folder of folders) {
      const note = (await memory.noteFor(`${folder}/x`)) ?? "";
      expect(note.length).toBeLessThan(8_200);
      told += note.length;
    }
    expect(told).toBeLessThan(52_000);
  });

  it("of a pull request are the base's, in every folder, rules and skills too", async () => {
    const skill = (text: string) => `---\nname: migrate\ndescription: ${text}\n---\n${text}\n`;
    const files = (text: string) => ({
      "AGENTS.md": text,
      "CLAUDE.md": `${text} too`,
      "web/AGENTS.md": text,
      ".github/copilot-instructions.md": `${text} three`,
      ".github/instructions/a.instructions.md": `---\napplyTo: "**/*.ts"\n---\n${text}\n`,
      ".claude/skills/migrate/SKILL.md": skill(text),
    });
    const base = fixture.repository.commit({ files: files("Ours") });
    const theirs = {
      ...files("Theirs"),
      "new/AGENTS.md": "Theirs",
      ".agents/skills/evil/SKILL.md": skill("Theirs"),
    };
    const head = fixture.repository.commit({ files: theirs, parents: [base] });
    fixture.repository.updateRef("refs/pull/7/head", head);
    fixture.repository.updateRef("refs/heads/main", base);
    const pullRequest = { number: 7, headRef: "refs/pull/7/head", isJobs: false };
    const source = { event: "pull_request", ref: "refs/pull/7/head", baseRef: "main", pullRequest };
    const memory = await ProjectMemory.open(await fixture.open(head, { source }));
    const told = [
      ...memory.rootTexts.map(({ text }) => text),
      await memory.noteFor("web/a.ts"),
      await memory.noteFor("new/a.ts"),
      ...memory.skills.map(({ description }) => description),
      await memory.skillText("migrate"),
    ].join("\n");
    expect(told.match(/Ours/g)).toHaveLength(7);
    expect(told).not.toContain("Theirs");
    expect(await memory.skillText("evil")).toBeNull();
  });
});
