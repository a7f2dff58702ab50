// Tells a model's thoughts from what it says where its server leaves them in the text, between <think> and </think>. Only a
// tag at the beginning of an answer counts: a reply may be about such tags. Pure.

const TAGS = ["think", "thinking"] as const;

export type Piece = { readonly kind: "text" | "thought"; readonly text: string };

/** `unopened`: servers whose template writes the opening tag itself send only the closing one. */
export type Opening = "tagged" | "unopened";

type State =
  /** Nothing but tags and space so far. */
  | { readonly at: "beginning"; readonly held: string; readonly isAfterThought: boolean }
  | { readonly at: "thought"; readonly tag: string; readonly held: string }
  /** Either, until a closing tag or the end says what. */
  | { readonly at: "undecided"; readonly held: string }
  | { readonly at: "text" };

/** For one answer, delta by delta. A delta may end within a tag. */
export class ThinkTags {
  #state: State;

  constructor(opening: Opening) {
    this.#state =
      opening === "tagged"
        ? { at: "beginning", held: "", isAfterThought: false }
        : { at: "undecided", held: "" };
  }

  take(delta: string): Piece[] {
    const state = this.#state;
    switch (state.at) {
      case "text":
        return piece("text", delta);
      case "beginning":
        return this.#begin(state.held + delta, state);
      case "thought":
        return this.#think(state.tag, state.held + delta);
      case "undecided":
        return this.#decide(state.held + delta);
    }
  }

  /** Pieces that were held back: the answer is over. */
  end(): Piece[] {
    const state = this.#state;
    this.#state = { at: "text" };
    if (state.at === "text") return [];
    if (state.at === "beginning" && state.isAfterThought) return piece("text", state.held.trimStart());
    return piece(state.at === "thought" ? "thought" : "text", state.held);
  }

  #begin(held: string, { isAfterThought }: { readonly isAfterThought: boolean }): Piece[] {
    const told = held.trimStart();
    const tag = TAGS.find((some) => told.startsWith(`<${some}>`));
    if (tag !== undefined) return this.#think(tag, told.slice(tag.length + 2));
    const mayBeTag = TAGS.some((some) => `<${some}>`.startsWith(told));
    this.#state = mayBeTag ? { at: "beginning", held, isAfterThought } : { at: "text" };
    return mayBeTag ? [] : piece("text", isAfterThought ? told : held);
  }

  #think(tag: string, held: string): Piece[] {
    const closing = `</${tag}>`;
    const end = held.indexOf(closing);
    if (end < 0) {
      const kept = tailOf(held, closing);
      this.#state = { at: "thought", tag, held: held.slice(held.length - kept) };
      return piece("thought", held.slice(0, held.length - kept));
    }
    const thought = piece("thought", held.slice(0, end));
    return [...thought, ...this.#begin(held.slice(end + closing.length), { isAfterThought: true })];
  }

  #decide(held: string): Piece[] {
    const tag = TAGS.find((some) => held.includes(`</${some}>`));
    this.#state = { at: "undecided", held };
    if (tag === undefined) return [];
    const opened = held.trimStart();
    return this.#think(tag, opened.startsWith(`<${tag}>`) ? opened.slice(tag.length + 2) : held);
  }
}

/** True where a text has the end of a thought that never began. */
export function hasUnopenedThought(text: string): boolean {
  return TAGS.some((tag) => {
    const end = text.indexOf(`</${tag}>`);
    return end >= 0 && !text.slice(0, end).includes(`<${tag}>`);
  });
}

/** The count of last characters that may begin the tag. */
function tailOf(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (tag.startsWith(text.slice(text.length - length))) return length;
  }
  return 0;
}

function piece(kind: Piece["kind"], text: string): Piece[] {
  return text === "" ? [] : [{ kind, text }];
}
