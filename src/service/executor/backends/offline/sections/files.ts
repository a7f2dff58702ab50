// Which files stand out by size and by how often they change. Pure.

import { isForeign } from "../../../tools/foreign-files.ts";
import { languageOf } from "../file-kinds.ts";
import { code, section, table } from "../markdown.ts";
import { byText, showBytes, showCount } from "../numbers.ts";
import type { Survey } from "../survey.ts";

const LISTED_FILES = 10;

export function filesSection(survey: Survey): string {
  return section("Files that stand out", largest(survey), mostChanged(survey));
}

function largest({ sizes }: Survey): string {
  const files = sizes.files.filter((file) => !file.isForeign);
  const listed = files.sort((a, b) => b.bytes - a.bytes || byText(a.path, b.path)).slice(0, LISTED_FILES);
  if (listed.length === 0) return "";
  const rows = listed.map(({ path, bytes }) => [code(path), showBytes(bytes), languageOf(path) ?? ""]);
  return `Largest:\n\n${table(["File", "Size:", "Language"], rows)}`;
}

function mostChanged({ mostChanged: ranked, project }: Survey): string {
  const repeated = ranked.filter(({ path, commits }) => commits > 1 && project.has(path) && !isForeign(path));
  const listed = repeated.slice(0, LISTED_FILES);
  if (listed.length === 0) return "No file changed more than once in the history that was fetched.";
  const rows = listed.map(({ path, commits }) => [code(path), showCount(commits)]);
  return `Changed most often in the history that was fetched:\n\n${table(["File", "Commits:"], rows)}`;
}
