// The languages of a project, by the extensions of its files. Pure.

const extensions: Readonly<Record<string, string>> = {
  C: "c h",
  "C#": "cs",
  "C++": "cc cpp cxx hh hpp",
  CSS: "css scss less",
  Dart: "dart",
  Elixir: "ex exs",
  Go: "go",
  Haskell: "hs",
  HTML: "html",
  Java: "java",
  JavaScript: "js cjs mjs jsx",
  Kotlin: "kt kts",
  PHP: "php",
  Python: "py pyi",
  Ruby: "rb",
  Rust: "rs",
  Scala: "scala",
  Shell: "sh bash",
  SQL: "sql",
  Swift: "swift",
  Terraform: "tf",
  TypeScript: "ts cts mts tsx",
};
const languages = new Map(
  Object.entries(extensions).flatMap(([name, list]) => list.split(" ").map((extension) => [extension, name])),
);

/** Files a language, most first; files of no known language are left out. */
export function languageShares(
  paths: readonly string[],
): { readonly name: string; readonly files: number }[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const name = languages.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .map(([name, files]) => ({ name, files }))
    .sort((a, b) => b.files - a.files || (a.name < b.name ? -1 : 1));
}
