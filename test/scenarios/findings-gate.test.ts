// A review that gates: it fails the step, becomes a check run, is about some files only, and repeats nothing about lines
// that it has seen.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { filesOfDiff } from "../../fakes/code-host/reviews.ts";
import {
  FindingsFixture,
  inDiff,
  inRange,
  outOfDiff,
  PULL,
  review,
} from "../support/fixtures/findings-fixture.ts";

describe("a review that gates", () => {
  let fixture: FindingsFixture;
  beforeAll(async () => {
    fixture = await FindingsFixture.open();
  });
  afterEach(() => fixture.reset());
  afterAll(async () => await fixture.close());

  it.each([
    ["error", [inRange, outOfDiff], 0, "success", "completed"],
    ["warning", [inRange, outOfDiff], 1, "failure", "findings_found"],
    ["notice", [outOfDiff], 1, "failure", "findings_found"],
    ["notice", [], 0, "success", "completed"],
    ["none", [inDiff], 0, "success", "completed"],
  ])(
    "fails the step with fail-on-severity: %s as its findings say",
    async (severity, found, exitCode, conclusion, reason) => {
      fixture.reply = review(...found);
      const { step } = await fixture.play(PULL, { "fail-on-severity": severity });
      expect(step).toMatchObject({
        exitCode,
        outputs: { conclusion, reason, findings: String(found.length) },
      });
      if (exitCode === 1) expect(step.log).toContain(`"fail-on-severity: ${severity}" makes that a failure.`);
    },
  );

  it("fails again for what an earlier review has published", async () => {
    fixture.reply = review(inDiff);
    await fixture.play();
    const { step, sent } = await fixture.play(
      { ...PULL, action: "synchronize" },
      { "fail-on-severity": "error" },
    );
    expect(sent).toEqual([]);
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "findings_found" } });
  });

  it("writes a check run with every finding; a re-run of the job replaces it by its name", async () => {
    const { checkRuns } = fixture.fixture.codeHost.rest;
    const many = Array.from({ length: 60 }, (_, index) => ({
      ...outOfDiff,
      line: index + 1,
      title: `No. ${index}`,
    }));
    fixture.reply = review(inDiff, ...many);
    const inputs = { "check-run": "true", "fail-on-severity": "error", findings: "annotations" };
    const asked = {
      ...PULL,
      runId: "1296270001",
      job: "review",
      permissions: { "id-token": "write", checks: "write" },
    };
    await fixture.play(asked, inputs);
    await fixture.play({ ...asked, runAttempt: "2" }, inputs);
    const [made, again, ...others] = checkRuns.all;
    expect(others).toEqual([]);
    expect(again?.name).toBe(made?.name);
    expect(again?.external_id).not.toBe(made?.external_id);
    expect(made).toMatchObject({ head_sha: fixture.headSha, conclusion: "failure" });
    expect(made?.name).toMatch(/ \/ review \/ findings$/);
    expect(made?.output.title).toBe("1 error, 60 notices");
    const summary = [
      '61 new findings: 1 error, 60 notices. "fail-on-severity: error" makes that a failure.',
      "10 in the job's annotations",
      "[The job](http://127.0.0.1:0/octo-org/octo-repo/actions/runs/1296270001) has the reply and the log of run",
    ].join("\n\n");
    expect(made?.output.summary.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:0")).toContain(summary);
    expect(made?.output.annotations).toHaveLength(61);
    expect(made?.output.annotations[0]).toMatchObject({
      path: "zebra.ts",
      start_line: 5,
      end_line: 5,
      annotation_level: "failure",
      title: "Zebras count from one",
    });
  });

  it("names the permission that a check run needs", async () => {
    fixture.reply = review(outOfDiff);
    const permissions = { "id-token": "write", "pull-requests": "write" };
    const { step } = await fixture.play({ ...PULL, permissions }, { "check-run": "true" });
    expect(step.outputs.conclusion).toBe("success");
    const [warning] = step.annotations;
    expect(warning?.message).toMatch(/^No check run could be written\..*"permissions: checks: write"/s);
  });

  it("leaves out findings in files that it is not about", async () => {
    fixture.reply = review(inDiff, { ...inDiff, path: "many/1000.txt", line: 1 });
    const { step, sent } = await fixture.play(PULL, {
      "ignore-paths": "many/**",
      "fail-on-severity": "error",
    });
    expect(sent).toMatchObject([{ comments: [{ path: "zebra.ts" }] }]);
    expect(step.outputs.findings).toBe("1");
    expect(step.log).toContain('Left out, in files that "paths" and "ignore-paths" exclude: 1 finding.');
  });

  it("starts no run for a pull request without such files", async () => {
    const runs = fixture.schemas.length;
    const { step } = await fixture.play(PULL, { paths: "src/**, *.css" });
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "skipped", reason: "paths_unmatched" },
    });
    expect(fixture.schemas).toHaveLength(runs);
  });

  it("repeats nothing about lines that have not changed since, in other words", async () => {
    const { repository, codeHost } = fixture.fixture;
    fixture.reply = review(inDiff);
    await fixture.play();
    // The next push changes line 15 and adds a line above, so that all others move.
    const text = repository.git(["show", `${fixture.headSha}:zebra.ts`]);
    const changed = `// zebras\n${text.replace("const line15 = 15;", "const line15 = 16;")}\n`;
    const head = repository.commit({ files: { "zebra.ts": changed }, parents: [fixture.headSha], day: 3 });
    const base = repository.git(["rev-parse", "refs/heads/main"]);
    repository.updateRef("refs/heads/topic", head);
    codeHost.rest.reviews.setFiles(7, filesOfDiff(repository.git(["diff", "--no-color", base, head])));
    const again = { ...inDiff, line: 6, title: "The fifth zebra", body: "Other words." };
    const hint = { ...inRange, line: 25, start_line: 24, title: "Two more lines" };
    const changedLine = { ...inRange, line: 16, start_line: 16, title: "Sixteen" };
    const missed = { ...inDiff, line: 28, title: "An error that nobody saw" };
    fixture.reply = review(again, hint, changedLine, missed);
    // GitHub moves a comment with its line.
    for (const comment of fixture.comments()) Object.assign(comment, { line: 6 });
    const { step, sent } = await fixture.play({ ...PULL, action: "synchronize" });
    const published = JSON.stringify(sent);
    expect(published).toContain("Sixteen");
    expect(published).not.toContain("The fifth zebra");
    expect(published).not.toContain("An error that nobody saw");
    expect(published).not.toContain("Two more lines");
    expect(sent[0]?.body).toContain("Published before, and not repeated: 1.");
    expect(step.outputs.findings).toBe("2");
    expect(step.summary).toContain("2 at lines that have not changed since, and not published");
    expect(step.summary).toContain("An error that nobody saw");
    repository.updateRef("refs/heads/topic", fixture.headSha);
  });
});
