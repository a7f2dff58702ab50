import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TITLE_CHARS, toolTitle } from "../../src/report/tool-title.ts";

describe("toolTitle", () => {
  it.each([
    ["read_file", '{"path":"src/index.ts"}', "read_file src/index.ts"],
    ["search", '{"pattern":"a b","limit":5,"deep":true}', "search a b 5 true"],
    ["write_file", '{"content":"a\\nb","path":"x.ts"}', "write x.ts"],
    ["edit_file", '{"path":"src/a.ts","old_text":"a","new_text":"b"}', "edit src/a.ts"],
    ["rename_file", '{"path":"a","new_path":"b"}', "rename a"],
    ["view_image", '{"path":"a.png"}', "view a.png"],
    ["git_show", '{"commit":"abc1234","path":"a"}', "git_show abc1234 a"],
    ["delete_file", '{"path":"a\\nb"}', "delete a b"],
    ["run_command", '{"command":"npm ci &&\\n npm test","timeout_seconds":600}', "$ npm ci && npm test"],
    ["run_command", '{"cmd":"ls"}', "run_command ls"],
    ["run_command", '{"command":', 'run_command {"command":'],
    ["run_command", "", "run_command"],
    ["fetch_url", '{"url":"https://example.com/a"}', "fetch https://example.com/a"],
    ["delegate", '{"task":"Look\\nthere."}', "delegate: Look there."],
    ["ask_advisor", '{"question":"Why?"}', "ask the advisor: Why?"],
    ["say", '{"text":"one\\ntwo"}', "say one two"],
    ["edit", '{"edits":[{"from":1}]}', 'edit [{"from":1}]'],
    ["now", "{}", "now"],
    ["now", "", "now"],
    ["odd", '{"half', 'odd {"half'],
    ["odd", '"text"', "odd text"],
    ["odd", "null", "odd"],
    ["", "{}", "tool"],
  ])("makes of %s and %s: %s", (name, args, title) => {
    expect(toolTitle(name, args)).toBe(title);
  });

  it("is one bounded line, whatever a model writes", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.oneof(fc.string({ unit: "binary" }), fc.json()),
        (name, args) => {
          const title = toolTitle(name, args);
          expect(title.length).toBeLessThanOrEqual(MAX_TITLE_CHARS);
          expect(title).not.toMatch(/[\p{Cc}]/u);
        },
      ),
    );
  });
});
