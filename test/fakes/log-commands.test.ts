import { describe, expect, it } from "vitest";
import { parseFileCommands } from "../../fakes/runner/file-commands.ts";
import { processLog } from "../../fakes/runner/log-commands.ts";

describe("a runner's log", () => {
  it("obeys commands in both spellings, at both line ends", () => {
    const { annotations, groups } = processLog(
      "  ::error title=T::a%0Ab\rtext\r::notice::n\n::group::g\nx ##[warning]w\n::unknown::y",
    );
    expect(annotations).toEqual([
      { level: "error", message: "a\nb", title: "T" },
      { level: "notice", message: "n", title: undefined },
      { level: "warning", message: "w", title: undefined },
    ]);
    expect(groups).toEqual(["g"]);
  });

  it("obeys nothing inside a fence, until its token comes", () => {
    const text = "::stop-commands::Token-123\n::error::no\n##[error]no\n::token-123::\n::error::yes";
    expect(processLog(text).annotations.map(({ message }) => message)).toEqual(["yes"]);
  });

  it("masks what was to be masked, each line of it too", () => {
    const { log } = processLog("::add-mask::se%0Acret\nse and cret and secret");
    expect(log).toBe("*** and *** and ******");
  });

  it("tells commands that nobody should have given, and a fence left open", () => {
    expect(processLog("::set-env name=A::b").injectedCommands).toHaveLength(1);
    expect(processLog("::stop-commands::Token-123").injectedCommands).toHaveLength(1);
    expect(processLog("::stop-commands::error").injectedCommands).not.toEqual([]);
  });
});

describe("a runner's command file", () => {
  it("reads lines and blocks; the last value wins", () => {
    expect(parseFileCommands("a=1\nb<<E\nx=1\n\nEOF\nE\na=2\nc<<E\nE\n")).toEqual({
      a: "2",
      b: "x=1\n\nEOF",
      c: "",
    });
  });

  it("refuses what a runner refuses", () => {
    expect(() => parseFileCommands("a<<E\nx\n")).toThrow(/delimiter/);
    expect(() => parseFileCommands("nothing\n")).toThrow(/Invalid format/);
    expect(() => parseFileCommands("=x\n")).toThrow(/Invalid format/);
  });
});
