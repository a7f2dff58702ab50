// What is wrong with the index of decisions: one table a group, one row a note, with its date and whether it is still true. Pure.

/** The notes by the names of their files. */
export type Notes = ReadonlyMap<string, string>;

type Row = {
  readonly number: string;
  readonly file: string;
  readonly title: string;
  readonly date: string;
  readonly state: string;
};

const HEAD = ["| Decision | Since | State |", "| --- | --- | --- |"];
const ROW =
  /^\| \[(?<number>\d{3})\]\((?<file>[^)]+)\) (?<title>.+) \| (?<date>[^|]+) \| (?<state>[^|]+) \|$/;
const STATE =
  /^(?:still true|(?:(?<inPart>still true, in part replaced)|(?<whole>replaced)) by (?<successor>\d{3}))$/;

/** One line for each fault; none where the index is complete, sorted and says the same as the notes. */
export function faultsOfIndex(index: string, notes: Notes): string[] {
  const lines = index.split("\n").filter((line) => line.startsWith("|") && !HEAD.includes(line));
  const rows = lines.map(rowOf).filter((row) => row !== null);
  const listed = rows.map(({ file }) => file);
  return [
    ...lines.filter((line) => rowOf(line) === null).map((line) => `no row of a decision: ${line}`),
    ...index.split(/^## /m).flatMap(faultsOfOrder),
    ...[...notes.keys()].filter((file) => !listed.includes(file)).map((file) => `${file} has no row`),
    ...listed.filter((file, at) => listed.indexOf(file) !== at).map((file) => `${file} has two rows`),
    ...rows.flatMap((row) => faultsOfRow(row, notes)),
  ];
}

function rowOf(line: string): Row | null {
  const { number = "", file = "", title = "", date = "", state = "" } = ROW.exec(line)?.groups ?? {};
  return number === "" ? null : { number, file, title, date, state };
}

function faultsOfOrder(group: string): string[] {
  const numbers = group.split("\n").flatMap((line) => rowOf(line)?.number ?? []);
  return numbers
    .filter((number, at) => at > 0 && number <= (numbers[at - 1] ?? ""))
    .map((number) => `${number} is out of order`);
}

function faultsOfRow({ number, file, title, date, state }: Row, notes: Notes): string[] {
  const note = notes.get(file);
  if (note === undefined || !file.startsWith(`${number}-`)) return [`${number} leads to ${file}`];
  const [heading = "", , opening = ""] = note.split("\n");
  return [
    ...(heading.replace(/^# \d{3}:? /, "") === title ? [] : [`${number} has another title than its note`]),
    ...(isDate(date) ? [] : [`${number} has the date ${date}`]),
    ...faultsOfState({ number, state, opening }, [...notes.keys()]),
  ];
}

function faultsOfState(
  { number, state, opening }: Pick<Row, "number" | "state"> & { readonly opening: string },
  files: readonly string[],
): string[] {
  const found = STATE.exec(state)?.groups;
  if (!STATE.test(state)) return [`${number} has the state ${state}`];
  const successor = found?.successor;
  if (successor === undefined)
    return /^(in part )?replaced by/i.test(opening) ? [`${number} is replaced by its own words`] : [];
  if (successor === number || !files.some((file) => file.startsWith(`${successor}-`)))
    return [`${number} is replaced by ${successor}, which is no other note`];
  const said = found?.whole === undefined ? "In part replaced by" : "Replaced by";
  return opening.startsWith(`${said} [${successor}](`) ? [] : [`${number} does not begin with "${said}"`];
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
}
