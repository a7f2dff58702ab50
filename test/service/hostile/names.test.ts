// Names that mean something else to somebody: a line, an option, a colour, an encoding, another file.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type Part, say } from "../../../fakes/model-server/turn.ts";
import { HostileFixture } from "./hostile-fixture.ts";

const NAMES = [
  "line\nfeed.txt",
  "::error::pwned.txt",
  "tab\there.txt",
  "esc\u001b[31mred\u001b[0m.txt",
  "bell\u0007.txt",
  "-rf",
  "--upload-pack=touch x",
  ":(top)magic",
  ":!exclude",
  "*.txt",
  "quote\"s'and`ticks`$(x).txt",
  " ",
  "back\\slash.txt",
  "right\u202eto-left.txt",
  "ZERO\u200bwidth.txt",
  "readme.md",
  "README.md",
  "ReadMe.MD",
  "nul",
  "café.txt",
  "cafe\u0301.txt",
  `${"d".repeat(200)}/${"e".repeat(200)}/${"f".repeat(250)}`,
  `${"deep/".repeat(300)}leaf.txt`,
];
const text = (name: string) => `TODO ${JSON.stringify(name).slice(0, 40)}\nold\n`;

let fixture: HostileFixture;
beforeAll(async () => {
  fixture = await HostileFixture.start();
});
afterAll(() => fixture.close());

describe("names", () => {
  it("are listed, read, searched, edited and reported as they are", async () => {
    const files = Object.fromEntries(NAMES.map((name) => [name, text(name)]));
    const sha = fixture.repository.commit({ files });
    const steps: Part[][] = [
      [call("list_files", { limit: 1000 }), call("search", { pattern: "TODO", limit: 500 })],
      NAMES.map((path) => call("read_file", { path })),
      NAMES.map((path) => call("edit_file", { path, old_text: "old", new_text: "new" })),
      [call("list_files", { path: "deep" }), call("search", { pattern: "new", path: ":(top)magic" })],
    ];
    const { run, results, changes } = await fixture.play(sha, [
      ...steps,
      say("Not checked: nothing can be."),
    ]);
    expect(run.status).toBe("completed");
    const [listed = "", found = ""] = results;
    expect(listed.split("\n")).toHaveLength(NAMES.length);
    expect(found.split("\n")).toHaveLength(NAMES.length);
    // Whatever steers a terminal or a reader is spelled out.
    expect(listed.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
    const read = results.slice(2, 2 + NAMES.length);
    for (const [at, name] of NAMES.entries()) expect(read[at]).toContain(text(name).split("\n")[0]);
    const edited = results.slice(2 + NAMES.length, 2 + 2 * NAMES.length);
    for (const result of edited) expect(result).toContain("+new");
    expect(changes?.files.map(({ path }) => path).toSorted()).toEqual(NAMES.toSorted());
    expect(changes?.held_back).toBeUndefined();
    const applied = fixture.applied(sha, changes?.patch ?? "").split("\n");
    expect(applied).toHaveLength(NAMES.length);
    for (const line of applied) expect(line).toMatch(/^:100644 100644 \w+ \w+ M\t/);
  });

  it("that are no UTF-8 are shown with a replacement, and their files stay as they are", async () => {
    const { repository } = fixture;
    const record = (name: Buffer, blob: string) =>
      Buffer.concat([Buffer.from("100644 "), name, Buffer.from("\0"), Buffer.from(blob, "hex")]);
    const records = [
      record(Buffer.from([0x61, 0xff, 0x7a]), repository.blob("TODO bytes\n")),
      record(Buffer.from("b.txt"), repository.blob("old\n")),
    ];
    const tree = repository.git(["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], {
      input: Buffer.concat(records),
    });
    const sha = repository.commitTree(tree, { author: "E\u001bve", subject: "s\u001b[1m\u0007" });
    const { run, results, changes } = await fixture.play(sha, [
      [call("list_files"), call("search", { pattern: "TODO" }), call("git_log")],
      [
        call("read_file", { path: "a\ufffdz" }),
        call("edit_file", { path: "b.txt", old_text: "old", new_text: "new" }),
      ],
      say("Not checked: nothing can be."),
    ]);
    expect(run.status).toBe("completed");
    expect(results[0]).toContain("a\ufffdz");
    expect(changes?.files.map(({ path }) => path)).toEqual(["b.txt"]);
    expect(fixture.applied(sha, changes?.patch ?? "").split("\n")).toHaveLength(1);
  });

  it("of the agent's making do not break out of the patch", { tags: ["sandbox"] }, async () => {
    const sha = fixture.repository.commit({ files: { "a.txt": "one\n" } });
    const command = [
      "printf 'x\\n' > \"$(printf 'new\\nfile\\033[31m')\"",
      "printf 'x\\n' > \"$(printf 'bytes\\377')\"",
      "printf 'x\\n' > 'diff --git a-x b-x'",
      "mkdir -p 'a b' && printf 'x\\n' > 'a b/ +++ b'",
      "printf 'x\\n' > A.TXT",
      "d=$(printf 'n%.0s' $(seq 240)); i=0; while [ $i -lt 12 ]; do mkdir $d && cd $d; i=$((i+1)); done; echo x > leaf",
    ].join(" && ");
    const { run, results, changes } = await fixture.play(sha, [
      call("run_command", { command }),
      [call("list_files"), call("search", { pattern: "x" })],
      say("Not checked: nothing can be."),
    ]);
    expect(results[0]).toContain("exit code 0");
    expect(run.status).toBe("completed");
    const paths = changes?.files.map(({ path }) => path) ?? [];
    expect(paths).toEqual(expect.arrayContaining(["new\nfile\u001b[31m", "diff --git a-x b-x", "A.TXT"]));
    const applied = fixture.applied(sha, changes?.patch ?? "").split("\n");
    expect(applied.length + (changes?.held_back?.length ?? 0)).toBe(6);
  });
});
