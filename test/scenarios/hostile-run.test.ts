// A run whose every word is an attack: on the log's commands, on the outputs' delimiters, on the summary's Markdown.

import { readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import { readManifestSection } from "../../fakes/runner/action-manifest.ts";
import type { BackendTask } from "../../src/service/executor/backend.ts";
import { problemFault } from "../support/fault-proxy.ts";
import {
  eventsOf,
  replyOf,
  type ScenarioFixture,
  type StepResult,
} from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";

const MAX_SUMMARY_BYTES = 1024 * 1024;

const COMMANDS = [
  "::set-output name=conclusion::pwned",
  "::set-env name=NODE_OPTIONS::--require=./pwned.js",
  "::add-path::/pwned",
  "::add-mask::pwned",
  "::save-state name=capability::pwned",
  "::error file=app.js,line=1::pwned",
  "::warning::pwned",
  "::notice title=pwned::pwned",
  "::group::pwned",
  "::endgroup::",
  "::echo::on",
  "::debug::pwned",
  "::add-matcher::pwned.json",
  "::stop-commands::pwned-pwned-pwned",
  "::pwned-pwned-pwned::",
  "::STOP-COMMANDS::pwned-pwned-pwned",
  "##[error]pwned",
  "##[add-mask]pwned",
  "##[set-output name=conclusion]pwned",
  "text before ##[stop-commands]pwned-pwned-pwned",
  "##[endgroup]",
];

const COMMAND_LINES = COMMANDS.flatMap((command) => [
  command,
  ` \t${command}`,
  `\r${command}`,
  `progress 10%\r${command}\r\n`,
  `\u000b${command}`,
  `\ufeff${command}`,
  `\u2028${command}`,
  `\u0085${command}`,
]);

const DELIMITERS = [
  "EOF",
  "ghadelimiter",
  "ghadelimiter_00000000-0000-0000-0000-000000000000",
  "conclusion<<EOF",
  "conclusion=pwned",
  "EOF\nconclusion=pwned\nreply<<EOF",
];

const MARKDOWN = [
  "`".repeat(3),
  "`".repeat(500),
  `${"`".repeat(7)}mermaid`,
  "~~~~",
  "</details></summary></table></div>",
  "<details><summary>pwned",
  "<!-- never closed",
  "<script>pwned()</script><img src=x onerror=pwned()>",
  "[//]: # (hidden",
  "![](https://pwned.example/pixel.png?secret)",
  "@octocat closes #1",
  "| a | b |",
  "-->",
];

const INVISIBLE = [
  "\u202eright to left\u202c",
  "\u2066isolated\u2069",
  "tags\u{e0001}\u{e0069}\u{e0067}\u{e006e}",
  "zero\u200bwidth\u2060joined\u200e",
  "variation\ufe0f\u{e0100}",
  "\u001b[31mred\u001b[0m\u001b]8;;https://pwned.example\u0007link\u001b]8;;\u0007",
  "bell\u0007 backspace\b\b\b nul\u0000 del\u007f c1\u009b31m",
  "half a pair \ud83d",
];

const ALL = [...COMMAND_LINES, ...DELIMITERS, ...MARKDOWN, ...INVISIBLE];
const HOSTILE = ALL.join("\n");

type Attack = (task: BackendTask) => Promise<void>;

async function callTool(
  task: BackendTask,
  tool: { name: string; args: string; result: string },
): Promise<void> {
  const toolCallId = task.nextId("call");
  await task.emit({ type: "TOOL_CALL_START", toolCallId, toolCallName: tool.name });
  await task.emit({ type: "TOOL_CALL_ARGS", toolCallId, delta: tool.args });
  await task.emit({ type: "TOOL_CALL_END", toolCallId });
  const messageId = task.nextId("message");
  await task.emit({ type: "TOOL_CALL_RESULT", messageId, toolCallId, content: tool.result, role: "tool" });
}

describe("a hostile run", () => {
  let fixture: ScenarioFixture;
  let attack: Attack = async () => {};
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario", backend: scriptedBackend((task) => attack(task)) });
  });
  afterEach(() => fixture.proxy.heal());
  afterAll(async () => await fixture.close());

  /** Runs a job, and finds that nothing was obeyed but the Action itself. */
  const play = async (options: { attack: Attack; groups: number; level?: "error" }): Promise<StepResult> => {
    attack = options.attack;
    const job = await fixture.job();
    const step = await fixture.main(job);
    expect(step.injectedCommands).toEqual([]);
    expect(step.annotations.map(({ level }) => level)).toEqual(
      options.level === undefined ? [] : [options.level],
    );
    expect(step.masks.filter((mask) => mask.includes("pwned"))).toEqual([]);
    expect(step.groups).toHaveLength(options.groups);
    const obeyed = withoutLogFences(step.rawLog);
    expect(obeyed.filter((line) => line === "::endgroup::")).toHaveLength(options.groups);
    expect(obeyed.filter((line) => line.includes("pwned") && /^\s*::(?!group::)/.test(line))).toEqual([]);
    expect(step.rawLog).not.toMatch(/##\[/);
    expect(Object.keys(step.state).sort()).toEqual(["agent-id", "capability", "phase", "run-id", "run-url"]);
    expect(step.state.capability).toMatch(/^svc_ci_/);
    expect(Object.keys(step.outputs).sort()).toEqual(Object.keys(readManifestSection("outputs")).sort());
    await expectNoFileCommands(job);
    expectSoundSummary(step.summary);
    expect(await eventsOf(step)).toEqual(await fixture.storedEvents(step.outputs["run-id"] ?? ""));
    return step;
  };

  it("cannot speak through its reply", async () => {
    const step = await play({ attack: (task) => say(task, HOSTILE), groups: 0 });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", reason: "completed" } });
    expect(step.outputs.reply).toBe(HOSTILE.toWellFormed());
    expect(await replyOf(step)).toBe(HOSTILE.toWellFormed());
    expect(step.log).toContain("::error file=app.js,line=1::pwned");
  });

  it("cannot speak through a command that comes in pieces", async () => {
    const pieces = HOSTILE.match(/[\s\S]{1,3}/gu) ?? [];
    const step = await play({ attack: (task) => say(task, ...pieces), groups: 0 });
    expect(step.outputs).toMatchObject({ conclusion: "success", reply: HOSTILE.toWellFormed() });
  });

  it("cannot speak between its messages and the Action's own lines", async () => {
    const step = await play({
      attack: async (task) => {
        for (const text of ALL) {
          await task.emit({ type: "STEP_STARTED", stepName: text });
          await say(task, text);
          await task.emit({ type: "STEP_FINISHED", stepName: text });
        }
      },
      groups: 0,
    });
    expect(step.outputs).toMatchObject({ conclusion: "success", reply: ALL.at(-1)?.toWellFormed() });
  });

  it("cannot speak through the tools' names, arguments and results", async () => {
    const step = await play({
      attack: async (task) => {
        for (const text of ALL) {
          await callTool(task, {
            name: text,
            args: JSON.stringify({ path: text, [text]: text }),
            result: text,
          });
        }
        await callTool(task, { name: "run_command", args: HOSTILE, result: HOSTILE });
      },
      groups: ALL.length + 1,
    });
    expect(step.outputs).toMatchObject({ conclusion: "success", reply: "" });
  });

  it("cannot speak through the names of files", async () => {
    const step = await play({
      attack: async (task) => {
        const files = ALL.map((path) => ({ path, status: "added" as const, additions: 1, deletions: 0 }));
        const value = { base_sha: "1".repeat(40), files, patch: HOSTILE };
        await task.emit({ type: "CUSTOM", name: "repository.changes", value });
      },
      groups: 0,
    });
    expect(JSON.parse(step.outputs["changed-files"] ?? "")).toEqual(ALL);
    expect(step.summary.match(/^\| <code>/gm)).toHaveLength(50);
  });

  it("cannot speak through the message that it fails with", async () => {
    const edit = (body: string): string => {
      const page = JSON.parse(body);
      for (const { event } of page.events) if (event.type === "RUN_ERROR") event.message = HOSTILE;
      return JSON.stringify(page);
    };
    fixture.proxy.always("poll", { type: "edited", edit });
    attack = async () => {
      throw new Error("The backend broke.");
    };
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({
      exitCode: 1,
      injectedCommands: [],
      groups: [],
      outputs: { conclusion: "failure", reason: "backend_error" },
    });
    expect(step.annotations.map(({ level }) => level)).toEqual(["error"]);
    expect(step.masks.filter((mask) => mask.includes("pwned"))).toEqual([]);
    expectSoundSummary(step.summary);
  });

  it("does not show why its backend failed", async () => {
    const failing = async () => {
      throw new Error(HOSTILE);
    };
    const step = await play({ attack: failing, groups: 0, level: "error" });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "backend_error", credits: "0" } });
    expect(step.log).not.toContain("pwned");
    expect(step.summary).not.toContain("pwned");
  });

  it.each(["submit", "poll"] as const)("cannot speak through a refusal at %s", async (route) => {
    const code = "unavailable";
    const { headers, ...fault } = problemFault(503, {
      code,
      requestId: HOSTILE,
      headers: { "retry-after": "0" },
    });
    const body = JSON.stringify({ error: HOSTILE, code: HOSTILE, request_id: HOSTILE });
    fixture.proxy.next(route, { ...fault, headers: { ...headers }, body });
    fixture.proxy.next(route, { ...fault, status: 400, headers: { ...headers }, body });
    attack = (task) => say(task, "Done.");
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({ exitCode: 1, injectedCommands: [], groups: [] });
    expect(step.annotations.map(({ level }) => level)).toEqual(["error"]);
    expect(step.masks.filter((mask) => mask.includes("pwned"))).toEqual([]);
    expect(step.outputs.conclusion).toBe("failure");
    expectSoundSummary(step.summary);
  });

  it("may bring events of kinds that nobody knows yet: they are kept and not obeyed", async () => {
    const edit = (body: string): string => {
      const page = JSON.parse(body);
      for (const stored of page.events) {
        if (stored.event.type === "STEP_STARTED") stored.event = { type: HOSTILE, [HOSTILE]: HOSTILE };
        if (stored.event.type === "STEP_FINISHED") stored.event = { type: "TOOL_CALL_RESULT", content: 7 };
      }
      return JSON.stringify(page);
    };
    fixture.proxy.always("poll", { type: "edited", edit });
    attack = async (task) => {
      await task.emit({ type: "STEP_STARTED", stepName: "Look" });
      await say(task, "Done.");
      await task.emit({ type: "STEP_FINISHED", stepName: "Look" });
    };
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success", reply: "Done." },
    });
    expect(step.log).not.toContain("pwned");
    const kinds = (await eventsOf(step)).map(({ event }) => event.type);
    expect(kinds).toContain(HOSTILE);
    expectSoundSummary(step.summary);
  });

  it("may write 5 MB: the file holds all of it, output and summary are cut", async () => {
    const line = `${"0123456789abcdef".repeat(8)} ::error::pwned EOF\n`;
    const reply = line.repeat(Math.ceil((5 * 1024 * 1024) / line.length));
    const step = await play({
      attack: async (task) => {
        await callTool(task, { name: "run_command", args: "{}", result: reply });
        const pieces = reply.match(/[\s\S]{1,65536}/gu) ?? [];
        await say(task, ...pieces);
      },
      groups: 1,
    });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect((await replyOf(step)) === reply).toBe(true);
    expect(step.outputs.reply).toBe(reply.slice(0, 256 * 1024));
    expect(step.summary).toContain("*The reply is cut here. The whole of it is in the reply file.*");
    expect(step.log).toContain("more lines, in the events file");
  });

  it("may write one line of 5 MB", async () => {
    const reply = "`".repeat(5 * 1024 * 1024);
    const step = await play({ attack: (task) => say(task, reply), groups: 0 });
    expect((await replyOf(step)) === reply).toBe(true);
    expect(step.outputs.reply).toHaveLength(256 * 1024);
  });
});

