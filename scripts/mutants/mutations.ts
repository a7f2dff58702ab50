// The mutations that a source file allows: where, what kind, and the code that stands there instead. Pure.

import { parseAst } from "rolldown/parseAst";
import { findClauses } from "./sql-clauses.ts";

export type Mutation = {
  readonly kind: string;
  /** The code that is replaced: offsets in the file's text. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** A statement is taken out by a condition around it, an expression is replaced by one of two, a field is spread or not. */
  readonly place: "expression" | "statement" | "field";
  /** From 1. */
  readonly line: number;
};

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;
type Range = { readonly start: number; readonly end: number };
type Add = (kind: string, range: Range, replacement: string, place?: Mutation["place"]) => void;
type Source = {
  readonly text: (range: Range) => string;
  /** The end of a field of an object: after its comma, where it has one. */
  readonly fieldEnd: (field: Node) => number;
};
type Mutator = (node: Node, add: Add, source: Source) => void;

const OPERATORS: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
};
const METHODS: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
  ["min", "max"],
  ["max", "min"],
  ["toLowerCase", "toUpperCase"],
  ["slice", "valueOf"],
  ["filter", "valueOf"],
  ["trim", "valueOf"],
]);
/** Parts of a query: the call is left out. */
const QUERY_PARTS: ReadonlySet<string> = new Set([
  "where",
  "having",
  "orderBy",
  "limit",
  "offset",
  "distinct",
  "forUpdate",
  "forShare",
  "skipLocked",
  "onConflict",
]);

/** Like Stryker's mutators, with numbers, fields, queries and awaits, and without regular expressions and prose. */
const mutators: Readonly<Record<string, Mutator>> = {
  BinaryExpression(node, add, { text }) {
    const operator = OPERATORS[String(node.operator)];
    if (operator === undefined) return;
    add(
      `${node.operator} → ${operator}`,
      node,
      `${text(child(node, "left"))} ${operator} ${text(child(node, "right"))}`,
    );
  },
  LogicalExpression(node, add, { text }) {
    const left = text(child(node, "left"));
    const right = text(child(node, "right"));
    if (node.operator === "??") return add("?? → left", node, left);
    const operator = node.operator === "&&" ? "||" : "&&";
    add(`${node.operator} → ${operator}`, node, `(${left}) ${operator} (${right})`);
  },
  IfStatement: mutateTest,
  ConditionalExpression: mutateTest,
  UnaryExpression(node, add, { text }) {
    if (node.operator === "!") add("! → ", node, text(child(node, "argument")));
  },
  Literal(node, add) {
    const { value } = node;
    if (typeof value === "boolean") add(`${value} → ${!value}`, node, String(!value));
    if (typeof value === "string" && /^\S+$/.test(value)) add("string → empty", node, '""');
    if (typeof value !== "number") return;
    add(`${value} → ${value + 1}`, node, String(value + 1));
    if (value > 1) add(`${value} → 0`, node, "0");
  },
  CallExpression(node, add, { text }) {
    const callee = child(node, "callee");
    if (callee.type !== "MemberExpression" || callee.computed === true) return;
    const property = child(callee, "property");
    const written = String(property.name);
    if (QUERY_PARTS.has(written)) add(`.${written}() → nothing`, node, text(child(callee, "object")));
    const name = METHODS.get(written);
    if (name === undefined) return;
    const all = text(node);
    const at = property.start - node.start;
    const mutated = all.slice(0, at) + name + all.slice(at + written.length);
    add(`.${written}() → .${name}()`, node, mutated);
  },
  AwaitExpression(node, add, { text }) {
    add("await → nothing", node, text(child(node, "argument")));
  },
  ObjectExpression(node, add, { fieldEnd }) {
    const fields = Array.isArray(node.properties) ? node.properties.filter(isNode) : [];
    if (fields.length < 2) return;
    for (const field of fields) add("field → nothing", { ...field, end: fieldEnd(field) }, "", "field");
  },
  TaggedTemplateExpression(node, add, { text }) {
    const tag = child(node, "tag");
    if (tag.type !== "Identifier" || tag.name !== "sql") return;
    const query = child(node, "quasi");
    const at = query.start - node.start;
    for (const { name, start, end } of findClauses(text(query))) {
      const all = text(node);
      add(`sql ${name} → nothing`, node, `${all.slice(0, at + start)}${all.slice(at + end)}`);
    }
  },
  ExpressionStatement(node, add) {
    const expression = child(node, "expression");
    const done = expression.type === "AwaitExpression" ? child(expression, "argument") : expression;
    const isCall = done.type === "CallExpression" && child(done, "callee").type !== "Super";
    const isChange = done.type === "AssignmentExpression" || done.type === "UpdateExpression";
    if (isCall || isChange) add("statement → nothing", node, ";", "statement");
  },
  ThrowStatement(node, add) {
    add("throw → nothing", node, ";", "statement");
  },
  ContinueStatement(node, add) {
    add("continue → nothing", node, ";", "statement");
  },
};

