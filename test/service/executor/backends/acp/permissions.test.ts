import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  type PermissionPolicy,
  permissionKinds,
} from "../../../../../src/service/executor/backends/acp/settings.ts";
import type { AgentStep } from "../../../../support/acp-agent.ts";
import { closeFixtures, runAgent } from "../../../../support/fixtures/acp-fixture.ts";

afterAll(closeFixtures);

const every = ["allow_always", "allow_once", "reject_always", "reject_once"];

function policy(
  answers: Partial<Record<(typeof permissionKinds)[number], "allow" | "reject">>,
): PermissionPolicy {
  const all = Object.fromEntries(permissionKinds.map((kind) => [kind, "reject"] as const));
  return { ...(all as Record<(typeof permissionKinds)[number], "reject">), ...answers };
}

async function ask(
  permissions: PermissionPolicy,
  { kind, offered = every, after = [] }: { kind?: string; offered?: string[]; after?: AgentStep[] } = {},
) {
  const run = await runAgent({
    settings: { permissions },
    turn: [
      { do: "ask", toolCall: { toolCallId: "c", title: "it", ...(kind ? { kind } : {}) }, offered },
      ...after,
    ],
  });
  const results = run.events.flatMap((event) => (event.type === "TOOL_CALL_RESULT" ? [event.content] : []));
  return { ...run, results, permission: run.answer("permission") };
}

const chosen = (kind: string) => ({ outcome: { outcome: "selected", optionId: `id-${kind}` } });
const end = (status: string): AgentStep => ({
  do: "update",
  update: { sessionUpdate: "tool_call_update", toolCallId: "c", status, rawOutput: "the end" },
});

describe("a permission that an agent asks for", () => {
  it.each<[PermissionPolicy, string | undefined, string]>([
    ["allow", "execute", "allow_once"],
    ["reject", "read", "reject_once"],
    [policy({ edit: "allow" }), "edit", "allow_once"],
    [policy({ edit: "allow" }), "delete", "reject_once"],
    [policy({ other: "allow" }), "switch_mode", "allow_once"],
    [policy({ other: "allow" }), undefined, "allow_once"],
    [policy({ read: "allow" }), undefined, "reject_once"],
  ])("is answered by the policy %j for %s with %s", async (permissions, kind, answer) => {
    const { permission } = await ask(permissions, kind === undefined ? {} : { kind });
    expect(permission).toEqual(chosen(answer));
  });

  it("is given for good where it cannot be given once", async () => {
    const { permission } = await ask("allow", { offered: ["reject_once", "allow_always"] });
    expect(permission).toEqual(chosen("allow_always"));
  });

  it("is cancelled where nothing that was offered says what the policy says", async () => {
    const { permission } = await ask("reject", { offered: ["allow_once"] });
    expect(permission).toEqual({ outcome: { outcome: "cancelled" } });
  });

  it("is seen in the result of its call", async () => {
    const allowed = await ask("allow", { kind: "execute", after: [end("completed")] });
    expect(allowed.results).toEqual(["[permission to execute: allowed by this service's policy]\nthe end"]);
    const rejected = await ask("reject", { kind: "execute", after: [end("failed")] });
    expect(rejected.results).toEqual([
      "error: [permission to execute: rejected by this service's policy]\nthe end",
    ]);
  });

  it("leaves what it shows of the call out of the result", async () => {
    const content = [{ type: "content", content: { type: "text", text: "may I?" } }];
    const { events } = await runAgent({
      turn: [
        { do: "ask", toolCall: { toolCallId: "c", title: "it", kind: "execute", content }, offered: every },
        end("completed"),
      ],
    });
    expect(events.at(-1)).toMatchObject({
      content: "[permission to execute: allowed by this service's policy]\nthe end",
    });
  });

  it("is seen also where the agent says no more of a call that it was denied", async () => {
    const { results, outcome } = await ask("reject", {
      kind: "edit",
      after: [{ do: "stop", answer: { stopReason: "cancelled" } }],
    });
    expect(results).toEqual(["error: [permission to edit: rejected by this service's policy]"]);
    expect(outcome).toEqual({ stopReason: "end_turn" });
  });

  it("is asked with the kind that the call was started with", async () => {
    const start: AgentStep = {
      do: "update",
      update: { sessionUpdate: "tool_call", toolCallId: "c", title: "it", kind: "edit", status: "pending" },
    };
    const { answer } = await runAgent({
      settings: { permissions: policy({ edit: "allow" }) },
      turn: [start, { do: "ask", toolCall: { toolCallId: "c" }, offered: every }],
    });
    expect(answer("permission")).toEqual(chosen("allow_once"));
  });
});

