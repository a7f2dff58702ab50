// Tables as CSV: nothing that a spreadsheet calculates, and numbers as they are.

import { expect, it } from "vitest";
import { toCsv } from "../../src/render/csv.ts";

it.each(["=1+1", "+1", "-1", "@sum(A1)", "\tx", "\rx", "\nx"])("makes no formula of %j", (text) => {
  expect(toCsv([[text]])).toBe(`"'${text}"\r\n`);
});

it("keeps numbers, quotes texts, and leaves out what is not there", () => {
  expect(
    toCsv([
      ['a "b", c', -8_333, null],
      ["x=1", 0],
    ]),
  ).toBe('"a ""b"", c",-8333,\r\n"x=1",0\r\n');
});
