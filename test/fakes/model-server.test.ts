import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  generateText,
  isStepCount,
  type LanguageModel,
  type ModelMessage,
  streamText,
  type TextStreamPart,
  type ToolSet,
  tool,
} from "ai";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { anthropicPrefix } from "../../fakes/model-server/history-anthropic.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from "../../fakes/model-server/model-server.ts";
import { byTurn, type Script } from "../../fakes/model-server/script.ts";
import { editTestFix, sumProject } from "../../fakes/model-server/stories.ts";
import { sealThought } from "../../fakes/model-server/thought-seals.ts";
import {
  answer,
  breakOff,
  call,
  callRaw,
  fault,
  ping,
  reset,
  say,
  stall,
  think,
  wait,
} from "../../fakes/model-server/turn.ts";

const echo = tool({
  description: "Says it louder.",
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => text.toUpperCase(),
});

const providers = {
  openai: (server: ModelServer, model: string): LanguageModel =>
    createOpenAICompatible({
      name: "scripted",
      baseURL: server.baseUrl,
      apiKey: "a-key",
      includeUsage: true,
    })(model),
  anthropic: (server: ModelServer, model: string): LanguageModel =>
    createAnthropic({ baseURL: server.baseUrl, apiKey: "a-key" })(model),
};

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(script: Script, options: Omit<ModelServerOptions, "script"> = {}): Promise<ModelServer> {
  const server = await startModelServer({ script, ...options });
  servers.push(server);
  return server;
}

