// Looks into data of unknown shape, and reads the plain part of TOML and INI: sections, keys, strings. Pure.

export type Fields = Readonly<Record<string, unknown>>;

/** The text as a JSON object; nothing at all when it is none. Comments, as in .jsonc, are allowed on lines of their own. */
export function parseJsonObject(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text.replace(/^[ \t]*\/\/.*$/gm, "")));
  } catch {
    return {};
  }
}

/** The value as an object, or an empty one. Only its own keys are ever read. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** A text of the object, or undefined. */
export function textOf(fields: Fields, key: string): string | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The object's entries that are texts. */
export function textEntries(value: unknown): (readonly [string, string])[] {
  return Object.entries(fieldsOf(value)).flatMap(([key, text]) =>
    typeof text === "string" ? [[key, text] as const] : [],
  );
}

/** One `[section]` or `[[section]]`; a repeated one comes again. */
export type ConfigSection = { readonly name: string; readonly values: ReadonlyMap<string, string> };

/**
 * Reads sections with `key = value` on one line each. Quotes are removed from simple strings; arrays, inline tables and
 * texts over several lines stay as written or are skipped: enough for names and scripts, no parser.
 */
export function readSections(text: string): ConfigSection[] {
  let values = new Map<string, string>();
  const sections: ConfigSection[] = [{ name: "", values }];
  for (const line of text.split("\n")) {
    const heading = /^\s*\[{1,2}([^[\]]{1,200})\]{1,2}\s*(#.*)?$/.exec(line)?.[1];
    if (heading !== undefined) {
      values = new Map();
      sections.push({ name: heading.trim().replaceAll('"', ""), values });
      continue;
    }
    const separator = line.indexOf("=");
    const key = line
      .slice(0, separator)
      .trim()
      .replace(/^"(.*)"$/, "$1");
    if (separator > 0 && key !== "" && !key.startsWith("#"))
      values.set(key, unquote(line.slice(separator + 1).trim()));
  }
  return sections;
}

/** The values of the first section of that name; empty when there is none. */
export function sectionValues(sections: readonly ConfigSection[], name: string): ReadonlyMap<string, string> {
  return sections.find((section) => section.name === name)?.values ?? new Map();
}

function unquote(value: string): string {
  return (
    /^"([^"]*)"|^'([^']*)'/
      .exec(value)
      ?.slice(1)
      .find((text) => text !== undefined) ?? value
  );
}
