import { expect, it } from "vitest";

let tries = 0;

it("passes at its second try", { retry: 1 }, () => {
  tries += 1;
  expect(tries).toBe(2);
});
