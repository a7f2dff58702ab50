// A patch of one hunk from a file's text before and after; equal lines at both ends are context or left out. Pure.

const CONTEXT_LINES = 3;

type FileTexts = {
  readonly path: string;
  /** Null where there was no file. */
  readonly before: string | null;
  readonly after: string;
};

export function diffText({ path, before, after }: FileTexts): string {
  const old = linesOf(before ?? "");
  const young = linesOf(after);
  let head = 0;
  while (head < old.length && head < young.length && old[head] === young[head]) head += 1;
  let tail = 0;
  const shorter = Math.min(old.length, young.length) - head;
  while (tail < shorter && old.at(-1 - tail) === young.at(-1 - tail)) tail += 1;

  const first = Math.max(0, head - CONTEXT_LINES);
  const kept = Math.max(0, tail - CONTEXT_LINES);
  const range = (lines: readonly string[]) => {
    const count = lines.length - kept - first;
    return `${count === 0 ? first : first + 1},${count}`;
  };
  return [
    `--- ${before === null ? "/dev/null" : path}`,
    `+++ ${path}`,
    `@@ -${range(old)} +${range(young)} @@`,
    ...old.slice(first, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...young.slice(head, young.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - kept).map((line) => ` ${line}`),
  ].join("\n");
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
