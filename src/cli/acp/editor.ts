// The port of a session to its editor: to show updates, to ask its person, to read and write files that it has open.

import type {
  AgentContext,
  ClientCapabilities,
  ElicitationPropertySchema,
  PermissionOption,
  SessionUpdate,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";

export type Editor = {
  /** Rejects where the editor is gone. */
  tell(update: SessionUpdate): Promise<void>;
  /** The option that the person chose; null where they chose none. */
  askPermission(
    request: { readonly toolCall: ToolCallUpdate; readonly options: readonly PermissionOption[] },
    signal: AbortSignal,
  ): Promise<string | null>;
  /** The words that the person wrote; null where they wrote none, undefined where the editor has no form for it. */
  askWords(question: string, signal: AbortSignal): Promise<string | null | undefined>;
  /** What the editor has of a file, unsaved changes included. Null: nothing, or it does not say. */
  readText(path: string): Promise<string | null>;
  /** Null: the editor writes no files. */
  readonly writeText: ((path: string, content: string) => Promise<void>) | null;
};

const WORDS = "answer";

export function editorOf(
  client: AgentContext,
  { sessionId, can }: { readonly sessionId: string; readonly can: ClientCapabilities },
): Editor {
  return {
    tell: (update) => client.notify(methods.client.session.update, { sessionId, update }),
    askPermission: async ({ toolCall, options }, signal) => {
      const asked = client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall,
        options: [...options],
      });
      const { outcome } = await unlessAborted(asked, signal);
      return outcome.outcome === "selected" ? outcome.optionId : null;
    },
    askWords: async (question, signal) => {
      if (can.elicitation?.form == null) return undefined;
      const answer: ElicitationPropertySchema = { type: "string", title: "Answer" };
      const asked = client.request(methods.client.elicitation.create, {
        sessionId,
        mode: "form",
        message: question,
        requestedSchema: { type: "object", properties: { [WORDS]: answer }, required: [WORDS] },
      });
      const given = await unlessAborted(asked, signal);
      const content = given.action === "accept" && "content" in given ? given.content : null;
      const words = typeof content === "object" && content !== null ? Reflect.get(content, WORDS) : null;
      return typeof words === "string" && words.trim() !== "" ? words : null;
    },
    readText: async (path) => {
      if (can.fs?.readTextFile !== true) return null;
      // Of a file that it does not find, or takes for none of text, it says so by an error.
      const read = client.request(methods.client.fs.readTextFile, { sessionId, path });
      return await read.then(({ content }) => content).catch(() => null);
    },
    writeText:
      can.fs?.writeTextFile === true
        ? async (path, content) => {
            await client.request(methods.client.fs.writeTextFile, { sessionId, path, content });
          }
        : null,
  };
}

/** Rejects with the signal's reason. What is asked may be answered later, and nobody listens. */
async function unlessAborted<Value>(asked: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([asked, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    asked.catch(() => {});
  }
}
