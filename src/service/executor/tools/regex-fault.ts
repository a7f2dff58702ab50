// Finds plain faults in a regular expression, and their places: git says only the fault. Pure.

type RegexFault = {
  /** Counted from 1. */
  readonly position: number;
  readonly why: string;
};

/** `[:xdigit:]` */
const LONGEST_CLASS_NAME = 16;

/** Null where nothing is found; the pattern may be wrong all the same. */
export function findRegexFault(pattern: string): RegexFault | null {
  const open: number[] = [];
  let canRepeat = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    const position = at + 1;
    switch (character) {
      case "\\":
        if (position === pattern.length) return { position, why: "a backslash with nothing behind it" };
        // Between \Q and \E nothing is special.
        if (pattern.charAt(at + 1) === "Q") {
          const end = pattern.indexOf("\\E", at);
          if (end < 0) return null;
          at = end;
        }
        at += 1;
        canRepeat = true;
        break;
      case "[": {
        const end = classEnd(pattern, at);
        if (end === null) return { position, why: "a class that is not closed by ]" };
        at = end;
        canRepeat = true;
        break;
      }
      case "(":
        open.push(position);
        canRepeat = false;
        // `?` and `*` behind a bracket begin what kind of group it is.
        if (pattern.charAt(at + 1) === "?" || pattern.charAt(at + 1) === "*") at += 1;
        break;
      case ")":
        if (open.pop() === undefined) return { position, why: "a bracket that was not opened" };
        canRepeat = true;
        break;
      case "|":
        canRepeat = false;
        break;
      case "*":
      case "+":
      case "?":
        if (!canRepeat) return { position, why: `nothing before it that ${character} could repeat` };
        break;
      default:
        canRepeat = true;
    }
  }
  const unclosed = open.at(-1);
  return unclosed === undefined ? null : { position: unclosed, why: "a bracket that is not closed" };
}

/** The end of the class that begins at `start`; null where it has none. */
function classEnd(pattern: string, start: number): number | null {
  let at = start + 1;
  if (pattern.charAt(at) === "^") at += 1;
  // A bracket that comes first stands for itself.
  if (pattern.charAt(at) === "]") at += 1;
  for (; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === "]") return at;
    if (character === "\\") at += 1;
    else if (pattern.startsWith("[:", at)) {
      const end = pattern.slice(at, at + LONGEST_CLASS_NAME).indexOf(":]", 2);
      if (end > 0) at += end + 1;
    }
  }
  return null;
}
