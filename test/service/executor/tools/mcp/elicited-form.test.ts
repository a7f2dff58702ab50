// Forms of elicitations, and people's answers to them.

import { describe, expect, it } from "vitest";
import { fieldsOf, readAnswer } from "../../../../../src/service/executor/tools/mcp/elicited-form.ts";

const schemaOf = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});

function answer(properties: object, text: string, required?: readonly string[]) {
  const fields = fieldsOf(schemaOf(properties, required));
  if (fields === null) return "no form";
  const read = readAnswer(fields, text);
  return read.ok ? read.value : read.refusal.reason;
}

describe("an answer to a form of one field", () => {
  it.each([
    [{ type: "string" }, "  a text: with a colon ", "a text: with a colon"],
    [{ type: "number" }, "1.5", 1.5],
    [{ type: "integer" }, "7", 7],
    [{ type: "boolean" }, "yes", true],
    [{ type: "boolean" }, "false", false],
    [{ type: "string", enum: ["red", "blue"] }, "Blue", "blue"],
    [{ type: "string", enum: ["r", "b"], enumNames: ["Red", "Blue"] }, "red", "r"],
    [{ type: "string", oneOf: [{ const: "r", title: "Red" }] }, "RED", "r"],
    [
      { type: "array", items: { anyOf: [{ const: "r", title: "Red" }, { const: "b" }] } },
      "red, b",
      ["r", "b"],
    ],
  ])("%j takes %j", (property, text, value) => {
    expect(answer({ field: property }, text)).toEqual({ field: value });
  });

  it.each([
    [{ type: "integer" }, "1.5", "field must be a whole number."],
    [{ type: "number" }, "many", "field must be a number."],
    [{ type: "boolean" }, "perhaps", 'field must be one of "Yes", "No".'],
    [{ type: "string", enum: ["red", "blue"] }, "green", 'field must be one of "red", "blue".'],
    [
      { type: "array", items: { enum: ["red", "blue"] } },
      "red, green",
      'field must be some of "red", "blue", with commas between them.',
    ],
    [{ type: "string" }, " ", "field is missing."],
  ])("%j refuses %j", (property, text, reason) => {
    expect(answer({ field: property }, text)).toBe(reason);
  });
});

describe("an answer to a form of several fields", () => {
  const form = {
    name: { type: "string", title: "Full name" },
    age: { type: "integer" },
    note: { type: "string" },
  };

  it("is a line for each, by its name or its title", () => {
    expect(answer(form, "- Full name: A: B\n**`age`**: x", ["name"])).toBe("age must be a whole number.");
    expect(answer(form, "Here it is.\nfull name: A: B\nage: 7", ["name"])).toEqual({ name: "A: B", age: 7 });
    expect(answer(form, "age: 7", ["name"])).toBe("name is missing.");
  });

  it("is empty where there is no field", () => {
    expect(answer({}, "Accept")).toEqual({});
  });
});

describe("a form that nobody can be shown", () => {
  it.each([
    [{ field: { type: "object" } }],
    [{ field: "string" }],
    [{ field: { type: "array", items: { type: "string" } } }],
    [Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`field${at}`, { type: "string" }]))],
  ])("is none: %j", (properties) => {
    expect(answer(properties, "x")).toBe("no form");
  });

  it("is none where it is no schema", () => {
    for (const schema of [null, "x", {}, { properties: [] }]) expect(fieldsOf(schema)).toBeNull();
  });
});
