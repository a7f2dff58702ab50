import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/contract/runs/run-event.ts";
import { type LogPart, MAX_RESULT_CHARS, RunLog } from "../../src/render/log-parts.ts";
import { samples } from "../report/secret-samples.ts";
import {
  call,
  callResult,
  callStart,
  cancelled,
  message,
  quota,
  quotaOfRepository,
  resumed,
  started,
  stored,
  streams,
} from "./streams.ts";

function partsOf(events: readonly RunEvent[]): LogPart[] {
  const log = new RunLog();
  return [...stored(events).flatMap((event) => log.add(event)), ...log.end()];
}

const open = (title: string): LogPart => ({ kind: "open", title });
const close: LogPart = { kind: "close" };
const ours = (text: string): LogPart => ({ kind: "text", text, trust: "ours" });
const theirs = (text: string): LogPart => ({ kind: "text", text, trust: "theirs" });

describe("RunLog", () => {
  it("streams a message line by line", () => {
    const log = new RunLog();
    const each = stored(message("m", "one\ntw", "o", "\n\nthree")).map((event) => log.add(event));
    expect(each).toEqual([[], [theirs("one")], [], [theirs("two\n")], [theirs("three")]]);
  });

  it("prints an endless line in pieces, never half a character", () => {
    const text = `x${"😀".repeat(10_000)}`;
    const parts = partsOf(message("m", text));
    expect(parts.length).toBeGreaterThan(2);
    const pieces = parts.map((part) => (part.kind === "text" ? part.text : ""));
    expect(pieces.join("")).toBe(text);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  it("opens a call's group as soon as it runs", () => {
    const log = new RunLog();
    const each = stored([...callStart("c", "run", { command: "make" }), callResult("c", "ok\n")]).map(
      (event) => log.add(event),
    );
    expect(each).toEqual([[], [], [], [open("run make")], [theirs("ok"), close]]);
  });

  it("says what is left, and who paid for the tokens where it was not the service", () => {
    expect(partsOf([quotaOfRepository])).toEqual([
      ours("Credits remaining: 7. The repository's own model account paid for the tokens."),
    ]);
    expect(partsOf([quota(7, null)])).toEqual([ours("Credits remaining: 7.")]);
  });

  it("says in one line that a run was taken up again, and closes the call without a result", () => {
    const parts = partsOf([
      ...callStart("c", "run_command", { command: "make" }),
      { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "It wo" },
      { type: "TEXT_MESSAGE_END", messageId: "m" },
      resumed(7, "lost_worker", "run_command"),
      ...message("m", "It works."),
    ]);
    expect(parts.slice(-3)).toEqual([
      theirs("It wo"),
      ours(
        "The run was taken up again at turn 7: its worker was lost. Calls whose result is not known, and which are not repeated: run_command.",
      ),
      theirs("It works."),
    ]);
    expect(partsOf([...callStart("c", "run_command", { command: "make" }), resumed(2, "handover")])).toEqual([
      open("$ make"),
      ours("… no result: its worker is gone"),
      close,
      ours("The run goes on at turn 2 on another worker: its own was stopped."),
    ]);
  });

  it("shows names of tools of a run that was taken up again as one safe line", () => {
    const names = Array.from({ length: 50 }, (_, at) => `t${at}\n::error::x\u202E${"y".repeat(180)}`);
    const [only, ...others] = partsOf([resumed(1, "lost_worker", ...names)]);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ trust: "ours", text: expect.stringMatching(/ and 45 more\.$/) });
    expect(JSON.stringify(only)).not.toMatch(/\\n|\u202E/);
  });

  it("keeps one group open at a time for calls in parallel", () => {
    const parts = partsOf([
      ...callStart("a", "a", {}),
      ...callStart("b", "b", {}),
      callResult("a", "1"),
      callResult("b", "2"),
    ]);
    expect(parts).toEqual([open("a"), theirs("1"), close, open("b"), theirs("2"), close]);
  });

  it("gives a result that arrives before the open call's its own group", () => {
    const parts = partsOf([
      ...callStart("a", "a", {}),
      ...callStart("b", "b", {}),
      callResult("b", "2"),
      callResult("a", "1"),
    ]);
    expect(parts).toEqual([
      open("a"),
      ours("… still running, the result comes below"),
      close,
      open("b"),
      theirs("2"),
      close,
      open("a"),
      theirs("1"),
      close,
    ]);
  });

  it("says below its group that a call failed, and masks what looks like a secret", () => {
    const [token = ""] = samples["a GitHub token"] ?? [];
    const masked = "‹a GitHub token, masked›";
    const parts = partsOf([
      ...call("a", "run_command", { args: { command: `curl ${token}` }, result: `${token}\n[exit code 22]` }),
      ...call("b", "run_command", { args: { command: "ls" }, result: "[exit code 0]" }),
      ...message("m", `It is ${token}.`),
    ]);
    expect(parts).toEqual([
      open(`$ curl ${masked}`),
      theirs(`${masked}\n[exit code 22]`),
      close,
      ours(`✗ Failed: $ curl ${masked}`),
      open("$ ls"),
      theirs("[exit code 0]"),
      close,
      theirs(`It is ${masked}.`),
    ]);
  });

  it("says that calls that were cut off have no result", () => {
    expect(partsOf([...callStart("a", "a", {}), ...callStart("b", "b", {}), cancelled])).toEqual([
      open("a"),
      ours("… no result: the run has ended"),
      close,
      open("b"),
      ours("… no result: the run has ended"),
      close,
      ours("Run cancelled."),
    ]);
  });

  it("returns what is buffered at its end", () => {
    expect(partsOf([started, ...message("m", "half a li").slice(0, 2)]).at(-1)).toEqual(theirs("half a li"));
    expect(partsOf(callStart("a", "a", {}))).toEqual([open("a"), ours("… still running"), close]);
  });

  it("bounds a result by lines and by characters", () => {
    const lines = partsOf(call("c", "cat", { args: {}, result: "x\n".repeat(1_000) }));
    expect(lines).toEqual([
      open("cat"),
      theirs("x\n".repeat(199).concat("x")),
      ours("… 800 more lines, in the events file"),
      close,
    ]);
    const [, text, more] = partsOf(call("c", "cat", { args: {}, result: "😀".repeat(2_500_000) }));
    expect(text?.kind === "text" ? text.text.length : 0).toBe(MAX_RESULT_CHARS);
    expect(more).toEqual(ours("… 1 more line, in the events file"));
  });

  it("says so when a result is empty", () => {
    expect(partsOf(call("c", "touch", { args: {}, result: " \n" }))).toEqual([
      open("touch"),
      ours("(no output)"),
      close,
    ]);
  });

  it("keeps its own lines to one line each, whatever names they contain", () => {
    const parts = partsOf([{ type: "STEP_STARTED", stepName: "a\n::error::b\u202E" }]);
    expect(parts).toEqual([ours("Step: a ::error::b‹U+202E›")]);
  });

  it.each(Object.entries(streams))("never nests a group and closes each one: %s", (_name, events) => {
    const log = new RunLog();
    let depth = 0;
    for (const part of events.flatMap((event) => log.add(event))) {
      if (part.kind === "open") depth++;
      if (part.kind === "close") depth--;
      expect([0, 1]).toContain(depth);
    }
    expect(depth).toBe(0);
  });

  it("says why the changes are unknown", () => {
    const unreadable = "git ls-files took longer than the 60 s that it may.\n::error::x";
    const value = { base_sha: "0", files: [], patch: "", unreadable };
    expect(partsOf([{ type: "CUSTOM", name: "repository.changes", value }])).toEqual([
      ours(
        "What was changed could not be read: git ls-files took longer than the 60 s that it may. ::error::x",
      ),
    ]);
  });

  it("shows reasoning as a group, once it is complete", () => {
    const log = new RunLog();
    const parts = stored([
      started,
      { type: "REASONING_START", messageId: "t" },
      { type: "REASONING_MESSAGE_START", messageId: "t", role: "reasoning" },
      { type: "REASONING_MESSAGE_CONTENT", messageId: "t", delta: "The test\nis " },
      { type: "REASONING_MESSAGE_CONTENT", messageId: "t", delta: "wrong." },
      { type: "REASONING_MESSAGE_END", messageId: "t" },
      { type: "REASONING_END", messageId: "t" },
    ]).flatMap((event) => log.add(event));
    expect(parts.slice(1)).toEqual([
      { kind: "open", title: "Thought: The test is wrong." },
      { kind: "text", text: "The test\nis wrong.", trust: "theirs" },
      { kind: "close" },
    ]);
  });
});
