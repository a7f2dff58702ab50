// An agent of ACP that does what its script says, as a process of its own: `node acp-agent.ts`, the script as JSON in
// the file ACP_SCRIPT, in which $CWD is where it was started and $HOME its home. What it is asked and answered goes to
// the file ACP_HEARD, a line of JSON each.

import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import {
  type AgentContext,
  agent,
  type McpServer,
  ndJsonStream,
  RequestError,
} from "@agentclientprotocol/sdk";
import type { GatewayUse } from "./gateway-client.ts";

export type AgentStep =
  /** An update of the session, as it goes over the wire. */
  | { readonly do: "update"; readonly update: Readonly<Record<string, unknown>> }
  | {
      readonly do: "ask";
      readonly toolCall: Readonly<Record<string, unknown>>;
      readonly offered: readonly string[];
    }
  | { readonly do: "read"; readonly path: string; readonly line?: number; readonly limit?: number }
  | { readonly do: "write"; readonly path: string; readonly content: string }
  /** Whether a file is there for it to read. */
  | { readonly do: "look"; readonly path: string }
  /** Bytes that are no message. */
  | { readonly do: "print"; readonly text: string; readonly times?: number }
  | { readonly do: "complain"; readonly text: string }
  /** Starts something that outlives it: in its group, or in one of its own. */
  | { readonly do: "leave"; readonly detached: boolean }
  /** Writes files, with a child that does too, again and again until they are ended; makes the folder when it is gone. */
  | { readonly do: "scribble"; readonly folder: string }
  /** Takes what it should not: memory or processes, it and its children together; or the disk. */
  | { readonly do: "take"; readonly what: "memory" | "processes" | "disk"; readonly folder: string }
  /** Notes what a shell printed. */
  | { readonly do: "execute"; readonly command: string }
  /** Says what a shell printed. */
  | { readonly do: "show"; readonly command: string }
  /** Requests something of its model, by AGENT_MODEL_URL with the key AGENT_MODEL_KEY, as often at once as `times` says. */
  | {
      readonly do: "request";
      readonly path: string;
      readonly body?: unknown;
      readonly method?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly times?: number;
      /** Says so as soon as the answer begins. */
      readonly tellsBeginning?: true;
    }
  /** Calls tools of the first MCP server that its session has, and notes what it was answered; `reports`: its client is told, as agents do. */
  | ({ readonly do: "mcp"; readonly reports?: true } & GatewayUse)
  | { readonly do: "exit"; readonly code: number }
  | { readonly do: "hang" }
  /** Waits to be cancelled, then ends the turn so. */
  | { readonly do: "wait" }
  | { readonly do: "fail"; readonly code: number; readonly message: string }
  | { readonly do: "tell"; readonly name: string }
  | { readonly do: "stop"; readonly answer: Readonly<Record<string, unknown>> };

export type AgentScript = {
  /** When it is started, before a word. */
  readonly start?: readonly AgentStep[];
  readonly initialized?: Readonly<Record<string, unknown>>;
  readonly wantsLogin?: boolean;
  /** The mode that its sessions begin in. Without one it has no modes. */
  readonly mode?: string;
  /** Instead of ending when it is asked to. */
  readonly isDeaf?: boolean;
  readonly turn?: readonly AgentStep[];
};

const SESSION = "session-1";

function scribble(folder: string, name: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}-${Date.now()}`, "x");
}

/** Programs of their own: each gets a folder. */
const scribbling = `const { mkdirSync, writeFileSync } = require("node:fs");
${scribble.toString()}
process.on("SIGTERM", () => {});
setInterval(() => scribble(process.argv[1], "child"), 1);`;
const greedy = {
  memory: "const held = []; setInterval(() => held.push(Buffer.alloc(4194304, 1)), 5)",
  processes: "setInterval(() => {}, 60000)",
  disk: `const { appendFileSync } = require("node:fs");
