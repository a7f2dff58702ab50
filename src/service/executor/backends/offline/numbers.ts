// Numbers as the briefing writes them, the same in every locale. Pure.

export function showCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 file`, `2 files`. */
export function showItems(count: number, noun: string): string {
  return `${showCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function showBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function showShare(part: number, whole: number): string {
  return `${whole === 0 ? "0.0" : ((part / whole) * 100).toFixed(1)} %`;
}

/** By code unit, not by locale: the same order everywhere. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
