// Sessions of an editor: the SDK's client, our agent in this process, and the built service with a scripted model.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../../fakes/model-server/request.ts";
import { everyTime } from "../../../fakes/model-server/script.ts";
import { answer, call, type Step, say, think } from "../../../fakes/model-server/turn.ts";
import { type EditorAgentOptions, editorAgent } from "../../../src/cli/acp/editor-agent.ts";
import { type Client, createClient } from "../../../src/client/client.ts";
import { TestEditor } from "../../support/acp-editor.ts";
import type { ProcessFixture } from "../../support/fixtures/process-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";

const MODEL_KEY = "sk-the-models-key-0123456789";

let service: ProcessFixture;
let model: ModelServer;
let key: string;
let client: Client;
let step: (request: ModelRequest) => Step | undefined;
let root: string;
const editors: TestEditor[] = [];

beforeAll(async () => {
  model = await startModelServer({
    script: everyTime((request) => step(request)),
    apiKey: MODEL_KEY,
    conversation: () => "all",
  });
  service = await startFixture({
    level: "process",
    settings: {
      BACKEND: "model",
      SANDBOX: "off",
      MODEL_PROVIDER: "openai-compatible",
      MODEL: "scripted-model",
      MODEL_BASE_URL: model.baseUrl,
      MODEL_API_KEY: MODEL_KEY,
      RUN_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    },
  });
  key = JSON.parse((await service.run(["keys", "create", "--json"])).stdout).secret;
  client = createClient({ baseUrl: service.url, credential: key });
});
afterAll(async () => {
  await service.close();
  await model.close();
});

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "editor-"));
});
afterEach(() => {
  for (const editor of editors.splice(0)) editor.close();
  rmSync(root, { recursive: true, force: true });
});

const at = (path: string) => join(root, path);
const put = (path: string, content: string | Buffer) => {
  mkdirSync(join(at(path), ".."), { recursive: true });
  writeFileSync(at(path), content);
};
const text = (path: string) => readFileSync(at(path), "utf8");
/** What the last request to the model had of calls. */
const lastResults = () => (model.requests.at(-1)?.toolResults ?? []).map((result) => result.text).join("\n");
const write = (path: string, content: string) => call("write_file", { path, content });
/** The steps of a run, by how many answers it has had. */
const play = (...steps: readonly Step[]) => {
  const before = model.requests.length;
  step = () => steps[model.requests.length - before - 1] ?? say("Done.");
};

function openEditor(options: Partial<EditorAgentOptions> = {}, can?: ClientCapabilities): TestEditor {
  const app = editorAgent({
    url: service.url,
    openClient: () => client,
    workspace: null,
    agent: null,
    excluded: [],
    environment: process.env,
    version: "test",
    log: (line) => void process.stderr.write(`${line}\n`),
    ...options,
  });
  const editor = new TestEditor(app, can);
  editors.push(editor);
  return editor;
}