function mutateTest(node: Node, add: Add): void {
  add("condition → true", child(node, "test"), "true");
  add("condition → false", child(node, "test"), "false");
}

/** Every mutation of a TypeScript file, in its order. */
export function findMutations(source: string): readonly Mutation[] {
  const found: Mutation[] = [];
  const text = ({ start, end }: Range): string => source.slice(start, end);
  const fieldEnd = ({ end }: Node): number => end + (/^\s*,/.exec(source.slice(end))?.[0].length ?? 0);
  const add: Add = (kind, { start, end }, replacement, place = "expression") => {
    found.push({ kind, start, end, replacement, place, line: 0 });
  };
  const visit = (node: Node, parent: Node, isTried: boolean): void => {
    if (isTypeOnly(node)) return;
    if (!isPartOfChain(node, parent, text) && !(isAwaitedAnyway(node, parent) && !isTried))
      mutators[node.type]?.(node, add, { text, fieldEnd });
    const isTriedWithin = node.type === "TryStatement" || (isTried && !node.type.includes("Function"));
    for (const [key, value] of Object.entries(node)) {
      if (isName(node, key)) continue;
      for (const each of Array.isArray(value) ? value : [value])
        if (isNode(each)) visit(each, node, isTriedWithin);
    }
  };
  const program = parseAst(source, { lang: "ts" }) as unknown as Node;
  visit(program, program, false);
  return withLines(found, source);
}

function withLines(found: readonly Mutation[], source: string): readonly Mutation[] {
  const lineOf = new Map<number, number>();
  let line = 1;
  let at = 0;
  for (const start of found.map((one) => one.start).sort((a, b) => a - b)) {
    for (; at < start; at += 1) if (source[at] === "\n") line += 1;
    lineOf.set(start, line);
  }
  return found.map((one) => ({ ...one, line: lineOf.get(one.start) ?? 0 }));
}

/** Within `a?.b.c`, only the whole can be replaced: a part in brackets ends the chain. */
function isPartOfChain(node: Node, parent: Node, text: (range: Range) => string): boolean {
  const isInner = parent.type === "MemberExpression" || parent.type === "CallExpression";
  return isInner && (parent.object === node || parent.callee === node) && text(node).includes("?.");
}

/** An await that says what happens without it: a promise that is returned is awaited by the caller. */
function isAwaitedAnyway({ type }: Node, parent: Node): boolean {
  return type === "AwaitExpression" && ["ReturnStatement", "ArrowFunctionExpression"].includes(parent.type);
}

/** What is erased before the program starts, and imports. */
function isTypeOnly({ type }: Node): boolean {
  if (type === "TSAsExpression" || type === "TSSatisfiesExpression" || type === "TSNonNullExpression")
    return false;
  return type.startsWith("TS") || type.startsWith("Import") || type === "ExportAllDeclaration";
}

/** A name is no expression: the key of a property, the property of `a.b`, what an export is called. */
function isName(node: Node, key: string): boolean {
  if (key === "typeAnnotation" || key === "typeArguments" || key === "directive") return true;
  if (key === "source" || key === "specifiers") return node.type.startsWith("Export");
  return (key === "key" || key === "property") && node.computed !== true;
}

function child(node: Node, key: string): Node {
  const value = node[key];
  if (!isNode(value)) throw new Error(`A ${node.type} without ${key}`);
  return value;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
