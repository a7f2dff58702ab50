// The JSON body of a request to a model's API, read and changed by dotted paths. Pure: a change makes a new body.

export type Json = string | number | boolean | null | readonly Json[] | Body;
export type Body = { readonly [field: string]: Json };

/** The body that the text is, or null where it is no JSON object. */
export function parseBody(text: string): Body | null {
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isObject(value: Json | undefined): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function valueAt(body: Body, path: string): Json | undefined {
  let value: Json | undefined = body;
  for (const name of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

export function numberAt(body: Body, path: string): number | null {
  const value = valueAt(body, path);
  return typeof value === "number" ? value : null;
}

export function textAt(body: Body, path: string): string | null {
  const value = valueAt(body, path);
  return typeof value === "string" ? value : null;
}

/** Without what is at the path. An object that is left empty goes, too. The same body where nothing is there. */
export function dropAt(body: Body, path: string): Body {
  const [name = "", ...rest] = path.split(".");
  const inner = body[name];
  if (inner === undefined) return body;
  const { [name]: _, ...others } = body;
  if (rest.length === 0) return others;
  if (!isObject(inner)) return body;
  const left = dropAt(inner, rest.join("."));
  if (left === inner) return body;
  return Object.keys(left).length === 0 ? others : { ...body, [name]: left };
}

/** With another value at a path that there is. */
export function replaceAt(body: Body, path: string, value: Json): Body {
  const [name = "", ...rest] = path.split(".");
  const inner = body[name];
  if (inner === undefined) return body;
  if (rest.length === 0) return { ...body, [name]: value };
  return isObject(inner) ? { ...body, [name]: replaceAt(inner, rest.join("."), value) } : body;
}

/** Every object within the body as `change` returns it, innermost first. The same body where nothing changed. */
export function mapObjects(body: Body, change: (value: Body) => Body): Body {
  const entries = Object.entries(body).map(([name, value]) => [name, mapValue(value, change)] as const);
  const isSame = entries.every(([name, value]) => value === body[name]);
  return change(isSame ? body : Object.fromEntries(entries));
}

function mapValue(value: Json, change: (value: Body) => Body): Json {
  if (isObject(value)) return mapObjects(value, change);
  if (!Array.isArray(value)) return value;
  const mapped = value.map((item) => mapValue(item, change));
  return mapped.every((item, at) => item === value[at]) ? value : mapped;
}
