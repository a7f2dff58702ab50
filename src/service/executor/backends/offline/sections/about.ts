// What the project is, in its own words. Pure.

import { nestedManifestsOf } from "../manifests.ts";
import { code, section, textBlock } from "../markdown.ts";
import { showItems } from "../numbers.ts";
import type { Survey } from "../survey.ts";

const MAX_PARAGRAPH_CHARS = 700;
const MAX_DESCRIPTION_CHARS = 300;
const LISTED_PROJECTS = 12;

export function aboutSection(survey: Survey): string {
  const { readme } = survey;
  const words =
    readme === null
      ? "No README with a paragraph of prose was found."
      : `${code(readme.path)} begins:\n\n${textBlock(readme.paragraph, MAX_PARAGRAPH_CHARS)}`;
  return section("What it is", facts(survey).join("\n"), words);
}

function facts(survey: Survey): string[] {
  const lines: string[] = [];
  for (const { path, facts } of survey.manifests) {
    const { name, version, description } = facts;
    if (name === undefined && description === undefined) continue;
    const named = name === undefined ? "" : ` ${code(name)}`;
    const versioned = version === undefined ? "" : ` ${code(version, 40)}`;
    const described = description === undefined ? "" : `: ${code(description, MAX_DESCRIPTION_CHARS)}`;
    lines.push(`- ${code(path)} names it${named}${versioned}${described}`);
  }
  return [...lines, `- Licence: ${licence(survey)}`, ...nested(survey)];
}

function licence(survey: Survey): string {
  const declared = survey.manifests.find(({ facts }) => facts.licence !== undefined);
  const parts: string[] = [];
  if (declared?.facts.licence !== undefined) {
    parts.push(`${code(declared.facts.licence, 60)} by ${code(declared.path)}`);
  }
  if (survey.licence !== null) {
    const { name, path } = survey.licence;
    parts.push(
      name === null ? `the text in ${code(path)}, which was not recognised` : `${name} by ${code(path)}`,
    );
  }
  return parts.length === 0 ? "none was found" : parts.join(", ");
}

function nested(survey: Survey): string[] {
  const paths = nestedManifestsOf(survey.project);
  if (paths.length === 0) return [];
  const listed = paths.slice(0, LISTED_PROJECTS).map((path) => code(path));
  const more = paths.length > listed.length ? ", …" : "";
  return [`- Holds ${showItems(paths.length, "manifest")} in folders: ${listed.join(", ")}${more}`];
}
