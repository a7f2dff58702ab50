// Compares a text with a file under golden/, byte for byte. UPDATE_GOLDEN=1 writes the file instead.

import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

export function expectGolden(name: string, text: string): void {
  const file = new URL(`./golden/${name}`, import.meta.url);
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, "utf8"));
}
