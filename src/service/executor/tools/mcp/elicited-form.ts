// The form of an elicitation: a flat object of texts, numbers, yes or no, and choices; and a person's answer, which is text, as its content. Pure.
// https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation

import { isObject } from "../../../../base/json.ts";
import { ok, type Result, refused } from "../../../../base/result.ts";

const MAX_FIELDS = 10;

export type FormField = {
  readonly name: string;
  /** "" where there is none. */
  readonly title: string;
  readonly description: string;
  readonly type: "string" | "number" | "integer" | "boolean" | "array";
  /** Values to choose from. Empty: any. */
  readonly options: readonly { readonly value: string | boolean; readonly title: string }[];
  readonly isRequired: boolean;
};

type Content = Record<string, string | number | boolean | string[]>;

/** Null for a form that nobody could be shown: with other types, or too many fields. */
export function fieldsOf(schema: unknown): readonly FormField[] | null {
  if (!isObject(schema) || !isObject(schema.properties)) return null;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(schema.properties).map(([name, property]) =>
    fieldOf(name, { property, isRequired: required.includes(name) }),
  );
  if (fields.length > MAX_FIELDS || fields.some((field) => field === null)) return null;
  return fields.filter((field) => field !== null);
}

function fieldOf(
  name: string,
  { property, isRequired }: { readonly property: unknown; readonly isRequired: boolean },
): FormField | null {
  if (!isObject(property)) return null;
  const { type, title = "", description = "" } = property;
  const texts = { title: typeof title === "string" ? title : "", description: textIn(description) };
  const field = { name, ...texts, isRequired };
  switch (type) {
    case "string":
      return { ...field, type, options: optionsIn(property) };
    case "number":
    case "integer":
      return { ...field, type, options: [] };
    case "boolean":
      return {
        ...field,
        type,
        options: [
          { value: true, title: "Yes" },
          { value: false, title: "No" },
        ],
      };
    case "array": {
      const options = isObject(property.items) ? optionsIn(property.items) : [];
      return options.length === 0 ? null : { ...field, type, options };
    }
    default:
      return null;
  }
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** `enum`, with `enumNames` of older servers, or `oneOf` and `anyOf` of constants. */
function optionsIn(property: Readonly<Record<string, unknown>>): FormField["options"] {
  const { enum: values, enumNames: names } = property;
  if (Array.isArray(values))
    return values.flatMap((value, at) => {
      const title = Array.isArray(names) && typeof names[at] === "string" ? names[at] : value;
      return typeof value === "string" ? [{ value, title: String(title) }] : [];
    });
  const listed = Array.isArray(property.oneOf) ? property.oneOf : property.anyOf;
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((one: unknown) =>
    isObject(one) && typeof one.const === "string"
      ? [{ value: one.const, title: textIn(one.title) || one.const }]
      : [],
  );
}

/** What a person wrote as the content of the form. The reason says what is wrong with it, as a sentence. */
export function readAnswer(
  fields: readonly FormField[],
  text: string,
): Result<Content, { readonly reason: string }> {
  const [only] = fields;
  const given =
    fields.length === 1 && only !== undefined ? new Map([[only.name, text.trim()]]) : linesIn(fields, text);
  const content: Content = {};
  for (const field of fields) {
    const said = given.get(field.name) ?? "";
    if (said === "") {
      if (field.isRequired) return refused({ reason: `${field.name} is missing.` });
      continue;
    }
    const value = valueIn(field, said);
    if (value === null) return refused({ reason: `${field.name} must be ${allowedOf(field)}.` });
    content[field.name] = value;
  }
  return ok(content);
}

/** By `name: value`, each on its line; a name may be the field's title. */
function linesIn(fields: readonly FormField[], text: string): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon < 0) continue;
    // People write it as Markdown, and as a list.
    const named = line.slice(0, colon).replaceAll("*", "").replaceAll("`", "").trim().toLowerCase();
    const name = named.startsWith("- ") ? named.slice(2).trim() : named;
    const field = fields.find((one) =>
      [one.name, one.title].some((text) => text !== "" && text.toLowerCase() === name),
    );
    if (field !== undefined) given.set(field.name, line.slice(colon + 1).trim());
  }
  return given;
}

function valueIn({ type, options }: FormField, said: string): Content[string] | null {
  if (type === "array") {
    const chosen = said.split(",").map((one) => chosenOf(options, one.trim()));
    return chosen.every((one) => typeof one === "string") ? (chosen as string[]) : null;
  }
  if (options.length > 0) return chosenOf(options, said);
  if (type === "string") return said;
  const value = Number(said);
  if (!Number.isFinite(value) || (type === "integer" && !Number.isInteger(value))) return null;
  return value;
}

function chosenOf(options: FormField["options"], said: string): string | boolean | null {
  const text = said.toLowerCase();
  const found = options.find(
    ({ value, title }) => title.toLowerCase() === text || String(value).toLowerCase() === text,
  );
  return found?.value ?? null;
}

function allowedOf({ type, options }: FormField): string {
  const titles = options.map(({ title }) => `"${title}"`).join(", ");
  if (type === "array") return `some of ${titles}, with commas between them`;
  if (options.length > 0) return `one of ${titles}`;
  return type === "integer" ? "a whole number" : "a number";
}