async function expectNoFileCommands(job: CodeHostJob): Promise<void> {
  expect(await readFile(job.files.env, "utf8")).toBe("");
  expect(await readFile(job.files.path, "utf8")).toBe("");
}

/** The lines in which a runner looks for commands. */
function withoutLogFences(rawLog: string): string[] {
  let token: string | null = null;
  return rawLog.split(/\r\n|\r|\n/).filter((line) => {
    if (token === null) {
      token = /^::stop-commands::(.+)$/.exec(line)?.[1] ?? null;
      return token === null;
    }
    if (line === `::${token}::`) token = null;
    return false;
  });
}

/** Within the runner's limit, nothing hidden in it, and every element and fence closed where we close it. */
function expectSoundSummary(summary: string): void {
  expect(Buffer.byteLength(summary)).toBeLessThan(MAX_SUMMARY_BYTES);
  expect(summary.isWellFormed()).toBe(true);
  expect(summary).not.toMatch(
    /[[\p{Cc}--[\t\n]]\u200b-\u200f\u2028-\u202e\u2060-\u2069\u{e0000}-\u{e01ef}]/v,
  );
  const { prose, isOpen } = withoutFences(summary);
  expect(isOpen).toBe(false);
  expect(prose).not.toContain("<!--");
  expect(prose).not.toMatch(/<(script|img|div|table)\b/i);
  expect(prose).not.toMatch(/!\[[^\]]*\]\(/);
  expect(prose.match(/<details>/g) ?? []).toHaveLength(prose.match(/<\/details>/g)?.length ?? 0);
  expect(prose.match(/<summary>/g) ?? []).toHaveLength(prose.match(/<\/summary>/g)?.length ?? 0);
  expect(prose.match(/^## .*$/gm)?.[0]).toMatch(/^## (✅|❌)/);
  if (prose.includes("<details>")) expect(summary.trimEnd().endsWith("</details>")).toBe(true);
}

/** What a Markdown parser would not take for code, by the rules of CommonMark §4.5. */
function withoutFences(markdown: string): { prose: string; isOpen: boolean } {
  let open: string | null = null;
  const prose: string[] = [];
  for (const line of markdown.split("\n")) {
    const [, run = "", info = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === null) {
      if (run !== "" && !(run.startsWith("`") && info.includes("`"))) open = run;
      else prose.push(line);
    } else if (run.startsWith(open) && info.trim() === "") {
      open = null;
    }
  }
  return { prose: prose.join("\n"), isOpen: open !== null };
}
