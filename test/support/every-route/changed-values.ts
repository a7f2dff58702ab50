// One change of a value that makes it what a schema mostly does not allow: another type, a missing or an unknown field, the
// bounds of texts and numbers, text that programs stumble over. Pure.

import fc from "fast-check";

const LONG_CHARS = 70_000;

const texts = [
  "",
  " ",
  "\0",
  "a\0b",
  "\u2028",
  "\u202Eabc",
  "%00",
  "../..",
  "/",
  "a".repeat(256),
  "a".repeat(LONG_CHARS),
  "\ud800",
  "a\udfff",
  "😀".repeat(300),
  "e\u0301",
  "ﬀ",
  "\u{10ffff}",
  "<script>",
  "%{x}",
  "' or 1=1 --",
  "00000000-0000-4000-8000-000000000000",
  "1970-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "__proto__",
];
const numbers = [
  0,
  -0,
  -1,
  1,
  0.1,
  1e-7,
  1e21,
  1e308,
  -1e308,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  2 ** 64,
];

/** Instead of any value. */
export const oddValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(...texts),
  fc.constantFrom<unknown[]>(...numbers),
  fc.constantFrom<unknown[]>(null, true, false, [], {}, [null], [[]], { a: { b: [] } }, "null"),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "binary", minLength: 250, maxLength: 300 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Instead of a parameter in text. */
export const oddTexts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...texts.filter((text) => text.length < LONG_CHARS)),
  fc.constantFrom(...numbers).map(String),
  fc.string({ unit: "binary", maxLength: 40 }),
);

/** The value with one change at one place within it. */
export function changed(value: unknown): fc.Arbitrary<unknown> {
  const places = placesOf(value);
  return fc
    .tuple(fc.constantFrom(...places), fc.constantFrom("replace", "remove", "add", "repeat"), oddValues)
    .map(([place, what, odd]) => change(value, place, { what, odd }));
}

type Place = readonly (string | number)[];
type Change = { readonly what: string; readonly odd: unknown };

function placesOf(value: unknown): readonly Place[] {
  if (typeof value !== "object" || value === null) return [[]];
  const inner = Object.entries(value).flatMap(([name, item]) =>
    placesOf(item).map((rest) => [name, ...rest]),
  );
  return [[], ...inner];
}

function change(value: unknown, [name, ...rest]: Place, how: Change): unknown {
  if (name === undefined) return changeHere(value, how);
  if (Array.isArray(value)) {
    const at = Number(name);
    if (rest.length === 0 && how.what === "remove") return value.toSpliced(at, 1);
    return value.with(at, change(value[at], rest, how));
  }
  const object = value as Readonly<Record<string, unknown>>;
  if (rest.length === 0 && how.what === "remove") {
    const { [name]: _, ...others } = object;
    return others;
  }
  return { ...object, [name]: change(object[name], rest, how) };
}

function changeHere(value: unknown, { what, odd }: Change): unknown {
  if (what === "add" && typeof value === "object" && value !== null)
    return Array.isArray(value) ? [...value, odd] : { ...value, made_up: odd };
  if (what === "repeat" && Array.isArray(value) && value.length > 0) return Array(300).fill(value[0]);
  if (what === "repeat" && typeof value === "string" && value !== "") return value.repeat(300);
  return odd;
}
