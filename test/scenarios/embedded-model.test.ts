// Jobs without a server, with a model: the agent mends the checkout by real tools and a real test, on a scripted model.

import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn, everyTime } from "../../fakes/model-server/script.ts";
import { editTestFix, storyTools, sumProject } from "../../fakes/model-server/stories.ts";
import { call, fault, say, stall } from "../../fakes/model-server/turn.ts";
import { allThatIsSeen, EmbeddedFixture, PERSISTED_TOKEN } from "../support/fixtures/embedded-fixture.ts";

const KEY = "sk-the-models-key-0123456789";
const tools = { ...storyTools, run: (command: string) => call("run_command", { command }) };

let fixture: EmbeddedFixture;
let server: ModelServer | null = null;
beforeEach(async () => {
  fixture = await EmbeddedFixture.open({ ...sumProject, ".gitignore": "ignored\n" });
});
afterEach(async () => {
  await fixture.close();
  await server?.close();
  server = null;
});

const play = async (script: Parameters<typeof startModelServer>[0]["script"]) => {
  server = await startModelServer({ script, apiKey: KEY });
  return server;
};

const inputsOf = (model: ModelServer) => ({
  prompt: "Make the test pass.",
  model: "scripted-model",
  "model-base-url": model.baseUrl,
  "model-api-key": KEY,
});

