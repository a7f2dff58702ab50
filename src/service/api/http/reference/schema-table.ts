// A JSON Schema as a table that a person reads. Pure.

import { html } from "hono/html";

export type Html = ReturnType<typeof html>;
export type JsonSchema = { readonly [key: string]: unknown };

/** Where on the reference's pages a named schema and a named refusal are. */
export type ReferenceLinks = {
  toSchema(name: string): string;
  toRefusal(name: string): string;
};

const NOTED = {
  minLength: "characters ≥",
  maxLength: "characters ≤",
  minimum: "≥",
  maximum: "≤",
  exclusiveMinimum: ">",
  exclusiveMaximum: "<",
  minItems: "items ≥",
  maxItems: "items ≤",
} as const;

/** The fields of an object; or, of a choice between objects, the fields of each. */
export function schemaTable(schema: JsonSchema, links: ReferenceLinks): Html {
  const about = schema.description === undefined ? html`` : html`<p>${prose(schema.description)}</p>`;
  if (schema.properties !== undefined) {
    return html`${about}${oneNeeded(schema)}${table(rowsOf(schema, ""), links)}`;
  }
  const choices = choicesOf(schema).filter((choice) => choice.properties !== undefined);
  if (choices.length > 1) return html`${about}${choiceTables(choices, links)}`;
  const rows = rowsOf(choices[0] ?? schema, "");
  return rows.length === 0 ? html`<p>${typeOf(schema, links)} ${notesOf(schema)}</p>` : table(rows, links);
}

/** An object may have to have one of several fields. */
function oneNeeded(schema: JsonSchema): Html {
  const names = choicesOf(schema).flatMap(({ required }) => (Array.isArray(required) ? required : []));
  if (names.length === 0) return html``;
  return html`<p>Exactly one is required: ${joined(names.map((name) => html`<code>${name}</code>`))}.</p>`;
}

/** Names of the fields that the schema's table has: `tools[].mode`. */
export function fieldNames(schema: JsonSchema): readonly string[] {
  const objects = schema.properties === undefined ? choicesOf(schema) : [schema];
  return [...new Set(objects.flatMap((one) => rowsOf(one, "").map(({ name }) => name)))];
}

/** A schema in a few words, with links to those that have a name. */
export function typeOf(schema: JsonSchema, links: ReferenceLinks): Html {
  const { type, items, format } = schema;
  const name = referredName(schema);
  if (name !== null) {
    return html`<a href="${links.toSchema(name)}">${name}</a>`;
  }
  if ("const" in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (Array.isArray(schema.enum))
    return joined(schema.enum.map((one) => html`<code>${JSON.stringify(one)}</code>`));
  const choices = choicesOf(schema);
  if (choices.length > 0) return joined(choices.map((choice) => typeOf(choice, links)));
  if (type === "array") return html`array of ${isSchema(items) ? typeOf(items, links) : "anything"}`;
  if (Array.isArray(type)) return joined(type.map((one) => typeOf({ ...schema, type: one }, links)));
  if (typeof type !== "string") return html`anything`;
  return html`${type}${typeof format === "string" && type === "string" ? `, ${format}` : ""}`;
}

/** The name of the schema that this one refers to. */
export function referredName({ $ref }: JsonSchema): string | null {
  return typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : null;
}

/** Text in Markdown's backticks becomes code; all else is text. */
export function prose(text: unknown): Html {
  if (typeof text !== "string") return html``;
  return html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Row = { readonly name: string; readonly isNeeded: boolean; readonly schema: JsonSchema };

/** Fields, and those of the objects inside them: `tools[].mode`. */
function rowsOf(schema: JsonSchema, prefix: string): readonly Row[] {
  const { properties, required } = schema;
  if (!isSchema(properties)) return [];
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).flatMap(([key, field]) => {
    if (!isSchema(field)) return [];
    const name = prefix + key;
    return [{ name, isNeeded: needed.includes(key), schema: field }, ...innerRows(field, name)];
  });
}

function innerRows(field: JsonSchema, name: string): readonly Row[] {
  if (field.type === "array" && isSchema(field.items)) return innerRows(field.items, `${name}[]`);
  const objects = choicesOf(field).filter((choice) => choice.properties !== undefined);
  return rowsOf(objects.length === 1 ? (objects[0] ?? field) : field, `${name}.`);
}

function choicesOf(schema: JsonSchema): readonly JsonSchema[] {
  const choices = schema.oneOf ?? schema.anyOf;
  return Array.isArray(choices) ? choices.filter(isSchema) : [];
}

/** Fields that every choice has alike once, then of each choice what it has beside them. */
function choiceTables(choices: readonly JsonSchema[], links: ReferenceLinks): Html {
  const [first = [], ...others] = choices.map((choice) => rowsOf(choice, ""));
  const shared = first.filter((row) => others.every((rows) => rows.some((other) => isSameRow(row, other))));
  const common = shared.length === 0 ? html`` : html`<h4>Always</h4>${table(shared, links)}`;
  const own = (choice: JsonSchema) =>
    rowsOf(choice, "").filter((row) => !shared.some((other) => isSameRow(row, other)));
  return html`${common}${choices.map((choice) => choiceTable(own(choice), links))}`;
}

function isSameRow(one: Row, other: Row): boolean {
  return one.name === other.name && JSON.stringify(one) === JSON.stringify(other);
}

function choiceTable(rows: readonly Row[], links: ReferenceLinks): Html {
  const fixed = rows.filter(({ schema }) => "const" in schema);
  const title = fixed.map(({ name, schema }) => html` <code>${name}</code> is ${typeOf(schema, links)} `);
  return html`<h4>${title.length === 0 ? "Or" : html`Where${title.map((one, index) => [index > 0 ? "and" : "", one])}`}</h4>${table(rows, links)}`;
}

function table(rows: readonly Row[], links: ReferenceLinks): Html {
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>${rows.map(
    ({ name, isNeeded, schema }) => html`
<tr><td><code>${name}</code>${isNeeded ? html` <span class="needed">required</span>` : ""}</td><td>${typeOf(schema, links)}</td><td>${notesOf(schema)}</td></tr>`,
  )}</tbody></table></div>`;
}

export function notesOf(schema: JsonSchema): Html {
  const limits = Object.entries(NOTED).flatMap(([key, words]) => {
    const limit = schema[key];
    return typeof limit === "number" && Math.abs(limit) < Number.MAX_SAFE_INTEGER
      ? [`${words} ${limit}`]
      : [];
  });
  if (schema.default !== undefined) limits.push(`default ${JSON.stringify(schema.default)}`);
  if (typeof schema.pattern === "string" && schema.format === undefined)
    limits.push(`matches ${schema.pattern}`);
  return html`${prose(schema.description)} ${limits.length > 0 ? html`<span class="faint">${limits.join(", ")}</span>` : ""}`;
}

function joined(parts: readonly Html[]): Html {
  return html`${parts.map((part, index) => [index > 0 ? " or " : "", part])}`;
}