describe("a file that an agent asks us for", () => {
  const text: AgentStep = {
    do: "update",
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } },
  };

  it("is read, whole or by lines", async () => {
    const read = (fields: object): AgentStep => ({ do: "read", path: "$ROOT/src/a.txt", ...fields });
    const { heard } = await runAgent({
      files: { "src/a.txt": "one\ntwo\nthree\n" },
      turn: [
        read({}),
        read({ line: 2, limit: 1 }),
        read({ line: 3 }),
        read({ limit: 1 }),
        read({ line: 9 }),
        text,
      ],
    });
    const contents = heard.filter(({ what }) => what === "read").map(({ value }) => value);
    expect(contents).toEqual(
      ["one\ntwo\nthree\n", "two\n", "three\n", "one\n", ""].map((content) => ({ content })),
    );
  });

  it("is written, its folders made", async () => {
    const { checkout, heard } = await runAgent({
      files: { "a.txt": "something longer" },
      turn: [
        { do: "write", path: "$ROOT/a.txt", content: "new" },
        { do: "write", path: "$ROOT/deep/er/b.txt", content: "b" },
        text,
      ],
    });
    expect(heard.filter(({ what }) => what === "write").map(({ value }) => value)).toEqual([{}, {}]);
    expect(await readFile(join(checkout.root, "a.txt"), "utf8")).toBe("new");
    expect(await readFile(join(checkout.root, "deep/er/b.txt"), "utf8")).toBe("b");
  });

  it.each([
    ["/etc/passwd", /is not in the checkout/],
    ["$ROOT/../outside", /must not hold "\.\."/],
    ["$ROOT-neighbour/a", /is not in the checkout/],
    ["a.txt", /is not in the checkout/],
    ["$ROOT/.git/config", /git's own folder/],
    ["$ROOT/src/.GIT/hooks/x", /git's own folder/],
    ["$ROOT/link/hosts", /leads out of the repository|is refused/],
    ["$ROOT/folder", /is not a file|it is a folder/],
    ["$ROOT/nul\0", /holds a NUL/],
  ])("is refused at %s", async (path, message) => {
    const { heard } = await runAgent({
      files: { "folder/a.txt": "a" },
      prepare: (root) => symlink("/etc", join(root, "link")),
      turn: [{ do: "read", path }, { do: "write", path, content: "x" }, text],
    });
    const answers = heard.filter(({ what }) => what === "read" || what === "write");
    expect(answers).toEqual([
      { what: "read", value: { error: expect.stringMatching(message), code: -32602 } },
      { what: "write", value: { error: expect.stringMatching(message), code: -32602 } },
    ]);
  });

  it("is named as missing in the protocol's words where there is none, and can be made then", async () => {
    const { heard, checkout } = await runAgent({
      files: { "a.txt": "a" },
      turn: [{ do: "read", path: "$ROOT/b.txt" }, { do: "write", path: "$ROOT/b.txt", content: "b" }, text],
    });
    expect(heard.find(({ what }) => what === "read")?.value).toEqual({
      error: 'Resource not found: There is no file or folder "b.txt" in the repository.',
      code: -32002,
    });
    expect(await readFile(join(checkout.root, "b.txt"), "utf8")).toBe("b");
  });

  it("is not written through a link, and not beyond the limit", async () => {
    const { heard, checkout } = await runAgent({
      files: { "a.txt": "kept" },
      prepare: (root) => symlink("a.txt", join(root, "link.txt")),
      turn: [
        { do: "write", path: "$ROOT/link.txt", content: "x" },
        { do: "write", path: "$ROOT/big.txt", content: "x".repeat(5_000_001) },
        text,
      ],
    });
    expect(heard.filter(({ what }) => what === "write").map(({ value }) => value)).toEqual([
      { error: expect.stringContaining("it is a symbolic link"), code: -32602 },
      { error: expect.stringContaining("at most 5000000 are written"), code: -32602 },
    ]);
    expect(await readFile(join(checkout.root, "a.txt"), "utf8")).toBe("kept");
  });

  it("is neither read nor written where the policy says no", async () => {
    const { heard } = await runAgent({
      files: { "a.txt": "a" },
      settings: { permissions: policy({ execute: "allow" }) },
      turn: [{ do: "read", path: "$ROOT/a.txt" }, { do: "write", path: "$ROOT/a.txt", content: "x" }, text],
    });
    expect(heard.filter(({ what }) => ["read", "write"].includes(what)).map(({ value }) => value)).toEqual([
      { error: expect.stringContaining("policy does not let agents read files"), code: -32602 },
      { error: expect.stringContaining("policy does not let agents edit files"), code: -32602 },
    ]);
  });
});
