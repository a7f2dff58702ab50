// A gate stays shut while a finding that was published is open: until its lines change, or a person with write access resolves
// its thread. Whether the model says it again makes no difference.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ACTIONS_BOT } from "../../fakes/code-host/comments.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { FindingsFixture, inDiff, outOfDiff, PULL, review } from "../support/fixtures/findings-fixture.ts";

const PUSHED: JobOptions = { ...PULL, action: "synchronize" };
const GATE: Readonly<Record<string, string>> = {
  "fail-on-severity": "error",
  "check-run": "true",
  comment: "true",
};
const farError = { ...outOfDiff, severity: "error" };

describe("a published finding", () => {
  let fixture: FindingsFixture;
  beforeAll(async () => {
    fixture = await FindingsFixture.open();
  });
  afterEach(() => fixture.reset());
  afterAll(async () => await fixture.close());

  const change = (from: string, to: string) => fixture.text("zebra.ts").replace(from, to);
  const playFirst = async (found: object = inDiff) => {
    fixture.reply = review(found);
    const first = await fixture.play(PULL, GATE);
    expect(first.step.exitCode).toBe(1);
    fixture.reply = review();
  };
  const lastCheck = () => fixture.fixture.codeHost.rest.checkRuns.all.at(-1);
  const expectOpen = async (place = "zebra.ts:5", inputs = GATE) => {
    const { step } = await fixture.play(PUSHED, inputs);
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "findings_found", findings: "1" },
    });
    expect(step.log).toContain(`What an earlier review found is still open: an error at ${place}.`);
    return step;
  };
  const expectSettled = async (inputs = GATE, title = "0 open, 1 fixed") => {
    const { step } = await fixture.play(PUSHED, inputs);
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", findings: "0" } });
    expect(lastCheck()).toMatchObject({ conclusion: "success", output: { title } });
    return step;
  };

  it("keeps the gate shut after a push that does not touch it, and everything says so; its fix opens the gate", async () => {
    await playFirst();
    const second = fixture.push({ "zebra.ts": change("const line15 = 15;", "const line15 = 16;") });
    const step = await expectOpen();
    const url = String(fixture.comments()[0]?.html_url);
    expect(lastCheck()).toMatchObject({
      head_sha: second,
      conclusion: "failure",
      output: {
        title: "1 open",
        summary: expect.stringContaining("Of earlier reviews is still open: 1 error."),
        annotations: [{ path: "zebra.ts", start_line: 5, title: "Zebras count from one" }],
      },
    });
    const answers = fixture.fixture.codeHost.rest.commentsOf(7).filter(({ user }) => user === ACTIONS_BOT);
    for (const text of [step.summary, answers.at(-1)?.body ?? ""]) {
      expect(text).toContain("1 error](");
      expect(text).toContain(" still open");
      expect(text).toContain("### Still open of earlier reviews: 1 error");
      expect(text).toContain(`| ❌ | Zebras count from one | [<code>zebra.ts:5</code>](${url}) |`);
      expect(text).not.toContain("No findings");
    }
    fixture.push({ "zebra.ts": change("const fifth = 4;", "const fifth = 5;") });
    await expectSettled();
  });

  it("moves with its lines: a shift, a move within the file, to another file, and a renamed file change nothing", async () => {
    const long = { ...inDiff, line: 6, start_line: 4, suggestion: undefined };
    await playFirst(long);
    const text = fixture.text("zebra.ts");
    const block = "const line4 = 4;\nconst fifth = 4;\nconst line6 = 6;\n";
    expect(text).toContain(block);
    fixture.push({ "zebra.ts": `// zebras\n${text}` });
    await expectOpen("zebra.ts:5-7");
    fixture.push({ "zebra.ts": `${text.replace(block, "")}${block}` });
    await expectOpen("zebra.ts:28-30");
    fixture.push({ "zebra.ts": null, "yak.ts": `// yaks\n${text}` });
    await expectOpen("yak.ts:5-7");
    fixture.push({ "yak.ts": null, "zebra.ts": text.replace(block, ""), "gnu.ts": block });
    await expectOpen("zebra.ts:4-6");
    fixture.push({ "zebra.ts": text.replace(block, ""), "gnu.ts": null });
    await expectSettled();
  });

  it("is closed with its file", async () => {
    await playFirst();
    fixture.push({ "zebra.ts": null });
    await expectSettled();
  });

  it("stays after a force push that rewrites its commit, and after one that loses it", async () => {
    await playFirst();
    fixture.push({ "zebra.ts": change("const line15 = 15;", "") }, fixture.baseSha);
    fixture.push({ "zebra.ts": fixture.text("zebra.ts").replace("const line5 = 5;", "const fifth = 4;") });
    await expectOpen();
    const [comment] = fixture.comments();
    const lost = comment?.body.replace(/<!-- agent-service:at [\w-]+ -->\n/, "");
    Object.assign(comment ?? {}, { body: lost, original_commit_id: "d".repeat(40) });
    await expectOpen();
  });

  it("is open again where a reader has resolved its thread, and closed where a writer has", async () => {
    const { rest } = fixture.fixture.codeHost;
    await playFirst();
    rest.setPermission("reader", "read", 501);
    rest.setPermission("writer", "write", 502);
    for (const login of ["reader", "ghost"]) {
      rest.resolveThreads(7, login);
      await expectOpen();
    }
    rest.resolveThreads(7, "writer");
    await expectSettled(GATE, "0 open, 1 declined");
    // The same once more, in its own words and in others: a person has decided.
    for (const found of [inDiff, { ...inDiff, title: "The fifth zebra", body: "Other words." }]) {
      fixture.reply = review(found);
      const { step, sent } = await fixture.play(PUSHED, GATE);
      expect(sent).toEqual([]);
      expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", findings: "0" } });
      expect(step.summary).toContain("1 where a person has declined a finding, and not counted");
      expect(lastCheck()).toMatchObject({ conclusion: "success" });
    }
    fixture.push({ "zebra.ts": change("const line6 = 6;", "const line6 = 7;") });
    fixture.reply = review({ ...inDiff, title: "Six", line: 6 });
    expect((await fixture.play(PUSHED, GATE)).step.exitCode).toBe(1);
  });

  it("is not made less severe by a milder word for it", async () => {
    await playFirst();
    fixture.reply = review({ ...inDiff, severity: "notice" });
    const { step } = await fixture.play(PUSHED, GATE);
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "findings_found" } });
  });

  it("counts without a thread, too, until somebody hides the review that has it", async () => {
    await playFirst(farError);
    expect(fixture.comments()).toEqual([]);
    await expectOpen("zebra.ts:20");
    const [written] = fixture.reviews();
    fixture.fixture.codeHost.rest.reviews.hide(written?.id ?? 0);
    await expectSettled(GATE, "0 open, 1 declined");
  });

  it("counts in the files that a review is about alone", async () => {
    await playFirst();
    const elsewhere = { ...GATE, "ignore-paths": "zebra.ts", paths: "many/**" };
    await expectSettled(elsewhere, "No findings");
  });

  it("counts where the reply is no review at all", async () => {
    await playFirst();
    fixture.reply = null;
    await expectOpen();
  });

  it("counts from a version whose comments say less", async () => {
    await playFirst();
    for (const comment of fixture.comments())
      Object.assign(comment, { body: comment.body.replace(/<!-- agent-service:at [\w-]+ -->\n/, "") });
    await expectOpen();
    fixture.push({ "zebra.ts": change("const fifth = 4;", "const fifth = 5;") });
    await expectSettled();
  });

  it("is found on the last of many pages of threads", async () => {
    const { rest } = fixture.fixture.codeHost;
    const user = { login: "outsider", id: 99, type: "User" };
    for (let id = 1; id <= 130; id += 1)
      rest.addLineComment(7, { id, body: "A remark.", html_url: `https://code-host.example/${id}`, user });
    await playFirst();
    rest.setPermission("writer", "maintain", 502);
    rest.resolveThreads(7, "outsider", [1, 2, 3]);
    await expectOpen();
    rest.resolveThreads(
      7,
      "writer",
      fixture
        .comments()
        .slice(-1)
        .map(({ id }) => id),
    );
    await expectSettled(GATE, "0 open, 1 declined");
  });

  it("is open where the threads cannot be read, and the gate is shut where nothing can", async () => {
    const { rest, faults } = fixture.fixture.codeHost;
    await playFirst();
    rest.setPermission("writer", "write", 502);
    rest.resolveThreads(7, "writer");
    const refused = { type: "status", status: 403, body: '{"message":"Forbidden"}' } as const;
    // Comments, our account, reviews, threads and the writer's permission for the prompt; comments, our account, reviews: then the
    // threads.
    faults.api.next({ type: "delay", ms: 0 }, 8);
    faults.api.next(refused);
    const quiet = { ...GATE, comment: "false", "check-run": "false" };
    expect((await expectOpen("zebra.ts:5", quiet)).log).toContain("It could not be read which findings");
    faults.api.next({ type: "delay", ms: 0 }, 5);
    faults.api.next(refused);
    const { step } = await fixture.play(PUSHED, { ...GATE, comment: "false" });
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "findings_unread" },
    });
    expect(step.log).toContain("The findings of earlier reviews on #7 could not be read.");
    expect(lastCheck()).toMatchObject({
      conclusion: "failure",
      output: { title: "Earlier findings are not known" },
    });
    faults.api.next({ type: "delay", ms: 0 }, 5);
    faults.api.next(refused);
    const open = await fixture.play(PUSHED, { comment: "false" });
    expect(open.step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(open.step.annotations[0]?.message).toContain("could not be read");
  });
});
