// agent-service acp: the built command in a process of its own, between the SDK's client and the built service.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stall } from "../../../fakes/model-server/turn.ts";
import { TestEditor } from "../../support/acp-editor.ts";
import { done, EditorFixture, write } from "../../support/editor-fixture.ts";
import { COMMAND } from "../../support/fixtures/service-process.ts";
import { runCommand } from "../../support/run/run-command.ts";

describe("agent-service acp", () => {
  let fixture: EditorFixture;
  let home: string;
  beforeAll(async () => {
    fixture = await EditorFixture.start();
    fixture.openFolder();
    home = mkdtempSync(join(tmpdir(), "agent-service-home-"));
  });
  afterAll(async () => {
    fixture.closeFolder();
    await fixture.close();
    rmSync(home, { recursive: true, force: true });
  });

  const start = (env: Readonly<Record<string, string>> = {}): ChildProcessWithoutNullStreams =>
    spawn(process.execPath, [COMMAND, "acp", "--url", fixture.service.url], {
      env: { PATH: process.env.PATH ?? "", XDG_CONFIG_HOME: home, ...env },
    });

  it("works for an editor, and leaves its run at work when the editor goes away", async () => {
    fixture.put("a.txt", "one\n");
    const child = start({ AGENT_SERVICE_KEY: fixture.key });
    const editor = new TestEditor(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      stderr += part;
    });
    const id = await editor.open(fixture.root);
    fixture.play(write("a.txt", "two\n"), done);
    expect(await editor.prompt(id, "Write it.")).toBe("end_turn");
    expect([editor.said, fixture.text("a.txt")]).toEqual([done.text, "two\n"]);
    const held = Promise.withResolvers<void>();
    fixture.play(stall(held.promise, done));
    const before = fixture.model.requests.length;
    editor.prompt(id, "And now?").catch(() => {});
    await editor.until(() => fixture.model.requests.length > before);
    const ended = once(child, "close");
    child.stdin.end();
    expect([await ended, stderr]).toEqual([[0, null], ""]);
    held.resolve();
    const workspaceId = (await fixture.client.workspaces.list()).items[0]?.id ?? "";
    const newest = async () => (await fixture.client.workspaceRuns.list({ workspaceId })).items[0];
    await expect.poll(async () => (await newest())?.status, { timeout: 30_000 }).toBe("completed");
  });

  it("answers what is no message, what it does not know, and who is not signed in, in the protocol's words", async () => {
    const child = start();
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (line: string) => {
      child.stdin.write(`${line}\n`);
      return JSON.parse((await lines.next()).value ?? "");
    };
    expect(await ask("{no JSON")).toMatchObject({ id: null, error: { code: -32_700 } });
    const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
    expect(await ask(JSON.stringify(hello))).toMatchObject({
      id: 1,
      result: {
        protocolVersion: 1,
        agentCapabilities: { loadSession: true },
        authMethods: [{ id: "login" }],
      },
    });
    expect(await ask('{"jsonrpc":"2.0","id":2,"method":"session/dance"}')).toMatchObject({
      id: 2,
      error: { code: -32_601 },
    });
    const begin = { method: "session/new", params: { cwd: fixture.root, mcpServers: [] } };
    expect(await ask(JSON.stringify({ jsonrpc: "2.0", id: 3, ...begin }))).toMatchObject({
      id: 3,
      error: { code: -32_000, message: expect.stringContaining("agent-service login --url") },
    });
    expect(await ask('{"jsonrpc":"2.0","id":4,"method":"session/new","params":{}}')).toMatchObject({
      id: 4,
      error: { code: -32_602 },
    });
    const ended = once(child, "close");
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  });

  it("says what is missing before it begins", async () => {
    const { code, stdout, stderr } = await runCommand(["acp"], { XDG_CONFIG_HOME: home });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("AGENT_SERVICE_URL (or --url)");
  });
});
