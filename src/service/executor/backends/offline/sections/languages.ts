// Which languages the project is written in, and where its code lies. Pure.

import { areaOf, languageOf } from "../file-kinds.ts";
import type { WeighedFile } from "../file-sizes.ts";
import { code, section, table } from "../markdown.ts";
import { byText, showBytes, showCount, showItems, showShare } from "../numbers.ts";
import type { Survey } from "../survey.ts";

const LISTED_LANGUAGES = 12;
const LISTED_FOLDERS = 12;

type Group = { readonly name: string; readonly files: number; readonly bytes: number };

export function languagesSection({ project, sizes }: Survey): string {
  const own = sizes.files.filter((file) => !file.isForeign);
  const languages = groupBySize(own, (file) => languageOf(file.path));
  const inLanguages = languages.reduce((sum, group) => sum + group.bytes, 0);
  const languageRows = languages
    .slice(0, LISTED_LANGUAGES)
    .map(({ name, files, bytes }) => [
      name,
      showCount(files),
      showBytes(bytes),
      showShare(bytes, inLanguages),
    ]);
  const folderRows = groupBySize(own, (file) => areaOf(file.path))
    .slice(0, LISTED_FOLDERS)
    .map(({ name, files, bytes }) => [code(name), showCount(files), showBytes(bytes)]);
  const foreign = sizes.files.length - own.length;
  const summary =
    `${showItems(project.paths.length, "tracked file")}` +
    (foreign === 0
      ? "."
      : `; ${showCount(foreign)} of them vendored, generated or lock files, not counted below.`);
  const bound =
    sizes.weighed < project.paths.length
      ? `The repository is large: only its first ${showCount(sizes.weighed)} files were measured.`
      : "";
  return section(
    "Languages and layout",
    `${summary} ${bound}`.trim(),
    languageRows.length === 0
      ? "No file is in a language that is known here."
      : table(["Language", "Files:", "Size:", "Share:"], languageRows),
    folderRows.length === 0 ? "" : table(["Folder", "Files:", "Size:"], folderRows),
  );
}

/** Largest first; files that `nameOf` has no name for are left out. */
function groupBySize(files: readonly WeighedFile[], nameOf: (file: WeighedFile) => string | null): Group[] {
  const groups: Group[] = [];
  for (const [name, members] of Map.groupBy(files, nameOf)) {
    if (name === null) continue;
    groups.push({ name, files: members.length, bytes: members.reduce((sum, file) => sum + file.bytes, 0) });
  }
  return groups.sort((a, b) => b.bytes - a.bytes || byText(a.name, b.name));
}
