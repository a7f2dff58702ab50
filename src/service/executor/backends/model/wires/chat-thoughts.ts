// The thoughts of models behind Chat Completions: those in the text become reasoning, and what OpenRouter calls
// `reasoning_details` goes back with the history as it came.
// https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning, looked up on 2026-11-22.

import { type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import { type Body, isObject, type Json } from "./body.ts";
import { hasUnopenedThought, type Opening, type Piece, ThinkTags } from "./think-tags.ts";

/** The namespace in which the AI SDK keeps it beside the message's reasoning. */
const NAMESPACE = "chat";
const DETAILS = "reasoning_details";

type Model = Parameters<typeof wrapLanguageModel>[0]["model"];
type WrapStream = NonNullable<LanguageModelMiddleware["wrapStream"]>;
type Streamed = Awaited<ReturnType<WrapStream>>["stream"];
type Part = Streamed extends ReadableStream<infer Some> ? Some : never;
type Prompt = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"]["prompt"];

/** The model of one run: it remembers whether its server swallows opening tags. */
export function withThoughts(model: Model): Model {
  let opening: Opening = "tagged";
  const middleware: LanguageModelMiddleware = {
    specificationVersion: "v4",
    transformParams: async ({ params }) => ({ ...params, prompt: params.prompt.map(withDetails) as Prompt }),
    wrapStream: async ({ doStream }) => {
      const answer = await doStream();
      const heard = thoughtsOf(opening, () => {
        opening = "unopened";
      });
      return { ...answer, stream: answer.stream.pipeThrough(heard) };
    },
  };
  return wrapLanguageModel({ model, middleware });
}

/** Collects the details of one streamed answer, for the metadata of its end. */
export function detailsExtractor() {
  return {
    extractMetadata: async () => undefined,
    createStreamExtractor: () => {
      const details: Body[] = [];
      return {
        processChunk: (chunk: unknown) => {
          for (const detail of detailsIn(chunk as Json)) append(details, detail);
        },
        buildMetadata: () => (details.length === 0 ? undefined : { [NAMESPACE]: { [DETAILS]: details } }),
      };
    },
  };
}

function detailsIn(chunk: Json): Body[] {
  const choice = isObject(chunk) && Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
  const delta = isObject(choice) ? choice.delta : undefined;
  const details = isObject(delta) ? delta[DETAILS] : undefined;
  return Array.isArray(details) ? details.filter(isObject) : [];
}

/** Deltas of one text are joined; a signature comes with the last of them. */
function append(details: Body[], detail: Body): void {
  const last = details.at(-1);
  const isNext = last !== undefined && last.type === detail.type && last.index === detail.index;
  const field = detail.type === "reasoning.summary" ? "summary" : "text";
  if (!isNext || detail.type === "reasoning.encrypted") {
    details.push(detail);
    return;
  }
  const given = Object.entries(detail).filter(([, value]) => value !== null && value !== undefined);
  const joined = `${last[field] ?? ""}${detail[field] ?? ""}`;
  details[details.length - 1] = { ...last, ...Object.fromEntries(given), [field]: joined };
}

/** They come behind all else, and are of the whole answer. */
export function holdsDetails({
  type,
  ...part
}: {
  readonly type: string;
  readonly providerOptions?: unknown;
}): boolean {
  const { providerOptions } = part;
  return (
    type === "reasoning" &&
    typeof providerOptions === "object" &&
    providerOptions !== null &&
    NAMESPACE in providerOptions
  );
}

/** The details are the reasoning: it is not sent twice. */
function withDetails(message: Prompt[number]): Prompt[number] {
  if (message.role !== "assistant") return message;
  const details = message.content.flatMap((part) => {
    const given = part.type === "reasoning" ? part.providerOptions?.[NAMESPACE]?.[DETAILS] : undefined;
    return Array.isArray(given) ? given : [];
  });
  if (details.length === 0) return message;
  return {
    ...message,
    content: message.content.filter(({ type }) => type !== "reasoning"),
    providerOptions: { ...message.providerOptions, openaiCompatible: { [DETAILS]: details } },
  };
}

function thoughtsOf(opening: Opening, learnUnopened: () => void): TransformStream<Part, Part> {
  const texts = new Map<string, Text>();
  let said = "";
  return new TransformStream<Part, Part>({
    transform: (part, controller) => {
      const send = (more: readonly Part[]) => {
        for (const some of more) controller.enqueue(some);
      };
      switch (part.type) {
        case "text-start":
          texts.set(part.id, new Text(part.id, opening));
          return;
        case "text-delta":
          said += part.delta;
          return send(texts.get(part.id)?.take(part.delta) ?? [part]);
        case "text-end":
          send(texts.get(part.id)?.end() ?? [part]);
          return;
        case "finish":
          if (opening === "tagged" && hasUnopenedThought(said)) learnUnopened();
          send(detailsPart(part));
          return send([part]);
        default:
          return send([part]);
      }
    },
  });
}

function detailsPart({ providerMetadata }: Extract<Part, { type: "finish" }>): Part[] {
  const details = providerMetadata?.[NAMESPACE]?.[DETAILS];
  if (details === undefined) return [];
  const id = DETAILS;
  return [
    { type: "reasoning-start", id },
    { type: "reasoning-end", id, providerMetadata: { [NAMESPACE]: { [DETAILS]: details } } },
  ];
}

/** One text of the stream, as blocks of text and of reasoning. */
class Text {
  readonly #id: string;
  readonly #tags: ThinkTags;
  #open: { readonly kind: Piece["kind"]; readonly id: string } | null = null;
  #blocks = 0;

  constructor(id: string, opening: Opening) {
    this.#id = id;
    this.#tags = new ThinkTags(opening);
  }

  take(delta: string): Part[] {
    return this.#tags.take(delta).flatMap((piece) => this.#write(piece));
  }

  end(): Part[] {
    return [...this.#tags.end().flatMap((piece) => this.#write(piece)), ...this.#close()];
  }

  #write({ kind, text }: Piece): Part[] {
    const parts = this.#open?.kind === kind ? [] : this.#begin(kind);
    const id = this.#open?.id ?? this.#id;
    return [...parts, { type: kind === "text" ? "text-delta" : "reasoning-delta", id, delta: text }];
  }

  #begin(kind: Piece["kind"]): Part[] {
    const closed = this.#close();
    this.#blocks += 1;
    const id = `${this.#id}-${this.#blocks}`;
    this.#open = { kind, id };
    return [...closed, { type: kind === "text" ? "text-start" : "reasoning-start", id }];
  }

  #close(): Part[] {
    if (this.#open === null) return [];
    const { kind, id } = this.#open;
    this.#open = null;
    return [{ type: kind === "text" ? "text-end" : "reasoning-end", id }];
  }
}
