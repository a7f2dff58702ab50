// The languages whose lines have colours, by the names of files. A table is made at its first use. Pure.

import { once } from "../../../../base/once.ts";
import { blockComment, type Language, language, lineComment, string } from "./language.ts";

const cComments = [lineComment("//"), blockComment("/*", "*/")];
const quotes = [string('"'), string("'")];
const text = { spansLines: true };
const C_WORDS =
  "if else for while do switch case default break continue return goto struct union enum typedef static const volatile extern inline sizeof void int char short long float double signed unsigned bool auto register";
const CLASS_WORDS =
  "class interface extends implements new this super public private protected abstract final override import package throw throws try catch finally instanceof enum static void if else for while do switch case default break continue return int long short byte char float double boolean";
const C_CONSTANTS = "true false NULL nullptr";

const script = once(() =>
  language({
    delimited: [...cComments, ...quotes, string("`", text)],
    keywords:
      "abstract as asserts async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace new of override private protected public readonly return satisfies set static super switch this throw try type typeof unique using var void while with yield",
    constants: "true false null undefined NaN Infinity",
    nameChars: "$",
    hasRegex: true,
  }),
);
const python = once(() =>
  language({
    delimited: [lineComment("#"), string('"""', text), string("'''", text), ...quotes],
    keywords:
      "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try type while with yield",
    constants: "True False None self cls",
    nameChars: "@",
  }),
);
const go = once(() =>
  language({
    delimited: [...cComments, string('"'), string("`", { ...text, hasEscapes: false })],
    keywords:
      "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var any bool byte error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64",
    constants: "true false nil iota",
    hasChars: true,
  }),
);
const rust = once(() =>
  language({
    delimited: [...cComments, string('"', text)],
    keywords:
      "as async await box break const continue crate dyn else enum extern fn for if impl in let loop macro match mod move mut pub ref return self Self static struct super trait type union unsafe use where while bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
    constants: "true false None Some Ok Err",
    hasChars: true,
  }),
);
const c = once(() =>
  language({
    delimited: [...cComments, string('"')],
    keywords: `${C_WORDS} class namespace template typename public private protected virtual override friend operator new delete this throw try catch using constexpr noexcept explicit mutable concept requires co_await co_return co_yield static_cast dynamic_cast reinterpret_cast const_cast #include #define #ifdef #ifndef #if #elif #else #endif #pragma #undef #error id self nil`,
    constants: C_CONSTANTS,
    nameChars: "#",
    hasChars: true,
  }),
);
const csharp = once(() =>
  language({
    delimited: [...cComments, string('@"', { ...text, close: '"', hasEscapes: false }), string('"')],
    keywords: `${CLASS_WORDS} as async await base bool checked decimal delegate event explicit foreach get implicit in init internal is lock namespace object operator out params partial readonly record ref sbyte sealed set sizeof stackalloc string struct typeof uint ulong unchecked unsafe ushort using var virtual volatile when where yield`,
    constants: "true false null",
    hasChars: true,
  }),
);
const jvm = once(() =>
  language({
    delimited: [...cComments, string('"""', text), string('"')],
    keywords: `${CLASS_WORDS} as by companion constructor data def fun given in infix init inline internal is lateinit lazy native object open operator out permits reified record sealed strictfp suspend synchronized tailrec trait transient transitive typealias val var vararg volatile when where with yield`,
    constants: "true false null it",
    nameChars: "@$",
    hasChars: true,
  }),
);
const swift = once(() =>
  language({
    delimited: [...cComments, string('"""', text), string('"')],
    keywords:
      "actor any as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough fileprivate for func guard if import in indirect init inout internal is lazy let mutating nonisolated open operator override private protocol public repeat required rethrows return some static struct subscript super switch throw throws try typealias unowned var weak where while",
    constants: "true false nil self Self",
    nameChars: "@#",
  }),
);
const php = once(() =>
  language({
    delimited: [...cComments, lineComment("#"), string('"', text), string("'", text)],
    keywords: `${CLASS_WORDS} and array as callable clone const declare echo elseif endfor endforeach endif endwhile fn foreach function global include include_once insteadof isset list match namespace or print readonly require require_once string trait unset use var xor yield`,
    constants: "true false null TRUE FALSE NULL",
    nameChars: "$",
  }),
);
const ruby = once(() =>
  language({
    delimited: [lineComment("#", ""), string('"', text), string("'", text), string("`", text)],
    keywords:
      "alias and begin break case class def defined? do else elsif end ensure extend for if in include loop module next not or private protected public raise redo require require_relative rescue retry return self super then undef unless until when while yield attr_reader attr_writer attr_accessor",
    constants: "true false nil",
    nameChars: "@?!",
  }),
);
const shell = once(() =>
  language({
    delimited: [
      lineComment("#", ";(|&"),
      string('"', text),
      string("'", { ...text, hasEscapes: false }),
      string("`", text),
    ],
    keywords:
      "if then else elif fi for while until do done case esac in function select time return exit break continue local export readonly declare typeset unset set shift source alias trap eval exec FROM AS RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL",
    constants: "true false",
    nameChars: "$-",
  }),
);
const make = once(() =>
  language({
    delimited: [lineComment("#"), ...quotes],
    keywords: "ifeq ifneq ifdef ifndef else endif include define endef export unexport override vpath .PHONY",
    nameChars: "$.-",
    keyEnd: ":",
  }),
);
const yaml = once(() =>
  language({
    delimited: [lineComment("#", ""), string('"', { after: ":-[{,(" }), string("'", { after: ":-[{,(" })],
    constants: "true false null yes no on off ~",
    nameChars: "-./",
    keyEnd: ":",
  }),
);
const ini = once(() =>
  language({
    delimited: [
      lineComment("#", ""),
      lineComment(";", ""),
      string('"""', text),
      string("'''", { ...text, hasEscapes: false }),
      string('"'),
      string("'", { hasEscapes: false, after: "=[,({" }),
    ],
    constants: "true false null",
    nameChars: "-.",
    keyEnd: "=",
  }),
);
const json = once(() =>
  language({ delimited: [...cComments, string('"')], constants: "true false null", keyEnd: ":" }),
);
const css = once(() =>
  language({
    delimited: [blockComment("/*", "*/"), lineComment("//", ";{}"), ...quotes],
    keywords:
      "@media @import @supports @font-face @keyframes @layer @container @property @include @mixin @use @forward @extend @if @else @each @for @function @return !important",
    constants: "inherit initial unset none auto",
    nameChars: "-@!",
    keyEnd: ":",
  }),
);
const sql = once(() =>
  language({
    delimited: [
      lineComment("--"),
      blockComment("/*", "*/"),
      string("'", { ...text, hasEscapes: false }),
      string('"'),
    ],
    keywords:
      "add all alter and as asc begin between by case cast check column commit constraint create cross default delete desc distinct drop else end except exists foreign from full function group having if in index inner insert intersect into is join key left like limit not offset on or order outer over partition primary references returning right rollback select set table then transaction trigger union unique update using values view when where with bigint boolean integer jsonb numeric serial text timestamp uuid varchar",
    constants: "true false null",
    ignoresCase: true,
  }),
);
const markup = once(() =>
  language({ delimited: [blockComment("<!--", "-->")], nameChars: "-:.@", isMarkup: true }),
);

