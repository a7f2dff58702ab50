// Where a reader of the code begins: what manifests name, and what names itself. Pure.

import { isForeign } from "../../../tools/foreign-files.ts";
import type { ProjectFiles } from "../manifest.ts";
import { code, section } from "../markdown.ts";
import type { Survey } from "../survey.ts";

const LISTED_ENTRIES = 30;

/** Files that are entry points by custom. */
const customary =
  /^(((src|app|cmd|bin)\/([\w.-]+\/)?)?(main|index|server|cli)\.[a-z]{1,5}|manage\.py|app\.py|wsgi\.py|asgi\.py|config\.ru|src\/lib\.rs|src\/bin\/[\w-]+\.rs|([\w.-]+\/){1,3}__main__\.py|(src\/main\/)[\w./-]+\/(Main|App|Application|[A-Z]\w*Application)\.(java|kt))$/;

export function entriesSection({ manifests, project }: Survey): string {
  const named = manifests.flatMap(({ path, facts }) =>
    (facts.entries ?? []).map(({ kind, target }) => `- ${code(target)}: ${code(kind)} in ${code(path)}`),
  );
  const lines = [...named, ...customaryFiles(project).map((path) => `- ${code(path)}`)];
  const more = lines.length > LISTED_ENTRIES ? `The first ${LISTED_ENTRIES} of ${lines.length}.` : "";
  const list = lines.length === 0 ? "None was recognised." : lines.slice(0, LISTED_ENTRIES).join("\n");
  return section("Entry points", list, more);
}

function customaryFiles(project: ProjectFiles): string[] {
  return project.paths.filter((path) => path.length < 200 && customary.test(path) && !isForeign(path));
}
