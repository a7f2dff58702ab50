// The public exports of `agent-service/client` with their TSDoc, and the client's methods, as the TypeScript compiler reads them.
// What /docs shows of the client library.
// Why: docs/decisions/168-pages-have-what-a-caller-can-import.md

import { join } from "node:path";
import type { Node } from "typescript/unstable/ast";
import {
  isClassDeclaration,
  isFunctionDeclaration,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
  isPropertyDeclaration,
  isPropertySignatureDeclaration,
  isTypeAliasDeclaration,
  isTypeLiteralNode,
} from "typescript/unstable/ast/is";
import {
  API,
  type Checker,
  type Project,
  SignatureKind,
  SymbolFlags,
  type Symbol as TsSymbol,
  type Type,
} from "typescript/unstable/sync";
import { components } from "../../src/contract/openapi/components.ts";
import type {
  ClientLibrary,
  ExportMember,
  LibraryExport,
  LibraryMethod,
} from "../../src/service/api/http/reference/client-library.ts";

const ROOT = join(import.meta.dirname, "../..");
const ENTRY = join(ROOT, "src/client/client.ts");
/** Exports that are declared here are types of the wire: the API's schemas have their fields. */
const CONTRACT = join(ROOT, "src/contract/");
const SOURCES = join(ROOT, "src/");
/** A type that is longer by its parts is told by the route that it comes from. */
const MAX_TYPE_CHARS = 200;

