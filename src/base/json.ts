// JSON of somebody else. Pure.

/** Undefined where the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value of JSON is an object: no array, not null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object that the text is. Null where it is no JSON, or another value. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}
