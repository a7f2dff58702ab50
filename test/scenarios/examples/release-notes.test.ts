// examples/release-notes.yml: the commits since the last tag become the notes of a draft, and of nothing else.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { actionOf, playExample } from "../../support/example-play.ts";
import { FakeGh } from "../../support/example-script.ts";
import type { ScenarioFixture } from "../../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../support/scripted-backend.ts";

const NOTES = '## New\n\n* It greets by name. `$(id)` is text, and "$TAG" too.\n';

describe("release notes", { tags: ["openssl"] }, () => {
  let fixture: ScenarioFixture;
  let gh: FakeGh;
  const prompts: string[] = [];
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      prompts.push(task.messages.at(-1)?.content ?? "");
      await say(task, NOTES);
    });
    [fixture, gh] = await Promise.all([startFixture({ level: "scenario", backend }), FakeGh.make()]);
    const { repository } = fixture;
    const first = repository.git(["rev-parse", "refs/heads/main"]);
    const files = { "README.md": "# Octo repo\n" };
    const released = repository.commit({ files, parents: [first], subject: "Release the first", day: 1 });
    repository.git(["tag", "v1.0.0", released]);
    const greet = repository.commit({ files, parents: [released], subject: "Greet by name", day: 2 });
    const last = repository.commit({ files, parents: [greet], subject: "list<<EOF; $(touch pwned)", day: 3 });
    repository.git(["tag", "v1.1.0", last]);
  });
  afterEach(async () => await gh.answer({}));
  afterAll(async () => {
    await Promise.all([fixture.close(), gh.close()]);
  });

  const play = async (ref: string, event: "push" | "workflow_dispatch" = "push") => {
    const { notes } = await playExample({
      fixture,
      file: "release-notes.yml",
      event: { event, ref, sha: fixture.repository.git(["rev-parse", ref]) },
      programs: gh.folder,
    });
    return notes;
  };

  it("writes a draft from what was done since the tag before", async () => {
    await gh.answer({ "release view": { code: 1 } });
    const played = await play("refs/tags/v1.1.0");
    expect(played?.result).toBe("success");
    expect(actionOf(played).outputs).toMatchObject({ conclusion: "success", "changed-files": "[]" });
    const prompt = prompts.at(-1) ?? "";
    expect(prompt).toMatch(/^Write the notes of release v1\.1\.0 in Markdown/);
    const [, mark, list] = /\n([0-9a-f]{32})\n([\s\S]*)\n\1$/.exec(prompt) ?? [];
    expect(prompt).toContain(`between two lines with ${mark}`);
    expect(list?.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^[0-9a-f]{7,} Ada Lovelace: list<<EOF; \$\(touch pwned\)$/),
      expect.stringMatching(/^[0-9a-f]{7,} Ada Lovelace: Greet by name$/),
    ]);
    const calls = await gh.calls();
    expect(calls.map(({ args }) => args.slice(0, 6))).toEqual([
      ["release", "view", "v1.1.0", "--json", "isDraft", "--jq"],
      ["release", "create", "v1.1.0", "--draft", "--verify-tag", "--title"],
    ]);
    expect(calls[1]).toMatchObject({
      repository: "octo-org/octo-repo",
      token: played?.job?.githubToken,
      notes: NOTES,
    });
  });

  it("takes the whole history for the first release, by hand as well", async () => {
    await play("refs/tags/v1.0.0", "workflow_dispatch");
    expect(prompts.at(-1)).toMatch(/Release the first\n[0-9a-f]{7,} Ada Lovelace: Say hello\n/);
  });

  it("writes a draft that is there anew, and no notes that people published", async () => {
    await gh.answer({ "release view": { stdout: "true\n" } });
    await play("refs/tags/v1.1.0");
    expect((await gh.calls()).at(-1)).toMatchObject({
      args: ["release", "edit", "v1.1.0", "--notes-file", expect.any(String)],
      notes: NOTES,
    });
    await gh.answer({ "release view": { stdout: "false\n" } });
    const played = await play("refs/tags/v1.1.0");
    expect((await gh.calls()).map(({ args }) => args[1])).toEqual(["view"]);
    expect(played?.steps.at(-1)?.log).toContain("its notes stay as they are");
  });

  it("starts for nothing but a tag", async () => {
    expect(await play("refs/heads/main", "workflow_dispatch")).toMatchObject({ result: "skipped" });
  });
});
