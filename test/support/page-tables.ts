// The tables of a page as somebody reads them: what each column is called, and how many cells each row has.

export type PageTable = {
  /** The names of the columns, without markup. */
  readonly head: readonly string[];
  /** The count of cells of each row, as wide as they are. */
  readonly widths: readonly number[];
};

export function tablesOf(page: string): readonly PageTable[] {
  return [...page.matchAll(/<table\b[\s\S]*?<\/table>/g)].map(([table]) => {
    const [, head = ""] = /<thead>([\s\S]*?)<\/thead>/.exec(table) ?? [];
    const body = table.replace(/<thead>[\s\S]*?<\/thead>/, "");
    const rows = [...body.matchAll(/<tr\b[\s\S]*?(?=<tr\b|$)/g)].map(([row]) => row);
    return {
      head: [...head.matchAll(/<th\b[^>]*>([\s\S]*?)<\/th>/g)].map(([, name = ""]) =>
        name.replace(/<[^>]*>/g, "").trim(),
      ),
      widths: rows.map(widthOf),
    };
  });
}

function widthOf(row: string): number {
  let width = 0;
  for (const [cell] of row.matchAll(/<t[dh]\b[^>]*>/g))
    width += Number(/\bcolspan="(\d+)"/.exec(cell)?.[1] ?? 1);
  return width;
}

/** Tables with a column without a name, or with a row that is not as wide as the head. */
export function faultyTables(page: string): readonly PageTable[] {
  return tablesOf(page).filter(
    ({ head, widths }) =>
      head.includes("") || (head.length > 0 && widths.some((width) => width !== head.length)),
  );
}
