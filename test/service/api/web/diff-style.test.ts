// The colours of code in diffs: readable on every ground that they may have, in both schemes.

import { expect, it } from "vitest";
import { diffStyle } from "../../../../src/service/api/web/diff-style.ts";
import { style } from "../../../../src/service/api/web/style.ts";

const LEAST_CONTRAST = 4.5;
const grounds = ["back", "plus-back", "plus-mark", "minus-back", "minus-mark"];

/** Each of light and dark, by name. */
const colours = new Map(
  [...`${style}${diffStyle}`.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = "", light = "", dark = ""]) => [name, [light, dark]],
  ),
);

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

it("has a contrast of 4.5 between each colour of code and each ground", () => {
  const ofCode = [...colours.keys()].filter((name) => name.startsWith("code-"));
  expect(ofCode).toHaveLength(5);
  const low = ofCode.flatMap((name) =>
    grounds.flatMap((ground) =>
      [0, 1]
        .map((scheme) => ({
          name,
          ground,
          scheme,
          contrast: contrast(colours.get(name)?.[scheme] ?? "", colours.get(ground)?.[scheme] ?? ""),
        }))
        .filter((one) => !(one.contrast >= LEAST_CONTRAST)),
    ),
  );
  expect(low).toEqual([]);
  expect(contrast("#ffffff", "#000000")).toBeCloseTo(21);
});