describe("a prompt", () => {
  it("sends the folder, shows what the run does, and applies what it has changed once it is allowed", async () => {
    put("src/a.ts", "one\n");
    put("old.txt", "old\n");
    play(
      answer([think("Hm. "), say("I look. "), call("read_file", { path: "src/a.ts" })]),
      call("update_plan", { steps: [{ text: "Edit it", status: "completed" }] }),
      answer([
        write("src/a.ts", "two\n"),
        write("new/b.ts", "new\n"),
        call("delete_file", { path: "old.txt" }),
      ]),
      say("Done."),
    );
    const editor = openEditor();
    const id = await editor.open(root);
    expect(await editor.prompt(id, "Edit it.")).toBe("end_turn");

    expect(editor.said).toBe("I look. Done.");
    expect(editor.thought).toContain("Hm. ");
    const read = editor.calls.find(({ title }) => title === "read_file src/a.ts");
    expect(read).toMatchObject({
      kind: "read",
      status: "completed",
      locations: [{ path: at("src/a.ts") }],
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
          { type: "diff", path: at("old.txt"), oldText: "old\n", newText: "" },
          { type: "diff", path: at("new/b.ts"), oldText: null, newText: "new\n" },
          { type: "diff", path: at("src/a.ts"), oldText: "one\n", newText: "two\n" },
        ],
      },
    });
    expect(editor.calls.at(-1)).toMatchObject({ title: "Apply the changes of 3 files", status: "completed" });
    expect([text("src/a.ts"), text("new/b.ts"), existsSync(at("old.txt"))]).toEqual([
      "two\n",
      "new\n",
      false,
    ]);
    // Its own edits; what it has no word for is done on the disk.
    expect(editor.written.toSorted()).toEqual([at("new/b.ts"), at("src/a.ts")]);
    expect((await client.workspaces.list()).items.map(({ name }) => name)).toContain(basename(root));
  });

  it("sends only what has changed since, and continues the session", async () => {
    put("a.txt", "one\n");
    put("b.txt", "one\n");
    play(say("First."));
    const editor = openEditor();
    const id = await editor.open(root);
    await editor.prompt(id, "First?");
    put("a.txt", "two\n");
    rmSync(at("b.txt"));
    play(call("run_command", { command: "cat a.txt; ls" }), say("Second."));
    await editor.prompt(id, "Second?");
    expect(editor.calls.filter(({ title }) => String(title).startsWith("Sent"))).toMatchObject([
      { title: "Sent 2 changed files" },
      {
        title: "Sent 2 changed files",
        content: [{ content: { text: "- `a.txt` replaced\n- `b.txt` removed" } }],
      },
    ]);
    expect(lastResults()).toContain("two\na.txt");
    expect(editor.said).toBe("First.Second.");
    expect(editor.asked).toEqual([]);
  });

  it("applies nothing that is rejected, keeps it as a patch, and the next run has the folder's files", async () => {
    put("a.txt", "one\n");
    play(write("a.txt", "two\n"), say("Done."));
    const editor = openEditor();
    editor.choose = () => "reject_once";
    const id = await editor.open(root);
    await editor.prompt(id, "Edit it.");
    expect(text("a.txt")).toBe("one\n");
    expect(editor.said).toMatch(
      /The changes were not applied\.\n\nThey are in `\.agent-service-copy\/\S+\.patch`/,
    );
    const [patch = ""] = readdirSync(at(".agent-service-copy")).filter((name) => name.endsWith(".patch"));
    expect(text(`.agent-service-copy/${patch}`)).toContain("+two");
    play(call("run_command", { command: "cat a.txt" }), say("Done."));
    await editor.prompt(id, "And now?");
    expect(lastResults()).toContain("one");
    expect(editor.asked).toHaveLength(1);
  });

  it("asks no more in a session where everything is allowed", async () => {
    put("a.txt", "one\n");
    const editor = openEditor();
    editor.choose = () => "allow_always";
    const id = await editor.open(root);
    for (const content of ["two\n", "three\n"]) {
      play(write("a.txt", content), say("Done."));
      await editor.prompt(id, "Edit it.");
      expect(text("a.txt")).toBe(content);
    }
    expect(editor.asked).toHaveLength(1);
  });
});

