import { expect, it } from "vitest";
import { harmlessConfiguration } from "../../../src/service/sandbox/git-view.ts";

it("keeps what git needs to read its folder, whatever the sections are called", () => {
  const text = [
    "[core]\n\tbare = false\n\tfsmonitor = evil\n",
    '[remote "origin"]\n\turl = https://user:token@example\n',
    "[constructor]\n\tbare = true\n[tostring]\n\tbare = true\n",
    "[extensions]\n\tobjectformat = sha256\n",
  ].join("");
  const kept = harmlessConfiguration(text);
  expect(kept).toContain("[core]\n\tbare = false");
  expect(kept).not.toContain("[constructor]");
  expect(kept).toContain("objectformat = sha256");
  for (const word of ["fsmonitor", "token", "bare = true"]) expect(kept).not.toContain(word);
});