describe.each(Object.entries(providers))(
  "the scripted model, by the AI SDK's provider %s",
  (name, provide) => {
    type Asking = { prompt?: string; tools?: ToolSet; signal?: AbortSignal; maxRetries?: number };

    function ask(
      server: ModelServer,
      { prompt = "Hello", tools = { echo }, signal, maxRetries = 0 }: Asking = {},
    ) {
      return streamText({
        model: provide(server, "claude-sonnet-4-5"),
        instructions: "Be brief.",
        prompt,
        tools,
        stopWhen: isStepCount(10),
        maxRetries,
        onError: () => {},
        providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
        ...(signal === undefined ? {} : { abortSignal: signal }),
      });
    }

    it("says a text in pieces, and records who asked what", async () => {
      const server = await serve([say("A sentence longer than one piece.")]);
      const { stream } = ask(server);
      const parts = await collect(stream);
      const deltas = parts.flatMap((part) => (part.type === "text-delta" ? [part.text] : []));
      expect(deltas.join("")).toBe("A sentence longer than one piece.");
      expect(deltas.length).toBeGreaterThan(1);
      expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
      expect(server.systemPrompt()).toBe("Be brief.");
      expect(server.requests).toHaveLength(1);
      expect(server.requests[0]).toMatchObject({
        apiKey: "a-key",
        model: "claude-sonnet-4-5",
        stream: true,
        messages: [{ role: "user", text: "Hello" }],
        tools: [{ name: "echo", description: "Says it louder." }],
        body: { model: "claude-sonnet-4-5" },
      });
      expect(await server.requests[0]?.ended).toBe("answered");
    });

    it("calls tools in parallel, and the script sees their results", async () => {
      const server = await serve([
        [
          think("Both at once is quicker."),
          say("One moment."),
          call("echo", { text: "first" }),
          call("echo", { text: "second" }),
        ],
        ({ toolResults }) => say(toolResults.map(({ tool: from, text }) => `${from}: ${text}`).join(", ")),
      ]);
      const result = ask(server);
      expect(await result.text).toBe("echo: FIRST, echo: SECOND");
      const [first] = await result.steps;
      expect(first?.reasoningText).toBe("Both at once is quicker.");
      expect(first?.toolCalls.map(({ input }) => input)).toEqual([{ text: "first" }, { text: "second" }]);
      expect(server.toolResults()).toMatchObject([
        { callId: "call_1", tool: "echo", text: "FIRST", isError: false },
        { callId: "call_2", tool: "echo", text: "SECOND", isError: false },
      ]);
      // The thought goes back with the history, with its signature where the wire has one.
      const history = server.requests[1]?.messages[1];
      const signature =
        name === "anthropic"
          ? sealThought("Both at once is quicker.", anthropicPrefix(server.requests[0]?.body))
          : null;
      expect(history).toMatchObject({ thoughts: [{ text: "Both at once is quicker.", signature }] });
    });

    it("counts as told", async () => {
      const usage = {
        input: 1_000,
        output: 50,
        cacheRead: 600,
        cacheWrite: name === "anthropic" ? 100 : 0,
        reasoning: 12,
      };
      const server = await serve([answer([say("Counted.")], { usage })]);
      expect(await ask(server).usage).toMatchObject({
        inputTokens: 1_000,
        inputTokenDetails: { noCacheTokens: 400 - usage.cacheWrite, cacheReadTokens: 600 },
        outputTokens: 50,
        outputTokenDetails: { textTokens: 38, reasoningTokens: 12 },
        totalTokens: 1_050,
      });
    });

    it("answers without a stream just the same", async () => {
      const server = await serve([
        answer([think("Hm."), say("Calling."), call("echo", { text: "a" })], {
          usage: { input: 7, output: 5 },
        }),
        say("Done."),
      ]);
      const result = await generateText({
        model: provide(server, "claude-sonnet-4-5"),
        prompt: "Hello",
        tools: { echo },
        stopWhen: isStepCount(3),
      });
      expect(result.text).toBe("Done.");
      expect(result.steps[0]).toMatchObject({
        text: "Calling.",
        reasoningText: "Hm.",
        finishReason: "tool-calls",
        usage: { inputTokens: 7, outputTokens: 5 },
      });
      expect(server.requests.map(({ stream }) => stream)).toEqual([false, false]);
    });

    it.each([
      ["length", "length"],
      ["filter", "content-filter"],
    ] as const)("stops for %s", async (stop, finishReason) => {
      const server = await serve([answer([say("Only so")], { stop })]);
      expect(await ask(server).finishReason).toBe(finishReason);
    });

    it("refuses with 429, and the SDK asks again after the time it names", async () => {
      const server = await serve([
        fault({ status: 429, retryAfter: 0 }),
        fault({ status: 529, retryAfter: 0 }),
        say("Now."),
      ]);
      expect(await ask(server, { maxRetries: 2 }).text).toBe("Now.");
      expect(server.requests).toHaveLength(3);
    });

    it("fails for good with 400, whose message arrives", async () => {
      const server = await serve([fault({ status: 400, message: "Too many pigeons." }), say("Never.")]);
      const parts = await collect(ask(server, { maxRetries: 2 }).stream);
      expect(parts).toMatchObject([
        { type: "start" },
        { type: "error", error: { statusCode: 400, message: "Too many pigeons.", isRetryable: false } },
      ]);
      expect(server.requests).toHaveLength(1);
    });

    it.each([
      { type: "events", count: 3 },
      { type: "bytes", count: 700 },
    ] as const)("cuts the connection after $count $type, which the stream throws", async (cut) => {
      const server = await serve([
        answer([say("A text that is long enough to be cut. ".repeat(20))], { cut }),
      ]);
      await expect(collect(ask(server).stream)).rejects.toMatchObject({
        name: "AI_APICallError",
        isRetryable: true,
      });
      expect(await server.requests[0]?.ended).toBe("cut");
    });

    it("closes a stream too early without cutting it: no exception, but a reason of its own", async () => {
      const server = await serve([
        answer([say("A text that is long enough to be cut.")], {
          cut: { type: "events", count: 4, how: "end" },
        }),
      ]);
      const parts = await collect(ask(server).stream);
      const expected = name === "openai" ? "error" : "interrupted";
      expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: expected });
    });

    it("reports the API's own error in the middle of a stream", async () => {
      const server = await serve([[say("Half of "), ping(), breakOff("overloaded_error", "Overloaded")]]);
      const parts = await collect(ask(server).stream);
      expect(parts.find(({ type }) => type === "error")).toMatchObject({ error: { message: "Overloaded" } });
      expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: "error" });
    });

    it("cuts before the first byte, which the SDK may repeat", async () => {
      const server = await serve([reset()]);
      const parts = await collect(ask(server).stream);
      expect(parts.at(-1)).toMatchObject({ type: "error", error: { isRetryable: true } });
    });

    it.each([
      ["cut off", callRaw("echo", '{"text": "a'), '{"text": "a'],
      ["of another shape", call("echo", { text: 5 }), { text: 5 }],
      ["for a tool that nobody offered", call("rm", { path: "/" }), { path: "/" }],
    ])("garbles arguments: %s are an invalid call, answered with an error", async (_, part, input) => {
      const server = await serve([part, say("Sorry.")]);
      const result = ask(server);
      const parts = await collect(result.stream);
      expect(parts.find(({ type }) => type === "tool-call")).toMatchObject({
        invalid: true,
        dynamic: true,
        input,
      });
      expect(parts.filter(({ type }) => type === "tool-error")).toHaveLength(1);
      expect(server.toolResults()).toHaveLength(1);
      expect(server.toolResults()[0]?.text).toMatch(/Invalid input|unavailable tool/);
      expect(await result.text).toBe("Sorry.");
    });

    it("goes on when the test lets it", async () => {
      const gate = Promise.withResolvers<void>();
      const server = await serve([[say("Wait"), wait(gate.promise), say(" for it.")]]);
      const seen: string[] = [];
      for await (const delta of ask(server).textStream) {
        seen.push(delta);
        gate.resolve();
      }
      expect(seen).toEqual(["Wait", " for it."]);
    });

    it("sees an abort in the middle of a stream", async () => {
      const server = await serve([[say("Wait"), wait(new Promise(() => {})), say("Never.")]]);
      const stop = new AbortController();
      const parts: string[] = [];
      for await (const part of ask(server, { signal: stop.signal }).stream) {
        parts.push(part.type);
        if (part.type === "text-delta") stop.abort();
      }
      expect(parts.at(-1)).toBe("abort");
      expect(await server.requests[0]?.ended).toBe("hung-up");
    });

    it("stalls until it is released, or until the caller leaves", async () => {
      const gate = Promise.withResolvers<void>();
      const server = await serve(({ firstUserMessage }) => [
        firstUserMessage === "Hello" ? stall(gate.promise, say("At last.")) : stall(),
      ]);
      const patient = ask(server).text;
      await server.arrival(1);
      const stop = new AbortController();
      const leaving = collect(ask(server, { prompt: "Bye", signal: stop.signal }).stream);
      const left = await server.arrival(2);
      stop.abort();
      expect((await leaving).at(-1)).toMatchObject({ type: "abort" });
      expect(await left.ended).toBe("hung-up");
      gate.resolve();
      expect(await patient).toBe("At last.");
    });

    it("holds 50 conversations at once, each in its own place of its script", async () => {
      const server = await serve(function* ({ firstUserMessage }) {
        yield call("echo", { text: firstUserMessage });
        yield (request) => say(`${request.toolResults[0]?.text} after ${request.assistantTurns}`);
      });
      const prompts = Array.from({ length: 50 }, (_, index) => `run ${index}`);
      const texts = await Promise.all(prompts.map((prompt) => ask(server, { prompt }).text));
      expect(texts).toEqual(prompts.map((prompt) => `${prompt.toUpperCase()} after 1`));
      expect(server.toolResults("run 7").map(({ text }) => text)).toEqual(["RUN 7"]);
    });

    it("plays one story to many runs that use the same words", async () => {
      const server = await serve(byTurn([call("echo", { text: "a" }), say("Done.")]));
      const texts = await Promise.all(Array.from({ length: 10 }, () => ask(server).text));
      expect(texts).toEqual(Array.from({ length: 10 }, () => "Done."));
      expect(server.requests).toHaveLength(20);
    });

    it("is driven one step at a time, by a loop that keeps the history itself", async () => {
      const server = await serve([[think("Look first."), call("echo", { text: "a" })], say("Seen.")]);
      const { execute: _, ...offered } = echo;
      const messages: ModelMessage[] = [{ role: "user", content: "Hello" }];
      const step = () =>
        streamText({ model: provide(server, "claude-sonnet-4-5"), messages, tools: { echo: offered } });
      const first = step();
      const [made] = await first.toolCalls;
      messages.push(...(await first.responseMessages));
      const output = { type: "error-text", value: "Not here." } as const;
      const result = {
        type: "tool-result",
        toolCallId: made?.toolCallId ?? "",
        toolName: "echo",
        output,
      } as const;
      messages.push({ role: "tool", content: [result] });
      expect(await step().text).toBe("Seen.");
      const isError = name === "anthropic";
      expect(server.toolResults()).toMatchObject([{ tool: "echo", text: "Not here.", isError }]);
    });

    it("fails when it is asked once more than its script has turns", async () => {
      const server = await serve([call("echo", { text: "a" })]);
      expect((await collect(ask(server, { maxRetries: 2 }).stream)).at(-1)).toMatchObject({
        type: "error",
        error: { statusCode: 400, message: expect.stringContaining("no turn left") },
      });
    });

    it("plays a whole repair: reads, edits, sees the test fail, mends, reports", async () => {
      const folder = await mkdtemp(join(tmpdir(), "model-story-"));
      const run = (command: string) =>
        new Promise<string>((resolve) => {
          const [, ...args] = command.split(" ");
          execFile(process.execPath, args, { cwd: folder }, (_, stdout, stderr) => resolve(stdout + stderr));
        });
      const path = z.object({ path: z.string() });
      const tools = {
        read_file: tool({
          inputSchema: path,
          execute: (input) => readFile(join(folder, input.path), "utf8"),
        }),
        write_file: tool({
          inputSchema: z.object({ path: z.string(), content: z.string() }),
          execute: async (input) => {
            await writeFile(join(folder, input.path), input.content);
            return "Written.";
          },
        }),
        run_command: tool({
          inputSchema: z.object({ command: z.string() }),
          execute: ({ command }) => run(command),
        }),
      };
      try {
        for (const [file, content] of Object.entries(sumProject))
          await writeFile(join(folder, file), content);
        const server = await serve(editTestFix());
        const result = ask(server, { prompt: "Mend the sum.", tools });
        expect(await result.text).toBe("`sum` subtracted. It adds now, and its test passes.");
        expect(await run("node sum.test.mjs")).toBe("all good\n");
        const tests = server.toolResults().filter(({ tool: from }) => from === "run_command");
        expect(tests.map(({ text }) => text.includes("2 and 3 make 5"))).toEqual([true, false]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  },
);

async function collect(stream: AsyncIterable<TextStreamPart<ToolSet>>): Promise<TextStreamPart<ToolSet>[]> {
  const parts: TextStreamPart<ToolSet>[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
