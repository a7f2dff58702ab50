// Prompts of an editor: the SDK's client, our agent in this process, and the built service with a scripted model.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answer, call, say, think } from "../../../fakes/model-server/turn.ts";
import { done, EditorFixture, write } from "../../support/editor-fixture.ts";

let fixture: EditorFixture;
beforeAll(async () => {
  fixture = await EditorFixture.start();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.openFolder());
afterEach(() => fixture.closeFolder());

describe("a prompt", () => {
  it("sends the folder, shows what the run does, and applies what it has changed once it is allowed", async () => {
    fixture.put("src/a.ts", "one\n");
    fixture.put("old.txt", "old\n");
    fixture.play(
      answer([think("Hm. "), say("I look. "), call("read_file", { path: "src/a.ts" })]),
      call("update_plan", { steps: [{ text: "Edit it", status: "completed" }] }),
      answer([
        write("src/a.ts", "two\n"),
        write("new/b.ts", "new\n"),
        call("delete_file", { path: "old.txt" }),
      ]),
      done,
    );
    const editor = fixture.editor();
    const id = await editor.open(fixture.root);
    expect(await editor.prompt(id, "Edit it.")).toBe("end_turn");

    expect(editor.said).toBe(`I look. ${done.text}`);
    expect(editor.thought).toContain("Hm. ");
    const read = editor.calls.find(({ title }) => title === "read_file src/a.ts");
    expect(read).toMatchObject({
      kind: "read",
      status: "completed",
      locations: [{ path: fixture.at("src/a.ts") }],
      content: [{ type: "content", content: { type: "text", text: expect.stringContaining("one") } }],
    });
    expect(editor.updates).toContainEqual({
      sessionUpdate: "plan",
      entries: [{ content: "Edit it", status: "completed", priority: "medium" }],
    });
    expect(editor.updates).toContainEqual({ sessionUpdate: "session_info_update", title: "Edit it." });
    expect(editor.asked).toHaveLength(1);
    expect(editor.asked[0]).toMatchObject({
      sessionId: id,
      toolCall: {
        title: "Apply the changes of 3 files",
        kind: "edit",
        content: [
          { type: "diff", path: fixture.at("old.txt"), oldText: "old\n", newText: "" },
          { type: "diff", path: fixture.at("new/b.ts"), oldText: null, newText: "new\n" },
          { type: "diff", path: fixture.at("src/a.ts"), oldText: "one\n", newText: "two\n" },
        ],
      },
    });
    expect(editor.calls.at(-1)).toMatchObject({ title: "Apply the changes of 3 files", status: "completed" });
    expect([fixture.text("src/a.ts"), fixture.text("new/b.ts"), existsSync(fixture.at("old.txt"))]).toEqual([
      "two\n",
      "new\n",
      false,
    ]);
    // Its own edits; what it has no word for is done on the disk.
    expect(editor.written.toSorted()).toEqual([fixture.at("new/b.ts"), fixture.at("src/a.ts")]);
    expect((await fixture.client.workspaces.list()).items.map(({ name }) => name)).toContain(
      basename(fixture.root),
    );
  });

  it("sends only what has changed since, and continues the session", async () => {
    fixture.put("a.txt", "one\n");
    fixture.put("b.txt", "one\n");
    fixture.play(say("First."));
    const editor = fixture.editor();
    const id = await editor.open(fixture.root);
    await editor.prompt(id, "First?");
    fixture.put("a.txt", "two\n");
    rmSync(fixture.at("b.txt"));
    fixture.play(call("run_command", { command: "cat a.txt; ls" }), say("Second."));
    await editor.prompt(id, "Second?");
    expect(editor.calls.filter(({ title }) => String(title).startsWith("Sent"))).toMatchObject([
      { title: "Sent 2 changed files" },
      {
        title: "Sent 2 changed files",
        content: [{ content: { text: "- `a.txt` replaced\n- `b.txt` removed" } }],
      },
    ]);
    expect(fixture.lastResults).toContain("two\na.txt");
    expect(editor.said).toBe("First.Second.");
    expect(editor.asked).toEqual([]);
  });

  it("applies nothing that is rejected, keeps it as a patch, and the next run has the folder's files", async () => {
    fixture.put("a.txt", "one\n");
    fixture.play(write("a.txt", "two\n"), done);
    const editor = fixture.editor();
    editor.choose = () => "reject_once";
    const id = await editor.open(fixture.root);
    await editor.prompt(id, "Edit it.");
    expect(fixture.text("a.txt")).toBe("one\n");
    expect(editor.said).toMatch(
      /The changes were not applied\.\n\nThey are in `\.agent-service-copy\/\S+\.patch`/,
    );
    const [patch = ""] = readdirSync(fixture.at(".agent-service-copy")).filter((name) =>
      name.endsWith(".patch"),
    );
    expect(fixture.text(`.agent-service-copy/${patch}`)).toContain("+two");
    fixture.play(call("run_command", { command: "cat a.txt" }), done);
    await editor.prompt(id, "And now?");
    expect(fixture.lastResults).toContain("one");
    expect(editor.asked).toHaveLength(1);
  });

  it("asks no more in a session where everything is allowed; what acts by itself is held back", async () => {
    fixture.put("a.txt", "one\n");
    const editor = fixture.editor();
    editor.choose = () => "allow_always";
    const id = await editor.open(fixture.root);
    for (const content of ["two\n", "three\n"]) {
      fixture.play(write("a.txt", content), done);
      await editor.prompt(id, "Edit it.");
      expect(fixture.text("a.txt")).toBe(content);
    }
    expect(editor.asked).toHaveLength(1);
    fixture.play(write(".pre-commit-config.yaml", "repos: []\n"), done);
    await editor.prompt(id, "And a hook.");
    expect(editor.thought).toContain("Held back, because it is protected: .pre-commit-config.yaml");
    expect(existsSync(fixture.at(".pre-commit-config.yaml"))).toBe(false);
  });
});

describe("files", () => {
  it("that have changed meanwhile are not overwritten, also where they are not saved", async () => {
    fixture.put("a.txt", "one\n");
    fixture.put("b.txt", "one\n");
    const editor = fixture.editor();
    const id = await editor.open(fixture.root);
    fixture.play(() => {
      fixture.put("a.txt", "mine\n");
      return answer([write("a.txt", "theirs\n"), write("b.txt", "theirs\n")]);
    });
    await editor.prompt(id, "Edit them.");
    expect([fixture.text("a.txt"), fixture.text("b.txt")]).toEqual(["mine\n", "one\n"]);
    expect(editor.asked).toEqual([]);
    expect(editor.said).toContain("- `a.txt` has changed here since the run began");
    expect(editor.said).not.toContain("`b.txt`");
    expect(readdirSync(fixture.at(".agent-service-copy")).some((name) => name.endsWith(".patch"))).toBe(true);

    fixture.play(() => {
      editor.unsaved.set(fixture.at("b.txt"), "half a th");
      return write("b.txt", "theirs\n");
    });
    await editor.prompt(id, "Again.");
    expect(fixture.text("b.txt")).toBe("one\n");
    expect(editor.said).toContain("- `b.txt` has changed here since the run began");
    expect(editor.asked).toEqual([]);
  });

  it("of a prompt are sent as the editor has them, and written over with what the run made of that", async () => {
    fixture.put("a.txt", "saved\n");
    fixture.put("crlf.txt", "one\r\ntwo\r\n");
    const editor = fixture.editor();
    const sessionId = await editor.open(fixture.root);
    editor.unsaved.set(fixture.at("a.txt"), "not saved\n");
    // Some editors tell no CR.
    editor.unsaved.set(fixture.at("crlf.txt"), "one\ntwo\n");
    fixture.play(
      call("run_command", { command: "cat a.txt crlf.txt" }),
      answer([write("a.txt", "done\n")]),
      done,
    );
    const link = (name: string) => ({
      type: "resource_link" as const,
      name,
      uri: `file://${fixture.at(name)}#L1`,
    });
    await editor.agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "Look at " },
        link("a.txt"),
        link("crlf.txt"),
        { type: "resource", resource: { uri: `file://${fixture.at("a.txt")}`, text: "not" } },
        { type: "resource_link", name: "passwd", uri: "file:///etc/passwd" },
      ],
    });
    const results = fixture.lastResults;
    expect(results).toContain("not saved");
    expect(fixture.model.requests.at(-1)?.lastUserMessage).toContain(
      "Look at `a.txt``crlf.txt`\n\na.txt:\n\n```\nnot\n```",
    );
    expect(fixture.model.requests.at(-1)?.lastUserMessage).toContain("`file:///etc/passwd`");
    expect(fixture.text("a.txt")).toBe("done\n");
    expect(fixture.text("crlf.txt")).toBe("one\r\ntwo\r\n");
  });

  it("that git ignores, and that hold credentials by their name, are not sent", async () => {
    execFileSync("git", ["init", "--quiet", fixture.root]);
    fixture.put(".gitignore", "node_modules\n*.log\n");
    fixture.put("node_modules/x/index.js", "x\n");
    fixture.put("run.log", "log\n");
    fixture.put(".env", "TOKEN=secret\n");
    fixture.put("src/main.ts", "main\n");
    fixture.put("data/large.csv", "1\n");
    fixture.play(call("run_command", { command: "find . -name .git -prune -o -type f -print" }), done);
    const editor = fixture.editor({ excluded: ["data/**"] });
    await editor.prompt(await editor.open(fixture.root), "What is there?");
    const listed = fixture.lastResults;
    expect(listed).toContain("./src/main.ts");
    for (const path of ["node_modules", "run.log", ".env", "large.csv"]) expect(listed).not.toContain(path);
  });

  it("of other kinds are written on the disk: bytes, programs, links, renamed ones", async () => {
    fixture.put("image.png", Buffer.from([137, 80, 0, 1]));
    fixture.put("tool.sh", "#!/bin/sh\n");
    fixture.put("from.txt", "text\n");
    chmodSync(fixture.at("tool.sh"), 0o644);
    const command =
      "printf '\\211P\\0\\2' > image.png; chmod +x tool.sh; mv from.txt to.txt; ln -s to.txt link";
    fixture.play(call("run_command", { command }), done);
    const editor = fixture.editor();
    await editor.prompt(await editor.open(fixture.root), "Do it.");
    expect(readFileSync(fixture.at("image.png"))).toEqual(Buffer.from([137, 80, 0, 2]));
    expect(statSync(fixture.at("tool.sh")).mode & 0o100).toBe(0o100);
    expect([existsSync(fixture.at("from.txt")), fixture.text("to.txt"), fixture.text("link")]).toEqual([
      false,
      "text\n",
      "text\n",
    ]);
    expect(editor.written).toEqual([fixture.at("to.txt")]);
    expect(JSON.stringify(editor.asked[0]?.toolCall.content)).toContain("Replace `image.png`");
  });

  it("are not written through a link that leads out of the folder, nor of a folder that is no project", async () => {
    const outside = mkdtempSync(join(tmpdir(), "outside-"));
    try {
      fixture.put("a.txt", "one\n");
      const editor = fixture.editor();
      const id = await editor.open(fixture.root);
      fixture.play(() => {
        symlinkSync(outside, fixture.at("out"));
        return write("out/b.txt", "theirs\n");
      });
      await editor.prompt(id, "Write it.");
      expect(readdirSync(outside)).toEqual([]);
      expect(editor.said).toContain("Nothing was applied");
    } finally {
      rmSync(outside, { recursive: true });
    }
    for (const cwd of ["/", process.env.HOME ?? "/fixture.root"])
      await expect(fixture.editor().open(cwd)).rejects.toThrow("is no project");
    await expect(fixture.editor().open("relative")).rejects.toThrow("must be an absolute path");
    await expect(fixture.editor().open(fixture.at("missing"))).rejects.toThrow("is not there");
  });

  it("are all written on the disk where the editor writes none", async () => {
    fixture.put("a.txt", "one\n");
    fixture.play(write("a.txt", "two\n"), done);
    const editor = fixture.editor({}, {});
    await editor.prompt(await editor.open(fixture.root), "Edit it.");
    expect([fixture.text("a.txt"), editor.written]).toEqual(["two\n", []]);
  });
});
