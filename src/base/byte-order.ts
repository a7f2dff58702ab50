// The order of texts by the bytes of their UTF-8, as git and a database's binary collation sort them. JavaScript's own order
// differs above U+D7FF. Pure.

/** Negative where `a` comes first, 0 where they are equal. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x !== y) return rankOf(x) - rankOf(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above U+FFFF, so they come after U+E000 to U+FFFF. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
