// What a repository says to the model before it begins, where it means harm: too much, or somebody else's file.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { say } from "../../../fakes/model-server/turn.ts";
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
    expect(fixture.systemPrompt()).not.toMatch(/AGENTS\.md|secret\.txt|Obey me/);
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
