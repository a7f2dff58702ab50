// Says why a search found nothing: the searched files, the others, and the search that would have found something.

import type { Checkout, TextQuery } from "../../core/checkouts/checkout.ts";
import { showPath } from "./checkout-path.ts";
import { isForeign } from "./foreign-files.ts";
import { findRegexFault } from "./regex-fault.ts";
import { pathTest, type Scope, scopeText } from "./search-scope.ts";

type FruitlessSearch = {
  readonly checkout: Checkout;
  readonly signal: AbortSignal;
  readonly query: TextQuery;
  readonly scope: Scope;
  /** Lines that match in vendored and generated files. */
  readonly leftOut: number;
};

/** Words that go on after "nothing found: ". */
export async function whyNothingFound(search: FruitlessSearch): Promise<string> {
  const { checkout, scope, leftOut } = search;
  const { path } = scope;
  const files = await checkout.files();
  const inScope = files.filter(scope.has);
  const below = scope.globs.length === 0 ? inScope : files.filter(pathTest({ path, globs: [] }));
  if (below.length === 0 && path !== "") {
    const ignored = (await checkout.ignored()).some((one) => path === one || path.startsWith(`${one}/`));
    const shown = showPath(path);
    return ignored
      ? `git ignores ${shown}, and what it ignores is not searched; read_file reads it by its path`
      : `${shown} holds no file that git would track`;
  }
  if (inScope.length === 0) return `none of ${below.length} files matches ${scopeText(scope)}`;
  const foreign = scope.kind === "file" ? 0 : inScope.filter(isForeign).length;
  const said = [
    `no line of ${inScope.length - (leftOut > 0 ? foreign : 0)} files in ${scopeText(scope)}; binary files and those above 5 MB are not searched`,
  ];
  if (leftOut > 0) {
    said.push(`${leftOut} lines match in ${foreign} vendored or generated files: include_foreign shows them`);
  }
  return [...said, ...(await otherSearches(search))].join(". ");
}

/** Which other search would find something. */
async function otherSearches({ checkout, signal, query, scope }: FruitlessSearch): Promise<string[]> {
  const { pattern, isRegex, ignoreCase, wholeWord } = query;
  const others: { readonly query: TextQuery; readonly how: string }[] = [];
  if (!ignoreCase) others.push({ query: { ...query, ignoreCase: true }, how: "with ignore_case" });
  if (wholeWord) others.push({ query: { ...query, wholeWord: false }, how: "without whole_word" });
  const hasSpecials = /[\\.*+?()[\]{}|^$]/.test(pattern);
  if (isRegex && hasSpecials) others.push({ query: { ...query, isRegex: false }, how: "with literal" });
  if (!isRegex && hasSpecials && findRegexFault(pattern) === null) {
    others.push({ query: { ...query, isRegex: true }, how: "as a regular expression (without literal)" });
  }
  if (scope.globs.length > 0) others.push({ query: { ...query, globs: [] }, how: "without glob" });
  const told: string[] = [];
  for (const other of others) {
    signal.throwIfAborted();
    // What is no valid pattern finds nothing.
    const { counts } = await checkout.countText(other.query).catch(() => ({ counts: [] }));
    const lines = counts.reduce((sum, count) => sum + count.lines, 0);
    if (lines > 0) told.push(`The same ${other.how} finds ${lines} ${lines === 1 ? "line" : "lines"}`);
  }
  return told;
}
