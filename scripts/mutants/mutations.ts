// The mutations that a source file allows: where, what kind, and the code that stands there instead. Pure.

import { parseAst } from "rolldown/parseAst";

export type Mutation = {
  readonly kind: string;
  /** The code that is replaced: offsets in the file's text. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** A statement is taken out by a condition around it, an expression is replaced by one of two. */
  readonly place: "expression" | "statement";
  /** From 1. */
  readonly line: number;
};

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;
type Add = (kind: string, node: Node, replacement: string, place?: Mutation["place"]) => void;
type Mutator = (node: Node, add: Add, text: (node: Node) => string) => void;

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
const METHODS: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  min: "max",
  max: "min",
  toLowerCase: "toUpperCase",
  slice: "valueOf",
  filter: "valueOf",
  trim: "valueOf",
};

/** Like Stryker's mutators, without numbers, regular expressions and prose: those rarely tell of a missing test. */
const mutators: Readonly<Record<string, Mutator>> = {
  BinaryExpression(node, add, text) {
    const operator = OPERATORS[String(node.operator)];
    if (operator === undefined) return;
    add(
      `${node.operator} → ${operator}`,
      node,
      `${text(child(node, "left"))} ${operator} ${text(child(node, "right"))}`,
    );
  },
  LogicalExpression(node, add, text) {
    const left = text(child(node, "left"));
    const right = text(child(node, "right"));
    if (node.operator === "??") return add("?? → left", node, left);
    const operator = node.operator === "&&" ? "||" : "&&";
    add(`${node.operator} → ${operator}`, node, `(${left}) ${operator} (${right})`);
  },
  IfStatement: mutateTest,
  ConditionalExpression: mutateTest,
  UnaryExpression(node, add, text) {
    if (node.operator === "!") add("! → ", node, text(child(node, "argument")));
  },
  Literal(node, add) {
    const { value } = node;
    if (typeof value === "boolean") add(`${value} → ${!value}`, node, String(!value));
    if (typeof value === "string" && /^\S+$/.test(value)) add("string → empty", node, '""');
  },
  CallExpression(node, add, text) {
    const callee = child(node, "callee");
    if (callee.type !== "MemberExpression" || callee.computed === true) return;
    const property = child(callee, "property");
    const name = METHODS[String(property.name)];
    if (name === undefined) return;
    const all = text(node);
    const at = property.start - node.start;
    const mutated = all.slice(0, at) + name + all.slice(at + String(property.name).length);
    add(`.${property.name}() → .${name}()`, node, mutated);
  },
  ExpressionStatement(node, add) {
    const expression = child(node, "expression");
    const called = expression.type === "AwaitExpression" ? child(expression, "argument") : expression;
    if (called.type !== "CallExpression" || child(called, "callee").type === "Super") return;
    add("statement → nothing", node, "", "statement");
  },
};

function mutateTest(node: Node, add: Add): void {
  add("condition → true", child(node, "test"), "true");
  add("condition → false", child(node, "test"), "false");
}

/** Every mutation of a TypeScript file, in its order. */
export function findMutations(source: string): readonly Mutation[] {
  const found: Mutation[] = [];
  const text = (node: Node): string => source.slice(node.start, node.end);
  const add: Add = (kind, { start, end }, replacement, place = "expression") => {
    const line = source.slice(0, start).split("\n").length;
    found.push({ kind, start, end, replacement, place, line });
  };
  const visit = (node: Node): void => {
    if (isTypeOnly(node)) return;
    mutators[node.type]?.(node, add, text);
    for (const [key, value] of Object.entries(node)) {
      if (isName(node, key)) continue;
      for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) visit(each);
    }
  };
  visit(parseAst(source, { lang: "ts" }) as unknown as Node);
  return found;
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
