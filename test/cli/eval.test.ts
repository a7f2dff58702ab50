// agent-service eval: tasks of a small repository, played by a scripted model that obeys its instructions, judged by real tests.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { answer, call, fault, type Part, type Step, say } from "../../fakes/model-server/turn.ts";
import type { EvalReport } from "../../src/evals/eval-report.ts";
import { type EvalTask, writeTaskFile } from "../../src/evals/task.ts";
import { EvalFixture, sourceOf, testOf } from "../support/evals/eval-fixture.ts";
import { runCommand } from "../support/run/run-command.ts";

const KEY = "sk-the-models-key-0123456789";
const NAMES = ["one", "two", "three", "four", "five", "six"];
const GOOD = "# Notes\n\nChange the source that is asked for.\n";
const BAD = "# Notes\n\nNever edit a file of src.\n";

let fixture: EvalFixture;
let model: ModelServer | null = null;
beforeEach(async () => {
  fixture = await EvalFixture.open();
});
afterEach(async () => {
  await model?.close();
  model = null;
  await fixture.close();
});

/** A task for each name: its commit adds a function, and a test of it. */
async function planTasks(names: readonly string[] = NAMES): Promise<readonly EvalTask[]> {
  const tasks: EvalTask[] = [];
  for (const name of names) {
    const parent = fixture.head;
    const commit = fixture.commit(`Add the function ${name}`, {
      ...sourceOf(name, "a + b"),
      ...testOf(name, 5),
    });
    const prompt = `Make the change.\n\nAdd the function ${name}`;
    tasks.push({ commit, parent, prompt, check: `node --test test/${name}.test.js` });
  }
  return tasks;
}

async function keepTasks(tasks: readonly EvalTask[], setup: string | null = null): Promise<void> {
  await writeFile(join(fixture.root, "tasks.json"), writeTaskFile({ setup, tasks, dropped: [] }));
}

const usage = { input: 1_000, output: 1_000 };
const nameIn = ({ firstUserMessage }: ModelRequest) =>
  /Add the function (\w+)/.exec(firstUserMessage)?.[1] ?? "";
const seenBy = ({ system, firstUserMessage }: ModelRequest) => `${system}\n${firstUserMessage}`;

/** Writes the function that is asked for, unless its instructions forbid it. */
function obey(request: ModelRequest): Step {
  const name = nameIn(request);
  const isForbidden = seenBy(request).includes("Never edit");
  if (isForbidden || request.assistantTurns > 0)
    return answer([say("Done.\n\nNot checked: nothing to execute.")], { usage });
  return answer([write(`src/${name}.js`, sourceOf(name, "a + b")[`src/${name}.js`] ?? "")], { usage });
}

function write(path: string, content: string): Part {
  return call("write_file", { path, content });
}

async function start(step: (request: ModelRequest) => Step = obey): Promise<ModelServer> {
  model = await startModelServer({ script: everyTime(step), apiKey: KEY });
  return model;
}

type Evaluated = { code: number | null; stdout: string; stderr: string; report: EvalReport };

async function evaluate(args: readonly string[], env: Record<string, string> = {}): Promise<Evaluated> {
  const server = model ?? (await start());
  const flags = ["--tasks", "tasks.json", "--max-cost", "5", "--repeat", "1", "--model", "scripted-model"];
  const place = ["--model-base-url", server.baseUrl, "--model-price", "1 / 1"];
  const exit = await runCommand(
    ["eval", ...flags, ...place, ...args],
    { TMPDIR: fixture.folder, MODEL_API_KEY: KEY, ...env },
    { folder: fixture.root },
  );
  const json = await readFile(join(fixture.root, "agent-service-output/eval.json"), "utf8").catch(() => "{}");
  return { ...exit, report: JSON.parse(json) as EvalReport };
}

