// Clients of AG-UI as applications have them: `HttpAgent` of 1.0.0, and of 0.0.59, which CopilotKit's runtime pins. Each reads and
// verifies the stream by itself.

import { HttpAgent as NewAgent } from "@ag-ui/client";
import { HttpAgent as OldAgent } from "ag-ui-client-0";

/** An event as a client hands it on. */
export type ClientEvent = { readonly type: string; readonly [field: string]: unknown };

export type Asked = {
  readonly runId?: string;
  /** What the user says. Left out: nothing is added to the conversation. */
  readonly message?: string;
  readonly context?: readonly { readonly description: string; readonly value: string }[];
  readonly forwardedProps?: Readonly<Record<string, unknown>>;
  readonly resume?: readonly {
    readonly interruptId: string;
    readonly status: "resolved" | "cancelled";
    readonly payload?: unknown;
  }[];
  /** Called at each event. */
  readonly onEvent?: (event: ClientEvent) => void;
};

export type Played = {
  readonly events: readonly ClientEvent[];
  /** What the client rejected with. Null: it has taken the stream for whole. */
  readonly error: (Error & { readonly status?: number; readonly payload?: unknown }) | null;
};

export type ClientThread = {
  readonly threadId: string;
  readonly messages: readonly { readonly id: string; readonly role: string; readonly content?: unknown }[];
  readonly pendingInterrupts: readonly { readonly id: string }[];
  ask(asked: Asked): Promise<Played>;
  /** Closes the connection of the request at work. */
  abort(): void;
};

export type ClientLine = {
  readonly name: string;
  /** Whether it says its version, and takes a run that was cancelled for one. */
  readonly knowsCancelled: boolean;
  open(options: { readonly url: string; readonly bearer: string; readonly threadId: string }): ClientThread;
};

type Agent = NewAgent | OldAgent;

export const clientLines: readonly ClientLine[] = [
  {
    name: "@ag-ui/client 1.0.0",
    knowsCancelled: true,
    open: (options) => threadOf(new NewAgent(configOf(options)), options.threadId),
  },
  {
    name: "@ag-ui/client 0.0.59",
    knowsCancelled: false,
    open: (options) => threadOf(new OldAgent(configOf(options)), options.threadId),
  },
];

function configOf({ url, bearer, threadId }: { url: string; bearer: string; threadId: string }) {
  return { url, threadId, headers: { authorization: `Bearer ${bearer}` } };
}

function threadOf(agent: Agent, threadId: string): ClientThread {
  return {
    threadId,
    get messages() {
      return agent.messages;
    },
    get pendingInterrupts() {
      return agent.pendingInterrupts;
    },
    ask: async ({ message, onEvent, ...parameters }) => {
      if (message !== undefined)
        agent.addMessage({ id: crypto.randomUUID(), role: "user", content: message });
      const events: ClientEvent[] = [];
      const run = agent.runAgent.bind(agent) as NewAgent["runAgent"];
      try {
        await run(structuredClone(parameters) as Parameters<typeof run>[0], {
          onEvent: ({ event }) => {
            const seen = event as unknown as ClientEvent;
            events.push(seen);
            onEvent?.(seen);
          },
        });
        return { events, error: null };
      } catch (cause) {
        return { events, error: cause as Error };
      }
    },
    abort: () => agent.abortRun(),
  };
}

/** The text that a stream has said, message by message. */
export function saidBy(events: readonly ClientEvent[]): string {
  return events.flatMap(({ type, delta }) => (type === "TEXT_MESSAGE_CONTENT" ? [delta] : [])).join("");
}

/** One event of a stream, as it is sent. */
export type Frame = { readonly id: number | null; readonly event: ClientEvent };

/** The events in the text of a stream, as far as they are whole. */
export function framesOf(text: string): Frame[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((block) => {
      const lines = block.split("\n");
      const data = lines.flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
      const id = lines.find((line) => line.startsWith("id: "))?.slice(4);
      return data.length === 0
        ? []
        : [{ id: id === undefined ? null : Number(id), event: JSON.parse(data.join("\n")) }];
    });
}