/** Reads the sources. Throws where the entry is no module. */
export async function clientLibrary(): Promise<ClientLibrary> {
  const api = new API({ cwd: ROOT });
  try {
    const configuration = join(ROOT, "tsconfig.types.json");
    const project = api.updateSnapshot({ openProject: configuration }).getProject(configuration);
    const entry = project?.program.getSourceFile(ENTRY);
    const module = entry === undefined ? undefined : project?.checker.getSymbolAtLocation(entry);
    if (project === undefined || module === undefined) throw new Error(`${ENTRY} is no module.`);
    const { checker } = project;
    const exported = checker.getExportsOfModule(module);
    const client = exported.find(({ name }) => name === "Client");
    if (client === undefined) throw new Error(`${ENTRY} exports no type "Client".`);
    const exports = await Promise.all(exported.map((one) => exportOf(project, one)));
    return {
      exports: exports.sort((one, other) => compare(one.name, other.name)),
      methods: methodsOf(checker, checker.getDeclaredTypeOfSymbol(client)),
    };
  } finally {
    api.close();
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}

async function exportOf({ checker }: Project, exported: TsSymbol): Promise<LibraryExport> {
  const symbol = exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const declaration = symbol.declarations[0]?.resolve();
  if (declaration === undefined) throw new Error(`${exported.name} has no declaration.`);
  const { name } = exported;
  const about = oneLine(checker.getDocumentationCommentOfSymbol(symbol));
  if (isFunctionDeclaration(declaration)) {
    const text = declaration.getText();
    const body = declaration.body?.getText() ?? "";
    const signature = oneLine(text.slice(0, text.length - body.length).replace(/^export /, ""));
    return { name, kind: "function", about, signature, schema: null, members: [] };
  }
  if (isClassDeclaration(declaration)) {
    const base = declaration.heritageClauses?.[0]?.getText();
    const signature = `class ${name}${base === undefined ? "" : ` ${oneLine(base)}`}`;
    return { name, kind: "class", about, signature, schema: null, members: classMembers(checker, symbol) };
  }
  const schema = await schemaOf(declaration, symbol.name);
  if (schema !== null) return { name, kind: "wire", about, signature: `type ${name}`, schema, members: [] };
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const members = type.isUnionType()
    ? []
    : checker.getPropertiesOfType(type).flatMap((one) => memberOf(checker, one));
  const isLiteral = !isTypeAliasDeclaration(declaration) || isTypeLiteralNode(declaration.type);
  const isOfWire = declaration.getSourceFile().fileName.startsWith(CONTRACT);
  const written = `type ${oneLine(
    declaration
      .getText()
      .replaceAll(/\/\*\*.*?\*\//gs, "")
      .replace(/^export type /, ""),
  )}`;
  // Members have rows of their own.
  const signature =
    isLiteral || isOfWire
      ? `type ${name}`
      : members.length > 0
        ? written.replace(/\{.*\}/, "{ … }")
        : written;
  return { name, kind: "type", about, signature, schema: null, members };
}

/** The name of the API's schema that a type of the wire is derived from, `z.infer<typeof agentSchema>`, or has. */
async function schemaOf(declaration: Node, name: string): Promise<string | null> {
  const { fileName } = declaration.getSourceFile();
  if (!fileName.startsWith(CONTRACT)) return null;
  const [, constant = ""] = /typeof (\w+)>;$/.exec(declaration.getText()) ?? [];
  const module: Readonly<Record<string, unknown>> = await import(fileName);
  const found = Object.entries(components).find(([, { schema }]) => schema === module[constant]);
  return found?.[0] ?? (name in components ? name : null);
}

function classMembers(checker: Checker, symbol: TsSymbol): readonly ExportMember[] {
  const own = [...symbol.getExports().values(), ...symbol.getMembers().values()];
  return own.flatMap((member) =>
    memberOf(checker, member).map((one) =>
      symbol.getExports().has(member.escapedName) ? { ...one, name: `static ${one.name}` } : one,
    ),
  );
}

/** None for what the library does not declare by hand, such as a method that a route gives. */
function memberOf(checker: Checker, symbol: TsSymbol): readonly ExportMember[] {
  const declaration = symbol.declarations[0]?.resolve();
  if (declaration === undefined) return [];
  const { fileName } = declaration.getSourceFile();
  if (!fileName.startsWith(SOURCES)) return [];
  const typeOf = (text: string) =>
    /\b(?:Schema|Where)\b/.test(text) ? wholeType(checker, symbol) : oneLine(text);
  const about = oneLine(checker.getDocumentationCommentOfSymbol(symbol));
  const isOptional = (symbol.flags & SymbolFlags.Optional) !== 0;
  if (isPropertySignatureDeclaration(declaration) || isPropertyDeclaration(declaration)) {
    const initial = declaration.initializer?.getText() ?? "unknown";
    const name = declaration.name.getText();
    return [{ name, type: typeOf(declaration.type?.getText() ?? initial), isOptional, about }];
  }
  if (isMethodSignatureDeclaration(declaration) || isMethodDeclaration(declaration)) {
    const name = declaration.name.getText();
    const parameters = declaration.parameters.map((one) => one.getText()).join(", ");
    const type = typeOf(`(${parameters}) => ${declaration.type?.getText() ?? "void"}`);
    return [{ name, type, isOptional, about }];
  }
  return [];
}

/** For a type that is written with parameters. */
function wholeType(checker: Checker, symbol: TsSymbol): string {
  const type = checker.getTypeOfSymbol(symbol);
  const text = type === undefined ? "" : oneLine(checker.typeToString(type));
  return text.length <= MAX_TYPE_CHARS ? text : "as the route has it";
}

/** Of each noun of the client its methods, with the names of their options. */
function methodsOf(checker: Checker, client: Type): readonly LibraryMethod[] {
  const nouns = checker
    .getPropertiesOfType(client)
    .map((noun) => [noun, checker.getTypeOfSymbol(noun)] as const);
  return nouns
    .flatMap(([noun, type]) =>
      (type === undefined ? [] : checker.getPropertiesOfType(type)).map(
        (method): LibraryMethod => ({
          noun: noun.name,
          name: method.name,
          options: optionsOf(checker, method),
        }),
      ),
    )
    .sort((one, other) => compare(`${one.noun}.${one.name}`, `${other.noun}.${other.name}`));
}

/** `signal` and `retry` are options of every method, and are told once. */
function optionsOf(checker: Checker, method: TsSymbol): readonly string[] {
  const type = checker.getTypeOfSymbol(method);
  const [signature] = type === undefined ? [] : checker.getSignaturesOfType(type, SignatureKind.Call);
  const options = signature === undefined ? undefined : checker.getParameterType(signature, 0);
  if (options === undefined) return [];
  return checker
    .getPropertiesOfType(checker.getNonNullableType(options) ?? options)
    .filter(({ name }) => name !== "signal" && name !== "retry")
    .map(({ name, flags }) => (flags & SymbolFlags.Optional ? `${name}?` : name));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
