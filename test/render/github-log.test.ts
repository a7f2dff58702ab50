import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GithubLog } from "../../src/render/github-log.ts";
import { type LogPart, RunLog } from "../../src/render/log-parts.ts";
import { call, failed, hostile, message, stored } from "./streams.ts";

function counter(): () => string {
  let count = 0;
  return () => `token-${String(++count).padStart(20, "0")}`;
}

const theirs = (text: string): LogPart => ({ kind: "text", text, trust: "theirs" });

/** The lines that a runner reads commands from. Throws when a fence does not close. */
function linesOutsideFences(lines: readonly string[]): string[] {
  const outside: string[] = [];
  let token: string | null = null;
  for (const line of lines) {
    if (token === null) {
      token = /^::stop-commands::([\w-]{16,})$/.exec(line)?.[1] ?? null;
      if (token === null) outside.push(line);
    } else if (line === `::${token}::`) {
      token = null;
    } else {
      expect(line.toLowerCase()).not.toContain(token.toLowerCase());
      expect(line).not.toContain("##[");
    }
  }
  expect(token).toBeNull();
  return outside;
}

/** What the runner would obey: `::` after white space, `##[` anywhere. */
function commandsIn(lines: readonly string[]): string[] {
  return lines.filter((line) => /^\s*::/.test(line) || line.includes("##["));
}

const hostileText = fc
  .array(
    fc.constantFrom(
      ..."\n|\r|::error::x|::endgroup::|##[|##[error]|##vso[|  |%0A|%|:|\u001b[0m|\u0085|\u2028|é".split("|"),
      "|",
      "::token-00000000000000000001::",
      "::TOKEN-00000000000000000002::",
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""));

describe("GithubLog", () => {
  it("writes groups, and their text between fences", () => {
    const parts: LogPart[] = [
      { kind: "open", title: "run make" },
      theirs("a\nb"),
      theirs("c"),
      { kind: "text", text: "… 2 more lines", trust: "ours" },
      { kind: "close" },
    ];
    expect(new GithubLog(counter()).lines(parts)).toEqual([
      "::group::run make",
      "::stop-commands::token-00000000000000000001",
      "a",
      "b",
      "c",
      "::token-00000000000000000001::",
      "… 2 more lines",
      "::endgroup::",
    ]);
  });

  it("escapes a title as the data of a command", () => {
    const [line] = new GithubLog(counter()).lines([{ kind: "open", title: "100% ##[error]\n::x" }]);
    expect(line).toBe("::group::100%25 ## [error]%0A::x");
  });

  it("uses another token when the text contains the first in any spelling", () => {
    const lines = new GithubLog(counter()).lines([theirs("a\n::TOKEN-00000000000000000001::\n::error::x")]);
    expect(lines[0]).toBe("::stop-commands::token-00000000000000000002");
  });

  it("withholds text that contains every token", () => {
    const log = new GithubLog(() => "always-the-same-token");
    expect(log.lines([theirs("x ::always-the-same-token::\n::error::x")])).toEqual([
      "(2 lines withheld: they contain the words that would fence them)",
    ]);
  });

  it("refuses a token that could be guessed or that breaks a command", () => {
    for (const token of ["short", "has a space in the middle", "ends::with::colons", ""]) {
      expect(() => new GithubLog(() => token).lines([theirs("x")])).toThrow(RangeError);
    }
  });

  it("keeps no fence open between two calls", () => {
    const log = new GithubLog(counter());
    for (const part of [theirs("a"), theirs("b")]) expect(linesOutsideFences(log.lines([part]))).toEqual([]);
  });

  it("prints no line of ours as a command", () => {
    const lines = new GithubLog(counter()).lines([
      { kind: "text", text: " ::error::x\n::y\n##[z]", trust: "ours" },
    ]);
    expect(commandsIn(lines)).toEqual([]);
  });

  it("makes the runner execute nothing but its own groups, for a hostile run", () => {
    const log = new RunLog();
    const lines = new GithubLog(counter()).lines(hostile.flatMap((event) => log.add(event)));
    const commands = commandsIn(linesOutsideFences(lines));
    expect(commands.map((line) => line.split("::")[1])).toEqual(["group", "endgroup"]);
  });

  it("makes the runner execute nothing but its own groups, for random text", () => {
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (name, said, result) => {
        const log = new RunLog();
        const events = stored([
          { type: "STEP_STARTED", stepName: name },
          ...message("m", said, result),
          ...call("c", name, { args: { said }, result }),
          failed(name, said),
        ]);
        const format = new GithubLog(counter());
        const lines = events.flatMap((event) => format.lines(log.add(event)));
        for (const line of lines) expect(line).not.toMatch(/[\r\n]/);
        const commands = commandsIn(linesOutsideFences(lines));
        expect(commands).toHaveLength(2);
        expect(commands[0]).toMatch(/^::group::(?!.*##\[)/);
        expect(commands[1]).toBe("::endgroup::");
      }),
    );
  });

  it("writes a text of a million lines", () => {
    expect(new GithubLog(counter()).lines([theirs("\n".repeat(999_999))])).toHaveLength(1_000_002);
  });
});
