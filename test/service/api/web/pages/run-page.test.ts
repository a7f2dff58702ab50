// The page of a run: who reads it, what is on it and what is not, its downloads, and the socket by cookie.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool, changesEvent, type LinkedRun, RunPages } from "../../../../support/run-pages.ts";
import { say } from "../../../../support/scripted-backend.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";
import { SocketClient } from "../../socket/socket-client.ts";

const PATCH = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1 +1 @@
-const one = 1;
+const two = "<b>2</b>";
`;

describe("the page of a run", () => {
  let pages: RunPages;
  let run: LinkedRun;

  beforeAll(async () => {
    pages = await RunPages.open();
    run = await pages.finished(async (task) => {
      await task.emit({ type: "STEP_STARTED", stepName: "Look around" });
      await callTool(task, { name: "read_file", args: { path: "src/a.ts" }, result: "const one = 1;" });
      await callTool(task, { name: "run_command", args: { command: "seq" }, result: "line\n".repeat(900) });
      await task.emit({ type: "STEP_FINISHED", stepName: "Look around" });
      await task.emit({
        type: "CUSTOM",
        name: "plan",
        value: { steps: [{ text: "Rename it", status: "completed" }] },
      });
      await task.emit({
        type: "CUSTOM",
        name: "egress",
        value: { withheld: [], allowed: [], blocked: [{ host: "evil.example", times: 2, reason: "policy" }] },
      });
      await task.emit(changesEvent(PATCH, ["src/a.ts"]));
      await say(task, "I **renamed** it. See [the docs](https://docs.example/a).");
      const call = { role: "executor", model: "<small>", contextWindow: 2_000, calls: 1 } as const;
      task.meter.turn.count({ ...call, inputTokens: 1_000, cachedInputTokens: 0, outputTokens: 20 });
      await task.beginTurn(2);
      task.meter.turn.count({ ...call, inputTokens: 1_500, cachedInputTokens: 900, outputTokens: 30 });
    });
  });

  afterAll(() => pages.close());

  const open = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    await pages.get(path, { headers });
  const byLink = () => ({ cookie: pages.viewCookie(run) });

  it("masks what looks like a secret in what a link's holder downloads, said in pieces too, and not in the owner's", async () => {
    const secret = `ghp_${"aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA2bC4".slice(0, 36)}`;
    const patch = PATCH.replace("const one = 1;", `const token = "${secret}";`);
    const told = await pages.finished(async (task) => {
      await callTool(task, {
        name: "run_command",
        args: { command: `echo ${secret}` },
        result: `${secret}\n`,
      });
      await task.emit(changesEvent(patch, ["src/a.ts"]));
      const messageId = "m-pieces";
      await task.emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
      for (const delta of ["It is ", secret.slice(0, 20), secret.slice(20), "."])
        await task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
      await task.emit({ type: "TEXT_MESSAGE_END", messageId });
    });
    const cookie = { cookie: pages.viewCookie(told) };
    for (const [what, kept] of [
      ["events", '"type":"TEXT_MESSAGE_END"'],
      ["patch", "diff --git a/src/a.ts b/src/a.ts"],
    ] as const) {
      const { status, text } = await open(`${told.path}/${what}`, cookie);
      expect(status).toBe(200);
      expect(text).toContain(kept);
      expect(text).not.toContain(secret.slice(0, 20));
      expect(text).not.toContain(secret.slice(20));
    }
    const owned = await pages.owned(async (task) => await task.emit(changesEvent(patch, ["src/a.ts"])));
    for (const what of ["events", "patch"])
      expect((await open(`${owned.path}/${what}`, { cookie: owned.cookie })).text).toContain(secret);
  });

  it("moves the token of a link into a cookie of that page alone", async () => {
    const moved = await open(`${run.path}?view=${run.token}`);
    expect([moved.status, moved.headers.get("location")]).toEqual([303, run.path]);
    expect(moved.headers.get("set-cookie")).toBe(
      `run_view=${run.token}; Path=${run.path}; HttpOnly; SameSite=Lax`,
    );
    expect(moved.headers.get("referrer-policy")).toBe("no-referrer");
    const junk = await open(`${run.path}?view=svc_rv_junk`);
    expect([junk.status, junk.headers.get("set-cookie")]).toEqual([303, null]);
    expect((await open(run.path, byLink())).status).toBe(200);
  });

  it("has verdict and time first, then reply, changes, plan, what was done, and the network", async () => {
    const { text, headers } = await open(run.path, byLink());
    const order = [
      "Changed 1 file",
      "0.0 s",
      "Reply",
      "Changes",
      "Plan: 1 of 1 done",
      "What it did",
      "Network",
      "Tokens by turn",
    ];
    const places = order.map((part) => text.indexOf(part, text.indexOf("<main")));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(text).toContain("<strong>renamed</strong>");
    expect(text).toContain(
      '<a href="https://docs.example/a" rel="noopener noreferrer nofollow ugc">the docs</a>',
    );
    expect(text).toContain("&lt;b&gt;2&lt;/b&gt;");
    expect(text).toContain("evil.example");
    expect(text).toMatch(/id="e2"[^>]*>/);
    for (const [name, value] of [
      ["referrer-policy", "no-referrer"],
      ["x-robots-tag", "noindex"],
      ["cache-control", "private, no-store"],
    ] as const)
      expect(headers.get(name)).toBe(value);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
  });

  it("draws the tokens of each turn beside the context window, to whoever has the link too", async () => {
    const { text } = await open(run.path, byLink());
    const section = text.slice(text.indexOf('<section id="turns">'));
    const titles = [...section.matchAll(/<title>([^<]*)<\/title>/g)].map(([, title]) => title);
    expect(titles).toEqual([
      "Turn 1: 1,000 new input, 0 from a cache, 20 output",
      "Turn 2: 600 new input, 900 from a cache, 30 output",
    ]);
    expect(section).toContain(
      "Highest turn: 1,530 tokens. Context window: 2,000 tokens. The largest request took 77 % of it",
    );
    expect(section).toContain("<td>&lt;small&gt;</td>");
    expect(
      (await open((await pages.finished(async (task) => await say(task, "Nothing."))).path)).text,
    ).not.toContain("Tokens by turn");
  });

  it.each([
    ["passed", "checks passed"],
    ["failed", "checks failed"],
    ["none", "not checked"],
  ] as const)("says at its top how the checks ended: %s", async (state, words) => {
    const results = [{ command: "npm test", kind: "test" as const, exit_code: state === "failed" ? 1 : 0 }];
    const value = { state, results: state === "none" ? [] : results };
    const { path, cookie } = await pages.owned(
      async (task) => await task.emit({ type: "CUSTOM", name: "checks", value }),
    );
    const { text } = await open(path, { cookie });
    expect(text).toMatch(new RegExp(`· ${words}\\b`));
    expect(text.includes("failed, whatever the reply says: npm test (exit code 1)")).toBe(state === "failed");
  });

  it("bounds what it shows of a call, and leads to the rest", async () => {
    const { text } = await open(run.path, byLink());
    const rest = new RegExp(`href="(${run.path}/calls/\\d+)">Result: 860 more lines`).exec(text)?.[1] ?? "";
    const whole = await open(rest, byLink());
    expect([whole.status, whole.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(whole.text.match(/line\n/g)).toHaveLength(900);
    expect(whole.headers.get("content-security-policy")).toContain("sandbox");
    expect((await open(`${run.path}/calls/1`, byLink())).status).toBe(404);
  });

  it("gives events and patch to be saved, without what is left of the credits", async () => {
    const events = await open(`${run.path}/events`, byLink());
    expect(events.headers.get("content-disposition")).toBe(`attachment; filename="run-${run.runId}.ndjson"`);
    const stored = await pages.fixture.stream(run.runId);
    const read = events.text
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    const shown = stored.map(({ event, ...rest }) => ({
      ...rest,
      event: "name" in event && event.name === "quota" ? { type: "WITHHELD" } : event,
    }));
    expect(stored.some(({ event }) => "name" in event && event.name === "quota")).toBe(true);
    expect(read).toEqual(shown);
    const patch = await open(`${run.path}/patch`, byLink());
    expect([patch.status, patch.text]).toEqual([200, PATCH]);
  });

  it("is there for nobody else, and says so in the same words as of a run that does not exist", async () => {
    const other = await pages.finished((task) => say(task, "Another."));
    const stranger = await signInTo(pages.fixture.core, "01890000-0000-7000-8000-00000000000f");
    const nothing = await open(`${run.path.slice(0, -4)}0000`);
    expect([nothing.status, nothing.text.includes("sign in")]).toEqual([404, true]);
    const cookies: readonly Readonly<Record<string, string>>[] = [
      {},
      { cookie: pages.viewCookie(other) },
      { cookie: "run_view=svc_rv_junk" },
      { cookie: stranger.cookie },
      { cookie: `session=${run.token}` },
      { authorization: `Bearer ${run.token}` },
      { authorization: `Bearer ${(await pages.fixture.caller()).capability.hash}` },
    ];
    for (const headers of cookies) {
      for (const path of ["", "/events", "/patch", "/calls/3"]) {
        const answer = await open(run.path + path, headers);
        expect([headers, path, answer.status]).toEqual([headers, path, 404]);
        expect(answer.text).not.toContain("renamed");
      }
    }
    const elsewhere = run.path.replace(/agent\/[^/]+/, "agent/00000000-0000-4000-8000-000000000000");
    expect((await open(elsewhere, byLink())).status).toBe(404);
  });

  it("shows strangers no account, no prompt, no balance, no claim link and no other run", async () => {
    const { text } = await open(run.path, byLink());
    const { sessionId } = await pages.fixture.run(run.runId);
    for (const hidden of ["credits_remaining", "claim", "prompt", sessionId, "svc_rv_", "/settings", "go</"])
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
  });

  it("is its owner's, without any link", async () => {
    const owned = await pages.owned((task) => say(task, "Mine."));
    const answer = await open(owned.path, { cookie: owned.cookie });
    expect([answer.status, answer.text.includes("Mine.")]).toEqual([200, true]);
    expect((await open(owned.path)).status).toBe(404);
    expect((await open(owned.path, byLink())).status).toBe(404);
    expect((await open(`${owned.path}/patch`, { cookie: owned.cookie })).status).toBe(404);
  });

  it("lets its owner's socket in by the cookie, with an origin of its own alone", async () => {
    const owned = await pages.owned((task) => say(task, "Mine."));
    const read = async (headers: Readonly<Record<string, string>>) => {
      const socket = await SocketClient.open(pages.url, { headers });
      socket.send({ type: "subscribe", id: "s", run_id: owned.runId });
      const end = await Promise.race([
        socket.when("unsubscribed").then(({ reason }) => reason),
        socket.when("error").then(({ code }) => code),
      ]);
      await socket.close();
      return end;
    };
    const { cookie } = owned;
    expect(await read({ cookie, origin: pages.url })).toBe("ended");
    expect(await read({ cookie, origin: "https://allowed.example" })).toBe("unauthorized");
    expect(await read({ cookie })).toBe("unauthorized");
    await expect(read({ cookie, origin: "https://evil.example" })).rejects.toThrow("403");
    const socket = await SocketClient.open(pages.url);
    socket.send({ type: "auth", token: cookie.split("=")[1] });
    expect(await socket.when("error")).toMatchObject({ code: "unauthorized" });
  });

  it("sends a link's holder live what the page shows: no part of a secret that is said in pieces, from no cursor", async () => {
    const secret = "ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA2bC4";
    const parts = [secret.slice(0, 20), secret.slice(20)];
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    const { promise: isOpen, resolve: opened } = Promise.withResolvers<void>();
    const live = await pages.start(async (task) => {
      await callTool(task, { name: "echo", args: { text: secret }, result: `${secret}\n` });
      await task.emit(changesEvent(PATCH.replace("const one = 1;", `one = "${secret}";`), ["src/a.ts"]));
      const messageId = "m-live";
      await task.emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
      for (const delta of ["It is ", parts[0] ?? ""])
        await task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
      opened();
      await goOn;
      for (const delta of [parts[1] ?? "", "."])
        await task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
      await task.emit({ type: "TEXT_MESSAGE_END", messageId });
    });
    await isOpen;
    const { lastSeq } = await pages.fixture.until(live.runId, (record) => record.lastSeq >= 9);
    const cookie = { cookie: pages.viewCookie(live) };
    const before = [
      (await open(live.path, cookie)).text,
      (await open(`${live.path}/events`, cookie)).text,
      (await open(`${live.path}/calls/2`, cookie)).text,
    ];
    const socket = await SocketClient.open(pages.url);
    socket.send({ type: "auth", token: live.token });
    const cursors = Array.from({ length: lastSeq + 1 }, (_, after) => after);
    for (const after of cursors) {
      socket.send({ type: "subscribe", id: `s${after}`, run_id: live.runId, after });
      await socket.when("subscribed", (frame) => frame.subscription === `s${after}`);
    }
    resolve();
    for (const after of cursors)
      await socket.when("unsubscribed", (frame) => frame.subscription === `s${after}`);
    const downloaded = (await open(`${live.path}/events`, cookie)).text.trimEnd().split("\n");
    const read: readonly unknown[] = downloaded.map((line): unknown => JSON.parse(line));
    for (const after of cursors) {
      const sent = socket.events(`s${after}`).map(({ seq, at, event }) => ({ seq, at, event }));
      expect(sent).toEqual(read.filter((one) => Number((one as { seq: number }).seq) > after));
    }
    await socket.close();
    const seen = [...before, JSON.stringify(socket.frames), (await open(live.path, cookie)).text];
    for (const text of seen) for (const part of parts) expect(text).not.toContain(part);
    expect(seen.at(-1)).toContain("masked›");
    const stored = JSON.stringify(await pages.fixture.stream(live.runId));
    for (const part of parts) expect(stored).toContain(part);
  });

  it("of a run in flight has what its script needs, and reloads where there is none", async () => {
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    const { promise: isOpen, resolve: opened } = Promise.withResolvers<void>();
    const live = await pages.start(async (task) => {
      await say(task, "First.");
      const messageId = task.nextId("message");
      await task.emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
      await task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: "Half of " });
      opened();
      await goOn;
      await task.emit({ type: "TEXT_MESSAGE_END", messageId });
    });
    await isOpen;
    await pages.fixture.until(live.runId, ({ lastSeq }) => lastSeq >= 6);
    const { text } = await open(live.path, { cookie: pages.viewCookie(live) });
    resolve();
    expect(text).toContain('<noscript><meta http-equiv="refresh" content="5"></noscript>');
    // Read again from before the message that is open still.
    expect(text).toContain('data-next="4"');
    expect(text).toContain(`data-view="${live.token}"`);
    expect(text).toMatch(/<title>▶️ Running<\/title>/);
    await pages.fixture.ended(live.runId);
    const ended = await open(live.path, { cookie: pages.viewCookie(live) });
    expect(ended.text).not.toMatch(/data-view|data-next|refresh/);
  });
});