describe("a job with a model and without a server", () => {
  it("edits, tests and mends its checkout; the edits stay for the next step", async () => {
    const model = await play(editTestFix(tools));
    const job = await fixture.job();
    const root = fixture.checkOut(job);
    const step = await fixture.main(job, { inputs: inputsOf(model) });
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: {
        conclusion: "success",
        reply: "`sum` subtracted. It adds now, and its test passes.",
        "changed-files": '["sum.mjs"]',
        credits: "",
      },
    });
    expect(Number(step.outputs.tokens)).toBeGreaterThan(0);
    expect(await readFile(join(root, "sum.mjs"), "utf8")).toBe("export const sum = (a, b) => a + b;\n");
    expect(execFileSync(process.execPath, ["sum.test.mjs"], { cwd: root }).toString()).toBe("all good\n");
    expect(step.summary).toContain("sum.mjs");
    expect(step.summary).toMatch(/\*\*Tokens\*\* [\d,]+ · \*\*Time\*\*/);
    expect(step.summary).not.toMatch(/\*\*Credits\*\*|Claim this agent|No model is configured/);

    expect(step.masks).toContain(KEY);
    const seen = await allThatIsSeen(step);
    for (const secret of [KEY, PERSISTED_TOKEN]) expect(seen).not.toContain(secret);
    const asked = model.requests.map(({ body }) => JSON.stringify(body)).join("\n");
    for (const secret of [KEY, PERSISTED_TOKEN, job.githubToken]) expect(asked).not.toContain(secret);
    expect(new Set(model.requests.map(({ apiKey }) => apiKey))).toEqual(new Set([KEY]));
    expect(await fixture.leftOvers(job)).toEqual([]);
    expect(await fixture.post(job, step, { inputs: inputsOf(model) })).toMatchObject({
      exitCode: 0,
      log: "",
    });
  });

  it("is told what an edit has broken, before anything is executed", { tags: ["sandbox"] }, async () => {
    const edit = (from: string, to: string) =>
      call("edit_file", { path: "sum.mjs", old_text: from, new_text: to });
    const model = await play(
      byTurn([
        edit("a - b", "a +"),
        edit("a +", "a + b"),
        say("It adds."),
        say("It adds.\n\nNot checked: it is one sign."),
      ]),
    );
    const job = await fixture.job();
    fixture.checkOut(job);
    const step = await fixture.main(job, { inputs: inputsOf(model) });
    const changed = { conclusion: "success", "changed-files": '["sum.mjs"]', checks: "none" };
    expect(step.outputs).toMatchObject(changed);
    const [broken, mended] = model.requests.at(-1)?.toolResults.map(({ text }) => text) ?? [];
    expect(broken).toMatch(
      /New in this file since the edit[\s\S]*sum\.mjs:\d+:\d+ error node --check: SyntaxError/,
    );
    expect(mended).not.toContain("New in this file");
  });

  it("says what its checks say, whatever its reply says, and may be failed by them", {
    tags: ["sandbox"],
  }, async () => {
    const edit = call("edit_file", { path: "sum.mjs", old_text: "a - b", new_text: "a * b" });
    const said = say("All tests pass.");
    for (const [failOn, exitCode] of [
      ["failure", 0],
      ["failure,checks-failed", 1],
    ] as const) {
      const model = await play(byTurn([edit, tools.run("node sum.test.mjs"), said, said, said]));
      const job = await fixture.job();
      fixture.checkOut(job);
      const step = await fixture.main(job, { inputs: { ...inputsOf(model), "fail-on": failOn } });
      const reason = exitCode === 0 ? "completed" : "checks_failed";
      expect(step).toMatchObject({
        exitCode,
        outputs: { checks: "failed", reason, reply: "All tests pass." },
      });
      expect(step.summary).toMatch(/^## (?:⚠️|❌) Changed 1 file, tests fail$/m);
      expect(step.summary).toContain("whatever the reply says: node sum.test.mjs (exit code 1)");
      expect(step.log).toContain("Checks since the last edit failed");
    }
  });

  it("goes on with the fallback model where its own is not there any more, and says so", async () => {
    const model = await play(
      everyTime((request) =>
        request.model === "second-model"
          ? say("The second one.")
          : fault({ status: 404, message: "Retired." }),
      ),
    );
    const job = await fixture.job();
    fixture.checkOut(job);
    const step = await fixture.main(job, {
      inputs: { ...inputsOf(model), "fallback-model": "second-model" },
    });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", reply: "The second one." } });
    const notice = 'The run goes on with the model "second-model" in place of "scripted-model".';
    expect(step.log).toContain(notice);
    expect(step.log).toContain("Retired.");
    expect(step.summary).toContain("1 notice");
    expect(model.requests.map((request) => request.model)).toEqual(["scripted-model", "second-model"]);
  });

  it("executes no command for a pull request where there is no sandbox", async () => {
    const model = await play(editTestFix(tools));
    const job = await fixture.job({ event: "pull_request", pullRequest: { origin: "fork" } });
    fixture.checkOut(job);
    // Where a sandbox's program is not in PATH, there is none.
    const programs = join(job.env.RUNNER_TEMP ?? "", "programs");
    await mkdir(programs);
    await symlink(execFileSync("which", ["git"]).toString().trim(), join(programs, "git"));
    const env = { PATH: programs };
    const step = await fixture.main(job, { inputs: inputsOf(model), env });
    expect(step.exitCode).toBe(0);
    expect(step.outputs.reply).toContain("its test still fails");
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain("run_command");
    expect(JSON.stringify(model.requests.at(-1)?.toolResults)).not.toContain("New in this file");
    expect(model.requests.at(-1)?.toolResults.at(-1)?.text).not.toContain("all good");
  });

  it("says why the model's server refused, and not with which key", async () => {
    const model = await play([fault({ status: 401, message: `Invalid key ${KEY}` })]);
    const job = await fixture.job();
    fixture.checkOut(job);
    const step = await fixture.main(job, { inputs: inputsOf(model) });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason: "backend_error" } });
    expect(step.annotations.at(-1)?.message).toContain("127.0.0.1");
    expect(step.annotations.at(-1)?.message).toMatch(/Check "model-api-key"\.$/);
    expect(await allThatIsSeen(step)).not.toContain(KEY);
  });

  it("says that it was asked without a key, and names the input", async () => {
    const model = await play(everyTime(() => say("Never said.")));
    const job = await fixture.job();
    fixture.checkOut(job);
    const step = await fixture.main(job, { inputs: { ...inputsOf(model), "model-api-key": "" } });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason: "backend_error" } });
    expect(step.annotations.at(-1)?.message).toMatch(
      /takes no request without a key \(401\).*"model-api-key" is empty: set it\./,
    );
  });

  it("is cancelled with its job, and leaves nothing behind but the edits", async () => {
    const cancelled = new AbortController();
    const model = await play(byTurn([tools.write("half.txt", "done\n"), stall()]));
    const job = await fixture.job();
    const root = fixture.checkOut(job);
    void model.arrival(2).then(() => cancelled.abort());
    const step = await fixture.main(job, { inputs: inputsOf(model), signal: cancelled.signal });
    expect(step).toMatchObject({ exitCode: 0, exitSignal: null, outputs: { conclusion: "cancelled" } });
    expect(await readFile(join(root, "half.txt"), "utf8")).toBe("done\n");
    expect(await fixture.leftOvers(job)).toEqual([]);
    expect(await fixture.post(job, step)).toMatchObject({ exitCode: 0, log: "", annotations: [] });
  });
});
