// Numbers as people read them, the same in every locale. Pure.

/** `0.3 s`, `42 s`, `3 min 05 s`, `1 h 02 min`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${twoDigits(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${twoDigits(Math.floor((whole % 3600) / 60))} min`;
}

/** `1,234,567`. */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** `$0.42`; less than a cent as `$0.0031`. */
export function dollarsText(microUsd: number): string {
  const dollars = microUsd / 1_000_000;
  return `$${dollars.toFixed(dollars > 0 && dollars < 0.01 ? 4 : 2)}`;
}

/** `1 file`, `2 files`. */
export function plural(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
