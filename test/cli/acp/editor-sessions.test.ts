// Sessions of an editor: continued, cancelled, asked for answers, without an editor or without a service. The SDK's client, our agent in
// this process, and the built service with a scripted model.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answer, call, say, stall } from "../../../fakes/model-server/turn.ts";
import { UsageError } from "../../../src/cli/flags.ts";
import { createClient } from "../../../src/client/client.ts";
import { everything, type TestEditor } from "../../support/acp-editor.ts";
import { done, EditorFixture, write } from "../../support/editor-fixture.ts";

let fixture: EditorFixture;
beforeAll(async () => {
  fixture = await EditorFixture.start();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.openFolder());
afterEach(() => fixture.closeFolder());

const hasWritten = ({ calls }: TestEditor): boolean =>
  calls.some(({ title, status }) => title === "write a.txt" && status === "completed");

const AUTH_REQUIRED = -32_000;

describe("a session", () => {
  it("is loaded with what was said, listed by its request, and goes on", async () => {
    fixture.put("a.txt", "one\n");
    fixture.play(answer([say("I write. "), write("a.txt", "two\n")]), done);
    const first = fixture.editor();
    const id = await first.open(fixture.root);
    await first.prompt(id, "Write it.");
    first.close();

    const second = fixture.editor();
    await second.initialize();
    const listed = await second.agent.request("session/list", { cwd: fixture.root });
    expect(listed.sessions).toMatchObject([{ sessionId: id, cwd: fixture.root, title: "Write it." }]);
    await second.load(id, fixture.root);
    expect([second.prompted, second.said]).toEqual(["Write it.", `I write. ${done.text}`]);
    expect(second.calls).toMatchObject([{ title: "write a.txt", status: "completed" }]);
    fixture.play(call("run_command", { command: "cat a.txt" }), say("Second."));
    expect(await second.prompt(id, "Go on.")).toBe("end_turn");
    expect(fixture.lastResults).toContain("two");
    expect(fixture.model.requests.at(-1)?.firstUserMessage).toContain("Write it.");
    expect(second.asked).toEqual([]);

    const resumed = fixture.editor();
    await resumed.initialize();
    await resumed.agent.request("session/resume", { sessionId: id, cwd: fixture.root });
    expect(resumed.said).toBe("");
  });

  it("goes on with the folder's files where they never met its copy", async () => {
    fixture.put("a.txt", "one\n");
    fixture.play(write("a.txt", "two\n"), done);
    const first = fixture.editor();
    const id = await first.open(fixture.root);
    await first.prompt(id, "Write it.");
    rmSync(fixture.at(".agent-service-copy"), { recursive: true });
    fixture.put("a.txt", "elsewhere\n");
    const { items } = await fixture.client.workspaces.list();
    const second = fixture.editor({ workspace: items[0]?.id ?? "" });
    await second.initialize();
    await second.load(id, fixture.root);
    fixture.play(call("run_command", { command: "cat a.txt" }), say("."));
    await second.prompt(id, "And now?");
    expect(fixture.lastResults).toContain("elsewhere");
    expect([second.asked, fixture.text("a.txt")]).toEqual([[], "elsewhere\n"]);
  });

  it("that is not there, or whose folder has none, is refused", async () => {
    const editor = fixture.editor();
    await editor.open(fixture.root);
    for (const id of ["0198d2c4-0000-7000-8000-000000000000", "../../etc/passwd"])
      await expect(editor.load(id, fixture.root)).rejects.toMatchObject({ code: -32_002 });
    await expect(editor.prompt("unknown", "Hello.")).rejects.toMatchObject({ code: -32_002 });
    const empty = mkdtempSync(join(tmpdir(), "empty-"));
    try {
      const id = await editor.open(fixture.root);
      await expect(editor.load(id, empty)).rejects.toMatchObject({ code: -32_002 });
      expect(await editor.agent.request("session/list", { cwd: empty })).toEqual({ sessions: [] });
      expect(existsSync(join(empty, ".agent-service-copy"))).toBe(false);
    } finally {
      rmSync(empty, { recursive: true });
    }
  });

  it("works with the agent and the workspace that are named", async () => {
    const agent = await fixture.client.agents.create({ body: { name: "helper" } });
    const workspace = await fixture.client.workspaces.create({ body: { name: "shared" } });
    fixture.play(say("."));
    const editor = fixture.editor({ workspace: "shared", agent: "helper" });
    await editor.prompt(await editor.open(fixture.root), "Hello.");
    const { items } = await fixture.client.workspaceRuns.list({ workspaceId: workspace.id });
    expect(items).toMatchObject([{ agent_id: agent.id, copy_id: expect.any(String) }]);
    await expect(fixture.editor({ agent: "nobody" }).open(fixture.root)).rejects.toThrow(
      'There is no agent "nobody"',
    );
  });
});

describe("a run at work", () => {
  it("takes no second prompt, is cancelled, and what it wrote by then is not applied", async () => {
    fixture.put("a.txt", "one\n");
    const held = Promise.withResolvers<void>();
    fixture.play(answer([say("I write. "), write("a.txt", "two\n")]), stall(held.promise, done));
    const editor = fixture.editor();
    const id = await editor.open(fixture.root);
    const prompting = editor.prompt(id, "Write it.");
    await editor.until(() => hasWritten(editor));
    await expect(editor.prompt(id, "Another.")).rejects.toMatchObject({
      code: -32_600,
      message: expect.stringContaining("A run of this session is at work"),
    });
    await editor.cancel(id);
    expect(await prompting).toBe("cancelled");
    held.resolve();
    fixture.play(call("run_command", { command: "cat a.txt" }), say("."));
    expect(await editor.prompt(id, "And now?")).toBe("end_turn");
    expect(fixture.lastResults).toContain("one");
    expect([editor.asked, fixture.text("a.txt")]).toEqual([[], "one\n"]);
  });

  it("is cancelled while its person is asked, too", async () => {
    fixture.put("a.txt", "one\n");
    fixture.play(write("a.txt", "two\n"), done);
    const editor = fixture.editor();
    const id = await editor.open(fixture.root);
    editor.choose = async () => {
      await editor.cancel(id);
      return "allow_once";
    };
    expect(await editor.prompt(id, "Write it.")).toBe("cancelled");
    expect(fixture.text("a.txt")).toBe("one\n");
  });

  it("goes on without its editor, and the next one that loads the session is asked about its changes", async () => {
    fixture.put("a.txt", "one\n");
    const held = Promise.withResolvers<void>();
    fixture.play(answer([say("I write. "), write("a.txt", "two\n")]), stall(held.promise, done));
    const first = fixture.editor();
    const id = await first.open(fixture.root);
    const prompting = first.prompt(id, "Write it.");
    await first.until(() => hasWritten(first));
    first.close();
    await expect(prompting).rejects.toThrow();

    const second = fixture.editor();
    await second.initialize();
    await second.load(id, fixture.root);
    expect(second.said).toBe("I write. ");
    await expect(second.prompt(id, "Another.")).rejects.toMatchObject({ code: -32_600 });
    held.resolve();
    await second.until(() => second.calls.at(-1)?.title === "Apply the changes of 1 file");
    await second.until(() => second.calls.at(-1)?.status === "completed");
    expect([second.said, fixture.text("a.txt")]).toEqual([`I write. ${done.text}`, "two\n"]);
  });

  it("offers what nobody was asked about to whoever loads the session later", async () => {
    fixture.put("a.txt", "one\n");
    fixture.play(write("a.txt", "two\n"), done);
    const first = fixture.editor();
    const id = await first.open(fixture.root);
    first.choose = () => new Promise<string>(() => {});
    const prompting = first.prompt(id, "Write it.");
    await first.until(() => first.asked.length === 1);
    first.close();
    await expect(prompting).rejects.toThrow();
    const second = fixture.editor();
    await second.initialize();
    await second.load(id, fixture.root);
    await second.until(() => second.calls.at(-1)?.status === "completed" && second.asked.length === 1);
    expect(fixture.text("a.txt")).toBe("two\n");
  });
});

describe("a run that waits", () => {
  const ask = (choices: readonly string[]) => call("ask_question", { question: "Which one?", choices });

  it("is given the choice that its person makes, and goes on in the same turn", async () => {
    fixture.play(ask(["the first", "the second"]), write("b.txt", "second\n"), done);
    const editor = fixture.editor();
    editor.choose = ({ toolCall }) => (toolCall.title === "Which one?" ? "the second" : "allow_once");
    expect(await editor.prompt(await editor.open(fixture.root), "Choose.")).toBe("end_turn");
    expect(editor.asked[0]?.options.map(({ name }) => name)).toEqual([
      "the first",
      "the second",
      "Answer in words",
    ]);
    expect(JSON.stringify(fixture.model.requests.at(-1)?.messages)).toContain("the second");
    expect(fixture.text("b.txt")).toBe("second\n");
  });

  it("is answered by a form, where the editor has one", async () => {
    fixture.play(ask([]), say("Done."));
    const editor = fixture.editor({}, { ...everything, elicitation: { form: {} } });
    editor.answer = "the third";
    await editor.prompt(await editor.open(fixture.root), "Choose.");
    expect(JSON.stringify(fixture.model.requests.at(-1)?.messages)).toContain("the third");
    expect(editor.said).toContain("Done.");
  });

  it("is answered by the next prompt, with what has changed in the folder meanwhile", async () => {
    fixture.put("a.txt", "one\n");
    fixture.play(write("b.txt", "of the run\n"), ask(["x", "y"]));
    const editor = fixture.editor();
    editor.choose = ({ toolCall }) => (toolCall.title === "Which one?" ? "reject_once" : "allow_once");
    const id = await editor.open(fixture.root);
    expect(await editor.prompt(id, "Choose.")).toBe("end_turn");
    expect(editor.said).toContain("Your next message answers it.");
    expect(existsSync(fixture.at("b.txt"))).toBe(false);
    fixture.put("a.txt", "two\n");
    fixture.play(call("run_command", { command: "cat a.txt b.txt" }), done);
    expect(await editor.prompt(id, "z")).toBe("end_turn");
    expect(fixture.lastResults).toContain("two\nof the run");
    expect(fixture.text("b.txt")).toBe("of the run\n");
    expect(editor.calls.filter(({ kind }) => kind === "execute")).toHaveLength(1);
  });
});

describe("without", () => {
  it("a key, sessions are refused with what to do; with one they begin", async () => {
    let isSignedIn = false;
    const editor = fixture.editor({
      openClient: () => {
        if (isSignedIn) return fixture.client;
        throw new UsageError("AGENT_SERVICE_KEY is missing.");
      },
    });
    expect((await editor.initialize()).authMethods).toMatchObject([
      { id: "login", type: "terminal", args: ["--login"] },
    ]);
    const begin = () => editor.agent.request("session/new", { cwd: fixture.root, mcpServers: [] });
    const refusal = {
      code: AUTH_REQUIRED,
      message: expect.stringContaining(`execute "agent-service login --url ${fixture.service.url}"`),
    };
    await expect(begin()).rejects.toMatchObject(refusal);
    await expect(editor.agent.request("authenticate", { methodId: "login" })).rejects.toMatchObject(refusal);
    isSignedIn = true;
    await editor.agent.request("authenticate", { methodId: "login" });
    await begin();
    const other = fixture.editor({}, {});
    expect((await other.initialize()).authMethods?.[0]).not.toHaveProperty("type");
  });

  it("a key that counts, or a service, it is said which", async () => {
    const revoked = fixture.editor({
      openClient: () =>
        createClient({ baseUrl: fixture.service.url, credential: `svc_sk_${"x".repeat(49)}` }),
    });
    await expect(revoked.open(fixture.root)).rejects.toMatchObject({ code: AUTH_REQUIRED });
    const away = fixture.editor({
      openClient: () =>
        createClient({
          baseUrl: "http://127.0.0.1:1",
          credential: fixture.key,
          retry: { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 },
        }),
    });
    await expect(away.open(fixture.root)).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining("Is the service running"),
    });
  });

  it("a model's answer the turn fails with the run's reason, and the session goes on", async () => {
    const editor = fixture.editor();
    const id = await editor.open(fixture.root);
    fixture.play(
      ...Array.from({ length: 12 }, () => ({
        type: "failure" as const,
        status: 400,
        message: "No such thing.",
        body: undefined,
        headers: {},
      })),
    );
    await expect(editor.prompt(id, "Hello.")).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining("The run failed"),
    });
    fixture.play(say("Here."));
    expect(await editor.prompt(id, "Hello?")).toBe("end_turn");
    expect(editor.said).toContain("Here.");
  });
});