const byExtension: Readonly<Record<string, () => Language>> = {
  ...named(script, "js jsx mjs cjs ts tsx mts cts"),
  ...named(python, "py pyi pyw bzl star"),
  ...named(go, "go"),
  ...named(rust, "rs"),
  ...named(c, "c h cc cpp cxx hh hpp hxx m mm ino proto"),
  ...named(csharp, "cs"),
  ...named(jvm, "java kt kts scala groovy gradle dart"),
  ...named(swift, "swift"),
  ...named(php, "php"),
  ...named(ruby, "rb rake gemspec"),
  ...named(shell, "sh bash zsh ksh dockerfile"),
  ...named(make, "mk"),
  ...named(yaml, "yml yaml"),
  ...named(ini, "toml ini cfg conf properties env editorconfig"),
  ...named(json, "json jsonc json5 webmanifest"),
  ...named(css, "css scss less"),
  ...named(sql, "sql"),
  ...named(markup, "html htm xml svg vue svelte xhtml plist csproj"),
};

const byName: Readonly<Record<string, () => Language>> = {
  ...named(shell, "dockerfile containerfile"),
  ...named(make, "makefile gnumakefile"),
  ...named(ruby, "gemfile rakefile"),
};

function named(of: () => Language, names: string): Record<string, () => Language> {
  return Object.fromEntries(names.split(" ").map((name) => [name, of]));
}

/** By the file's name, whatever is in it. Null: its lines have no colours. */
export function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const dot = name.lastIndexOf(".");
  const found = own(byName, name) ?? (dot < 0 ? null : own(byExtension, name.slice(dot + 1)));
  return found === null ? null : found();
}

function own(table: Readonly<Record<string, () => Language>>, name: string): (() => Language) | null {
  return Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}