describe("files", () => {
  it("that have changed meanwhile are not overwritten, also where they are not saved", async () => {
    put("a.txt", "one\n");
    put("b.txt", "one\n");
    const editor = openEditor();
    const id = await editor.open(root);
    play(() => {
      put("a.txt", "mine\n");
      return answer([write("a.txt", "theirs\n"), write("b.txt", "theirs\n")]);
    });
    await editor.prompt(id, "Edit them.");
    expect([text("a.txt"), text("b.txt")]).toEqual(["mine\n", "one\n"]);
    expect(editor.asked).toEqual([]);
    expect(editor.said).toContain("- `a.txt` has changed here since the run began");
    expect(editor.said).not.toContain("`b.txt`");
    expect(readdirSync(at(".agent-service-copy")).some((name) => name.endsWith(".patch"))).toBe(true);

    play(() => {
      editor.unsaved.set(at("b.txt"), "half a th");
      return write("b.txt", "theirs\n");
    });
    await editor.prompt(id, "Again.");
    expect(text("b.txt")).toBe("one\n");
    expect(editor.said).toContain("- `b.txt` has changed here since the run began");
    expect(editor.asked).toEqual([]);
  });

  it("of a prompt are sent as the editor has them, and written over with what the run made of that", async () => {
    put("a.txt", "saved\n");
    put("crlf.txt", "one\r\ntwo\r\n");
    const editor = openEditor();
    const sessionId = await editor.open(root);
    editor.unsaved.set(at("a.txt"), "not saved\n");
    // Some editors tell no CR.
    editor.unsaved.set(at("crlf.txt"), "one\ntwo\n");
    play(
      call("run_command", { command: "cat a.txt crlf.txt" }),
      answer([write("a.txt", "done\n")]),
      say("."),
    );
    const link = (name: string) => ({
      type: "resource_link" as const,
      name,
      uri: `file://${at(name)}#L1`,
    });
    await editor.agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "Look at " },
        link("a.txt"),
        link("crlf.txt"),
        { type: "resource", resource: { uri: `file://${at("a.txt")}`, text: "not" } },
        { type: "resource_link", name: "passwd", uri: "file:///etc/passwd" },
      ],
    });
    const results = lastResults();
    expect(results).toContain("not saved");
    expect(model.requests.at(-1)?.lastUserMessage).toContain(
      "Look at `a.txt``crlf.txt`\n\na.txt:\n\n```\nnot\n```",
    );
    expect(model.requests.at(-1)?.lastUserMessage).toContain("`file:///etc/passwd`");
    expect(text("a.txt")).toBe("done\n");
    expect(text("crlf.txt")).toBe("one\r\ntwo\r\n");
  });

  it("that git ignores, and that hold credentials by their name, are not sent", async () => {
    execFileSync("git", ["init", "--quiet", root]);
    put(".gitignore", "node_modules\n*.log\n");
    put("node_modules/x/index.js", "x\n");
    put("run.log", "log\n");
    put(".env", "TOKEN=secret\n");
    put("src/main.ts", "main\n");
    put("data/large.csv", "1\n");
    play(call("run_command", { command: "find . -name .git -prune -o -type f -print" }), say("."));
    const editor = openEditor({ excluded: ["data/**"] });
    await editor.prompt(await editor.open(root), "What is there?");
    const listed = lastResults();
    expect(listed).toContain("./src/main.ts");
    for (const path of ["node_modules", "run.log", ".env", "large.csv"]) expect(listed).not.toContain(path);
  });

  it("of other kinds are written on the disk: bytes, programs, links, renamed ones", async () => {
    put("image.png", Buffer.from([137, 80, 0, 1]));
    put("tool.sh", "#!/bin/sh\n");
    put("from.txt", "text\n");
    chmodSync(at("tool.sh"), 0o644);
    const command =
      "printf '\\211P\\0\\2' > image.png; chmod +x tool.sh; mv from.txt to.txt; ln -s to.txt link";
    play(call("run_command", { command }), say("."));
    const editor = openEditor();
    await editor.prompt(await editor.open(root), "Do it.");
    expect(readFileSync(at("image.png"))).toEqual(Buffer.from([137, 80, 0, 2]));
    expect(statSync(at("tool.sh")).mode & 0o100).toBe(0o100);
    expect([existsSync(at("from.txt")), text("to.txt"), text("link")]).toEqual([false, "text\n", "text\n"]);
    expect(editor.written).toEqual([at("to.txt")]);
    expect(JSON.stringify(editor.asked[0]?.toolCall.content)).toContain("Replace `image.png`");
  });

  it("are not written through a link that leads out of the folder, nor of a folder that is no project", async () => {
    const outside = mkdtempSync(join(tmpdir(), "outside-"));
    try {
      put("a.txt", "one\n");
      const editor = openEditor();
      const id = await editor.open(root);
      play(() => {
        symlinkSync(outside, at("out"));
        return write("out/b.txt", "theirs\n");
      });
      await editor.prompt(id, "Write it.");
      expect(readdirSync(outside)).toEqual([]);
      expect(editor.said).toContain("Nothing was applied");
    } finally {
      rmSync(outside, { recursive: true });
    }
    for (const cwd of ["/", process.env.HOME ?? "/root"])
      await expect(openEditor().open(cwd)).rejects.toThrow("is no project");
    await expect(openEditor().open("relative")).rejects.toThrow("must be an absolute path");
    await expect(openEditor().open(at("missing"))).rejects.toThrow("is not there");
  });

  it("are all written on the disk where the editor writes none", async () => {
    put("a.txt", "one\n");
    play(write("a.txt", "two\n"), say("."));
    const editor = openEditor({}, {});
    await editor.prompt(await editor.open(root), "Edit it.");
    expect([text("a.txt"), editor.written]).toEqual(["two\n", []]);
  });
});