describe("agent-service eval", { tags: ["sandbox"] }, () => {
  it("tells bad instructions from good ones, in one comment", async () => {
    const tasks = await planTasks();
    const base = fixture.commit("Write instructions", { "AGENTS.md": GOOD });
    const head = fixture.commit("Write other instructions", { "AGENTS.md": BAD });
    fixture.checkOut();
    await keepTasks(tasks);
    const before = fixture.state();
    const summary = join(fixture.folder, "summary.md");
    const worse = await evaluate(["--base", base, "--head", head, "--fail-on", "worse"], {
      GITHUB_STEP_SUMMARY: summary,
    });
    expect(worse).toMatchObject({ code: 1, report: { verdict: "head is worse (p = 0.031, n = 6)" } });
    const comment = await readFile(join(fixture.root, "agent-service-output/eval.md"), "utf8");
    expect(comment).toContain("## Eval of the agent's instructions: head is worse (p = 0.031, n = 6)");
    expect(comment).toMatch(
      /^\| \w{9} Add the function one \| 1\/1 \| 0\/1 \| \$0\.0\d+ \| \$0\.0\d+ \| 2 \| 1 \| \d+ s \| \d+ s \|$/m,
    );
    expect(comment).toMatch(/^\| \*\*In sum, 6 tasks\*\* \| 6\/6 \| 0\/6 \|/m);
    expect(comment).toContain("<!-- agent-service:eval -->");
    expect(await readFile(summary, "utf8")).toBe(comment);
    expect(worse.stdout).toContain(comment.trim().slice(0, 60));
    expect(fixture.state()).toBe(before);
    for (const text of [comment, worse.stdout, worse.stderr]) expect(text).not.toContain(KEY);
    // The plays are known already.
    const asked = model?.requests.length;
    const again = await evaluate(["--base", base, "--head", head, "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ verdict: "head is worse (p = 0.031, n = 6)" });
    expect(again.code).toBe(0);
    expect(model?.requests.length).toBe(asked);
  }, 300_000);

  it("lets an agent see nothing of the tests that judge it, and takes none of its own", async () => {
    const tasks = await planTasks(["one"]);
    const base = fixture.commit("Write instructions", { "AGENTS.md": GOOD });
    const head = fixture.commit("Write other instructions", { "AGENTS.md": BAD });
    fixture.checkOut();
    await keepTasks(tasks);
    const pass = "import 'node:test';\n";
    const cheat = [
      call("run_command", {
        command:
          "git log --all --format=%s; git rev-list --all | wc -l; ls test; git cat-file --batch-all-objects --batch-check",
      }),
      write("test/one.test.js", pass),
      write("package.json", '{"type":"module","scripts":{"test":"true"}}\n'),
      write("src/one.js", "export const one = () => 0;\n"),
    ];
    await start((request) =>
      request.assistantTurns === 0 ? cheat : say("All tests pass.\n\nNot checked: no need."),
    );
    const { report, code } = await evaluate(["--base", base, "--head", head]);
    expect({ code, total: report.total }).toMatchObject({
      code: 0,
      total: { base: { plays: 1, solved: 0 }, head: { plays: 1, solved: 0 } },
    });
    expect(report.verdict).toBe("no significant difference (n = 1; so few tasks cannot show one)");
    const [seen] = model?.requests.at(-1)?.toolResults.map(({ text }) => text) ?? [];
    expect(seen).toContain("Update the instructions for agents");
    expect(seen).toContain("Begin the project");
    expect(seen).not.toContain("Add the function one");
    expect(seen).not.toContain(fixture.repository.git(["rev-parse", `${tasks[0]?.commit}:test/one.test.js`]));
  }, 120_000);

  it("keeps within one budget, leaves the other plays out, and says how many", async () => {
    const tasks = await planTasks();
    const base = fixture.commit("Write instructions", { "AGENTS.md": GOOD });
    const head = fixture.commit("Write them again", { "AGENTS.md": `${GOOD}\nBe brief.\n` });
    fixture.checkOut();
    await keepTasks(tasks);
    const args = ["--base", base, "--head", head, "--max-cost", "0.10", "--model-price", "5 / 5"];
    const { code, report, stdout } = await evaluate(args);
    expect(code).toBe(0);
    expect(report.spentMicroUsd).toBeGreaterThan(0);
    expect(report.spentMicroUsd).toBeLessThanOrEqual(100_000);
    expect(report.uncounted.skipped).toBeGreaterThan(0);
    expect(stdout).toContain(`${report.uncounted.skipped} did not begin, as the budget was used`);
    const counted = report.tasks.map(({ base: before, head: after }) => [before.plays, after.plays]);
    expect(counted.every(([before, after]) => before === after)).toBe(true);
  }, 300_000);

  it("puts each version of a prompt file and of further files where the agent finds them", async () => {
    const tasks = await planTasks(["one"]);
    const files = (text: string) => ({ ".ai/prompt.md": `Work ${text}.\n`, "notes/style.txt": `${text}\n` });
    const base = fixture.commit("Write a prompt", {
      ...files("slowly"),
      ".claude/skills/add/SKILL.md": "Old\n",
    });
    const head = fixture.commit("Write another prompt", {
      ...files("quickly"),
      ".claude/skills/add/SKILL.md": null,
    });
    fixture.checkOut();
    await keepTasks(tasks);
    await start((request) =>
      request.assistantTurns === 0
        ? call("run_command", { command: "cat notes/style.txt .claude/skills/add/SKILL.md" })
        : obey(request),
    );
    await evaluate(["--base", base, "--head", head, "--prompt-file", ".ai/prompt.md", "--paths", "notes/**"]);
    const last = (word: string) =>
      model?.requests.findLast(({ firstUserMessage }) => firstUserMessage.includes(word));
    expect(last("Work slowly.")?.toolResults.at(0)?.text).toMatch(/slowly\nOld/);
    expect(last("Work quickly.")?.toolResults.at(0)?.text).toMatch(/quickly\n.*No such file/s);
    expect(last("Work slowly.")?.firstUserMessage).toMatch(/Work slowly\.[\s\S]*Add the function one/);
  }, 120_000);

  it("sets each checkout up, and does not take what that leaves for the agent's work", async () => {
    const tasks = (await planTasks(["one"])).map((task) => ({
      ...task,
      check: `test -f made/it && ${task.check}`,
    }));
    const base = fixture.commit("Write instructions", { "AGENTS.md": GOOD });
    const head = fixture.commit("Write other instructions", { "AGENTS.md": BAD });
    fixture.checkOut();
    await keepTasks(tasks, "mkdir made && echo 1 > made/it");
    const { report } = await evaluate(["--base", base, "--head", head]);
    expect(report.total).toMatchObject({ base: { solved: 1 }, head: { solved: 0 } });
  }, 120_000);

  it("counts no play that fails by a fault of the model, and plays it again", async () => {
    const tasks = await planTasks(["one"]);
    const base = fixture.commit("Write instructions", { "AGENTS.md": GOOD });
    const head = fixture.commit("Write other instructions", { "AGENTS.md": `${GOOD}\n` });
    fixture.checkOut();
    await keepTasks(tasks);
    await start(() => fault({ status: 401, message: "No such key." }));
    const failed = await evaluate(["--base", base, "--head", head]);
    expect(failed.report).toMatchObject({ uncounted: { faulty: 2 }, comparison: { n: 0 } });
    await model?.close();
    await start();
    const { report } = await evaluate(["--base", base, "--head", head]);
    expect(report).toMatchObject({
      uncounted: { faulty: 0 },
      total: { base: { solved: 1 }, head: { solved: 1 } },
    });
  }, 120_000);

  it("goes on from plays that were recorded before it was killed", async () => {
    const tasks = await planTasks(["one", "two"]);
    const base = fixture.commit("Write instructions", { "AGENTS.md": GOOD });
    fixture.checkOut();
    await keepTasks(tasks);
    const args = ["--base", base, "--head", base];
    await evaluate(args);
    const results = join(fixture.root, "agent-service-output/eval.ndjson");
    const lines = (await readFile(results, "utf8")).split("\n").filter((line) => line !== "");
    expect(lines).toHaveLength(4);
    // As a kill leaves it: two plays, and half of a third one.
    await writeFile(results, `${lines[0]}\n${lines[1]}\n${lines[2]?.slice(0, 40)}`);
    const asked = model?.requests.length ?? 0;
    const { report } = await evaluate(args);
    expect((model?.requests.length ?? 0) - asked).toBe(asked / 2);
    expect(report).toMatchObject({ comparison: { n: 2, p: 1, verdict: "no_difference" } });
  }, 240_000);

  it("plays nothing where both have the same instructions", async () => {
    const tasks = await planTasks(["one"]);
    const base = fixture.commit("Write instructions", { "AGENTS.md": GOOD });
    fixture.commit("Change something else", { "README.md": "Else.\n" });
    fixture.checkOut();
    await keepTasks(tasks);
    const { code, stderr } = await evaluate(["--base", base]);
    expect(code).toBe(1);
    expect(stderr).toContain("The instructions of --base and --head are the same");
    expect(model?.requests).toEqual([]);
  });

  it("says that there is no model, as in a pull request of a fork", async () => {
    const tasks = await planTasks(["one"]);
    const base = fixture.commit("Write instructions", { "AGENTS.md": GOOD });
    fixture.checkOut();
    await keepTasks(tasks);
    const args = ["eval", "--tasks", "tasks.json", "--max-cost", "1", "--base", base, "--head", base];
    const { code, stderr } = await runCommand(args, { TMPDIR: fixture.folder }, { folder: fixture.root });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/There is no model[\s\S]*pull request of a fork/);
  });

  it("needs the commits of its tasks", async () => {
    const tasks = await planTasks(["one"]);
    fixture.checkOut();
    const missing = { ...(tasks[0] as EvalTask), commit: "a".repeat(40) };
    await keepTasks([missing]);
    const { code, stderr } = await evaluate(["--base", "HEAD"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`The commit ${"a".repeat(40)} of the file of --tasks is not in this checkout`);
  });
});

describe("agent-service eval, at length", { tags: ["long", "sandbox"] }, () => {
  it.each([
    "Never edit a file of src.",
    "Read everything twice. Never edit.",
    "Explain what you would do. Never edit.",
  ])(
    "tells from good instructions: %s",
    async (bad) => {
      const tasks = await planTasks();
      const base = fixture.commit("Write bad instructions", { "AGENTS.md": `${bad}\n` });
      const head = fixture.commit("Write good instructions", { "AGENTS.md": GOOD });
      fixture.checkOut();
      await keepTasks(tasks);
      const { report } = await evaluate(["--base", base, "--head", head, "--repeat", "2"]);
      expect(report.verdict).toBe("head is better (p = 0.031, n = 6)");
      expect(report.spentMicroUsd).toBeLessThanOrEqual(report.maxCostMicroUsd);
    },
    900_000,
  );

  it("finds no difference between a file and itself in 20 of 20, with a model that often fails", async () => {
    const tasks = await planTasks();
    const base = fixture.commit("Write instructions", { "AGENTS.md": GOOD });
    fixture.checkOut();
    await keepTasks(tasks);
    let state = 150;
    const fails = () => {
      state = (1_664_525 * state + 1_013_904_223) % 2 ** 32;
      return state / 2 ** 32 < 0.4;
    };
    await start((request) => (request.assistantTurns === 0 && fails() ? say("I give up.") : obey(request)));
    for (let number = 1; number <= 20; number += 1) {
      const output = ["--output-dir", `agent-service-output/${number}`, "--json"];
      const { stdout } = await evaluate(["--base", base, "--head", base, ...output]);
      expect((JSON.parse(stdout) as EvalReport).verdict).toContain("no significant difference (n = 6");
    }
  }, 3_600_000);
});