setInterval(() => appendFileSync(process.argv[1] + "/" + process.pid, Buffer.alloc(4194304, 1)), 5)`,
};

async function main(): Promise<void> {
  const text = readFileSync(process.env.ACP_SCRIPT ?? "", "utf8");
  const script = JSON.parse(
    text.replaceAll("$CWD", process.cwd()).replaceAll("$HOME", process.env.HOME ?? ""),
  ) as AgentScript;
  const heard = process.env.ACP_HEARD ?? "/dev/null";
  const note = (what: string, value: unknown) =>
    appendFileSync(heard, `${JSON.stringify({ what, value })}\n`);
  const cancelled = Promise.withResolvers<void>();
  if (script.isDeaf === true) process.on("SIGTERM", () => note("SIGTERM", null));
  note("started", { cwd: process.cwd(), env: process.env, pid: process.pid });
  let servers: readonly McpServer[] = [];
  let isLoggedIn = script.wantsLogin !== true;

  const take = async (
    step: AgentStep,
    peer: AgentContext | null,
  ): Promise<Record<string, unknown> | undefined> => {
    switch (step.do) {
      case "update":
        await peer?.notify("session/update", { sessionId: SESSION, update: step.update } as never);
        return;
      case "ask": {
        const options = step.offered.map((kind) => ({ optionId: `id-${kind}`, name: kind, kind }));
        const request = { sessionId: SESSION, toolCall: step.toolCall, options } as never;
        note("permission", await peer?.request("session/request_permission", request));
        return;
      }
      case "read": {
        const { path, line, limit } = step;
        const answer = peer?.request("fs/read_text_file", { sessionId: SESSION, path, line, limit } as never);
        note("read", await answer?.catch(refusalOf));
        return;
      }
      case "write": {
        const answer = peer?.request("fs/write_text_file", {
          sessionId: SESSION,
          ...withoutDo(step),
        } as never);
        note("write", await answer?.catch(refusalOf));
        return;
      }
      case "look":
        note("look", existsSync(step.path));
        return;
      case "print":
        for (let time = 0; time < (step.times ?? 1); time += 1) process.stdout.write(step.text);
        return;
      case "complain":
        await new Promise((resolve) => process.stderr.write(step.text, resolve));
        return;
      case "leave": {
        const args = ["-e", "setInterval(() => {}, 1000)", process.cwd()];
        const child = spawn(process.execPath, args, { detached: step.detached, stdio: "inherit" });
        note("left", child.pid);
        return;
      }
      case "scribble": {
        const args = ["-e", scribbling, step.folder];
        const child = spawn(process.execPath, args, { detached: true, stdio: "inherit" });
        note("scribbles", child.pid);
        setInterval(() => scribble(step.folder, "agent"), 1);
        return;
      }
      case "take":
        for (const greed of Array.from(
          { length: step.what === "processes" ? 40 : 3 },
          () => greedy[step.what],
        ))
          spawn(process.execPath, ["-e", greed, step.folder], { detached: true, stdio: "inherit" });
        return;
      case "execute":
        note("executed", spawnSync("/bin/sh", ["-c", step.command], { encoding: "utf8" }).stdout);
        return;
      case "show": {
        const { stdout } = spawnSync("/bin/sh", ["-c", step.command], { encoding: "utf8" });
        const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: stdout } };
        await peer?.notify("session/update", { sessionId: SESSION, update } as never);
        return;
      }
      case "request": {
        const answers = await Promise.all(
          Array.from({ length: step.times ?? 1 }, () => requestModel(step, peer)),
        );
        for (const answer of answers) note("answer", answer);
        return;
      }
      case "mcp": {
        const { useGateway } = await import("./gateway-client.ts");
        const [server] = servers;
        if (server === undefined) {
          note("mcp", null);
          return;
        }
        const tell = async (status: string) => {
          if (step.reports !== true) return;
          for (const [at, { name, input: rawInput = {} }] of step.calls.entries()) {
            const toolCallId = `mcp-${name}-${at}`;
            const update = {
              toolCallId,
              title: `mcp__${server.name}__${name}`,
              kind: "other",
              rawInput,
              status,
            };
            const sessionUpdate = status === "in_progress" ? "tool_call" : "tool_call_update";
            await peer?.notify("session/update", {
              sessionId: SESSION,
              update: { sessionUpdate, ...update },
            } as never);
          }
        };
        await tell("in_progress");
        note("mcp", await useGateway(server, step).catch((cause: unknown) => ({ error: String(cause) })));
        await tell("completed");
        return;
      }
      case "exit":
        process.exit(step.code);
        break;
      case "hang":
        await new Promise(() => setInterval(() => undefined, 60_000));
        return;
      case "wait":
        await cancelled.promise;
        return { stopReason: "cancelled" };
      case "fail":
        throw new RequestError(step.code, step.message);
      case "tell":
        note(step.name, null);
        return;
      case "stop":
        return step.answer;
    }
  };

  for (const step of script.start ?? []) await take(step, null);
  agent({ name: "scripted" })
    .onRequest("initialize", ({ params }) => {
      note("initialize", params);
      return { protocolVersion: 1, agentCapabilities: {}, ...script.initialized };
    })
    .onRequest("authenticate", ({ params }) => {
      note("authenticate", params);
      isLoggedIn = true;
      return {};
    })
    .onRequest("session/new", ({ params }) => {
      note("session/new", params);
      servers = params.mcpServers;
      if (!isLoggedIn) throw RequestError.authRequired();
      const modes = { currentModeId: script.mode, availableModes: [{ id: script.mode, name: "Own" }] };
      return { sessionId: SESSION, ...(script.mode === undefined ? {} : { modes }) } as never;
    })
    .onRequest("session/set_mode", ({ params }) => {
      note("session/set_mode", params);
      return {};
    })
    .onNotification("session/cancel", () => {
      note("session/cancel", null);
      if (script.isDeaf !== true) cancelled.resolve();
    })
    .onRequest("session/prompt", async ({ params, client: peer }) => {
      note("session/prompt", params);
      for (const step of script.turn ?? []) {
        const answer = await take(step, peer);
        if (answer !== undefined) return answer as never;
      }
      return { stopReason: "end_turn" as const };
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
        Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>,
      ),
    );
}

async function requestModel(
  step: Extract<AgentStep, { do: "request" }>,
  peer: AgentContext | null,
): Promise<unknown> {
  const { path, body, method = "POST", headers = {} } = step;
  try {
    const answer = await fetch(`${process.env.AGENT_MODEL_URL}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${process.env.AGENT_MODEL_KEY}`,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      if (text === "" && step.tellsBeginning === true) await tellBeginning(peer);
      text += decoder.decode(chunk, { stream: true });
    }
    return { status: answer.status, text };
  } catch (cause) {
    return { error: String(cause), cause: String((cause as Error).cause) };
  }
}

async function tellBeginning(peer: AgentContext | null): Promise<void> {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "It begins." } };
  await peer?.notify("session/update", { sessionId: SESSION, update } as never);
}

function refusalOf({ message, code }: Error & { readonly code?: number }): object {
  return { error: message, code };
}

function withoutDo({ do: _, ...rest }: AgentStep): object {
  return rest;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
