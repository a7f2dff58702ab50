// What a path says of its file: its language, whether it is a test, which area it lies in. Pure.

const languages: Readonly<Record<string, readonly string[]>> = {
  Assembly: ["asm", "s"],
  Astro: ["astro"],
  C: ["c", "h"],
  "C#": ["cs", "csx"],
  "C++": ["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp"],
  Clojure: ["clj", "cljc", "cljs", "edn"],
  CSS: ["css"],
  CUDA: ["cu", "cuh"],
  Dart: ["dart"],
  Elixir: ["ex", "exs"],
  Elm: ["elm"],
  Erlang: ["erl", "hrl"],
  "F#": ["fs", "fsi", "fsx"],
  Fortran: ["f", "f90", "f95"],
  Go: ["go"],
  GraphQL: ["gql", "graphql"],
  Groovy: ["gradle", "groovy"],
  Haskell: ["hs", "lhs"],
  HCL: ["hcl", "tf", "tfvars"],
  HTML: ["htm", "html"],
  Java: ["java"],
  JavaScript: ["cjs", "js", "jsx", "mjs"],
  Julia: ["jl"],
  "Jupyter Notebook": ["ipynb"],
  Kotlin: ["kt", "kts"],
  Less: ["less"],
  Lua: ["lua"],
  Nim: ["nim"],
  Nix: ["nix"],
  "Objective-C": ["m", "mm"],
  OCaml: ["ml", "mli"],
  Perl: ["pl", "pm"],
  PHP: ["php"],
  PowerShell: ["ps1", "psm1"],
  "Protocol Buffers": ["proto"],
  Python: ["py", "pyi", "pyx"],
  R: ["r"],
  Ruby: ["gemspec", "rake", "rb"],
  Rust: ["rs"],
  Sass: ["sass", "scss"],
  Scala: ["sbt", "scala"],
  Shell: ["bash", "fish", "sh", "zsh"],
  Solidity: ["sol"],
  SQL: ["sql"],
  Starlark: ["bazel", "bzl", "star"],
  Svelte: ["svelte"],
  Swift: ["swift"],
  TypeScript: ["cts", "mts", "ts", "tsx"],
  Vue: ["vue"],
  WebAssembly: ["wat"],
  Zig: ["zig"],
};

const languageByExtension = new Map(
  Object.entries(languages).flatMap(([language, extensions]) =>
    extensions.map((name) => [name, language] as const),
  ),
);

const languageByName = new Map([
  ["cmakelists.txt", "CMake"],
  ["dockerfile", "Dockerfile"],
  ["gemfile", "Ruby"],
  ["gnumakefile", "Makefile"],
  ["makefile", "Makefile"],
  ["rakefile", "Ruby"],
]);

const testFiles =
  /(^|\/)(tests?|specs?|__tests__|testing|e2e)\/|(^|\/)(test_[^/]+\.py|conftest\.py)$|[._-](test|tests|spec)\.[^/.]+$|[^/]+Tests?\.(java|kt|cs|scala)$/;

/** The language that a path's name or extension stands for; null for text, data and everything unknown. */
export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const dot = name.lastIndexOf(".");
  return (
    languageByName.get(name) ?? (dot < 0 ? null : (languageByExtension.get(name.slice(dot + 1)) ?? null))
  );
}

export function isTest(path: string): boolean {
  return testFiles.test(path);
}

/** The first folder of a path, with a slash; "(root)" for a file that lies in none. */
export function areaOf(path: string): string {
  const slash = path.indexOf("/");
  return slash < 0 ? "(root)" : path.slice(0, slash + 1);
}
