// A text in which typographic variants are one: curly and straight quotes, dashes, kinds of blanks, composed and decomposed letters.
// Each of its characters knows where it stands in the text it was made of. Pure.

const variants: ReadonlyMap<string, string> = new Map([
  ...[..."\u2018\u2019\u201a\u201b\u2032"].map((quote) => [quote, "'"] as const),
  ...[..."\u201c\u201d\u201e\u201f\u2033"].map((quote) => [quote, '"'] as const),
  ...[..."\u2010\u2011\u2012\u2013\u2014\u2015\u2212"].map((dash) => [dash, "-"] as const),
  ...[..."\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"].map(
    (blank) => [blank, " "] as const,
  ),
]);
/** No letter has more marks than this; to sort them takes time. */
const MAX_CLUSTER_CHARS = 32;
const isMark = /^\p{M}$/u;

type FoldedText = {
  readonly text: string;
  /** The offset of the character at `index` in the original; its length for the end. */
  offset(index: number): number;
};

export function foldText(original: string): FoldedText {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is ASCII has no variants.
  if (/^[\x00-\x7f]*$/.test(original)) return { text: original, offset: (index) => index };
  const parts: string[] = [];
  const offsets: number[] = [];
  const add = (cluster: string, start: number) => {
    const folded = [...cluster.normalize("NFC")].map((symbol) => variants.get(symbol) ?? symbol).join("");
    parts.push(folded);
    for (let unit = 0; unit < folded.length; unit += 1) offsets.push(start);
  };
  let start = 0;
  let cluster = "";
  let at = 0;
  for (const symbol of original) {
    const isPart = symbol > "\u02ff" && cluster.length < MAX_CLUSTER_CHARS && isMark.test(symbol);
    if (cluster !== "" && !isPart) {
      add(cluster, start);
      start = at;
      cluster = "";
    }
    cluster += symbol;
    at += symbol.length;
  }
  add(cluster, start);
  return { text: parts.join(""), offset: (index) => offsets[index] ?? original.length };
}
