// Parameters of a request, which GitLab takes from the query, from JSON and from forms alike: `position[new_line]=5` is a field of an object.
// https://docs.gitlab.com/api/rest/#request-payload, …/api/rest/#array-of-hashes (2026-11-29)

export type Parameters = Readonly<Record<string, unknown>>;

/** Those that GitLab reads from texts. */
const INTEGERS = ["new_line", "old_line", "pipeline_id"];
const BOOLEANS = ["resolved"];

/** Rejects where the body is neither JSON nor a form. */
export async function parametersOf({
  url,
  body,
  contentType,
}: {
  readonly url: URL;
  readonly body: Buffer;
  readonly contentType: string;
}): Promise<Parameters> {
  const isForm = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/.test(contentType);
  const form = isForm
    ? await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData()
    : [];
  const fields: Record<string, unknown> = {};
  for (const [name, value] of [...url.searchParams, ...form]) put(fields, name, value);
  return typed({ ...fields, ...(isForm || body.length === 0 ? {} : JSON.parse(body.toString())) });
}

function put(fields: Record<string, unknown>, name: string, value: unknown): void {
  const path = name.split(/[[\]]+/).filter((part) => part !== "");
  const last = path.pop() ?? name;
  let at = fields;
  for (const part of path) {
    at[part] ??= {};
    at = at[part] as Record<string, unknown>;
  }
  at[last] = value;
}

function typed(fields: Parameters): Parameters {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value === "string" && INTEGERS.includes(name)) return [name, Number(value)];
      if (typeof value === "string" && BOOLEANS.includes(name)) return [name, value === "true"];
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      return [name, isObject ? typed(value as Parameters) : value];
    }),
  );
}
