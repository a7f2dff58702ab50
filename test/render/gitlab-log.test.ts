import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GitlabLog } from "../../src/render/gitlab-log.ts";

const NOW_MS = 1_750_000_000_999;

describe("GitlabLog", () => {
  it("folds a group that spans several calls, each under a name of its own", () => {
    const log = new GitlabLog(() => NOW_MS);
    const opened = "\u001b[0Ksection_start:1750000000:agent_service_1[collapsed=true]\r\u001b[0Krun make";
    expect(log.lines([{ kind: "open", title: "run make" }])).toEqual([opened]);
    expect(log.lines([{ kind: "text", text: "a\n\nb", trust: "theirs" }])).toEqual(["│ a", "│", "│ b"]);
    expect(log.lines([{ kind: "close" }, { kind: "text", text: "done", trust: "ours" }])).toEqual([
      "\u001b[0Ksection_end:1750000000:agent_service_1\r\u001b[0K",
      "done",
    ]);
    expect(log.lines([{ kind: "open", title: "x" }])[0]).toContain("agent_service_2[");
  });

  it("prints no untrusted marker, in a text or in a title", () => {
    const marker = "\u001b[0Ksection_end:1750000000:agent_service_1\r\u001b[0K";
    const said = new GitlabLog(() => NOW_MS).lines([
      { kind: "text", text: `${marker}\n${marker}`, trust: "theirs" },
      { kind: "text", text: marker, trust: "ours" },
    ]);
    for (const line of said) expect(line).not.toMatch(/section_end:|\p{Cc}/u);
    const [title = ""] = new GitlabLog(() => NOW_MS).lines([{ kind: "open", title: marker }]);
    expect(title.split("\u001b[0K")).toHaveLength(3);
    expect(title).not.toContain("section_end:");
  });

  it("begins no line with untrusted text and prints none of its control characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const log = new GitlabLog(() => NOW_MS);
        for (const line of log.lines([{ kind: "text", text, trust: "theirs" }])) {
          expect(line.startsWith("│")).toBe(true);
          expect(line).not.toMatch(/[\p{Cc}--\t]|\p{Cs}/v);
        }
      }),
    );
  });
});
