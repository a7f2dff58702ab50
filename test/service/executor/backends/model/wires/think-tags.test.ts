import { describe, expect, it } from "vitest";
import {
  hasUnopenedThought,
  type Opening,
  ThinkTags,
} from "../../../../../../src/service/executor/backends/model/wires/think-tags.ts";

function heard(deltas: readonly string[], opening: Opening = "tagged") {
  const tags = new ThinkTags(opening);
  const pieces = [...deltas.flatMap((delta) => tags.take(delta)), ...tags.end()];
  const of = (kind: "text" | "thought") =>
    pieces.flatMap((piece) => (piece.kind === kind ? [piece.text] : [])).join("");
  return { text: of("text"), thought: of("thought") };
}

/** The text in pieces of each length, and whole. */
function everyWay(text: string): string[][] {
  return [1, 2, 3, 5, 7, text.length].map((length) =>
    Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
      text.slice(at * length, (at + 1) * length),
    ),
  );
}

describe("a thought in the text", () => {
  it.each([
    ["<think>Hm.</think>Done.", "Hm.", "Done."],
    ["\n <thinking>Hm, <b>.</thinking>\n\nDone.", "Hm, <b>.", "Done."],
    ["<think>One.</think>\n<think>Two.</think>Done.", "One.Two.", "Done."],
    ["<think></think>Done.", "", "Done."],
    ["<think>It never ends", "It never ends", ""],
  ])("is told from what is said, however it is cut: %j", (text, thought, said) => {
    for (const deltas of everyWay(text)) expect(heard(deltas)).toEqual({ text: said, thought });
  });

  it.each([
    "The tag <think> is for thoughts, </think> ends them.",
    "<thin",
    " <b>bold</b>",
    "a <think>b</think>",
  ])("is none where it does not begin the answer: %j", (text) => {
    for (const deltas of everyWay(text)) expect(heard(deltas)).toEqual({ text, thought: "" });
  });

  it("may have lost its beginning to the server's template", () => {
    for (const deltas of everyWay("Hm.</think>\nDone."))
      expect(heard(deltas, "unopened")).toEqual({ text: "Done.", thought: "Hm." });
    for (const deltas of everyWay("Only said."))
      expect(heard(deltas, "unopened")).toEqual({ text: "Only said.", thought: "" });
    expect(hasUnopenedThought("Hm.</think>Done.")).toBe(true);
    expect(hasUnopenedThought("<think>Hm.</think>Done.")).toBe(false);
  });
});
