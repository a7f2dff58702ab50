// What the authors left for later. Pure.

import { code, section } from "../markdown.ts";
import { showItems } from "../numbers.ts";
import { noteMarks, type Survey } from "../survey.ts";

const LISTED_NOTES = 20;

export function notesSection({ notes }: Survey): string {
  const heading = "Open notes";
  const marks = `${noteMarks.slice(0, -1).join(", ")} or ${noteMarks.at(-1)}`;
  if (notes === null) return section(heading, "The files could not be searched.");
  if (notes.total === 0) return section(heading, `No line says ${marks}.`);
  const listed = notes.matches.slice(0, LISTED_NOTES);
  const lines = listed.map(
    ({ path, line, text }) => `- ${code(`${path}:${line}`)} ${code(text.trim(), 200)}`,
  );
  const lead = `${notes.complete ? "" : "At least "}${showItems(notes.total, "line")} with ${marks}`;
  const more = notes.total > listed.length ? `; the first ${listed.length}:` : ":";
  return section(heading, `${lead}${more}`, lines.join("\n"));
}
