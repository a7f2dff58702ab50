// The expressions of a workflow, as far as the examples use them: contexts, comparison, the logical operators and a few
// functions. Throws for anything else. Pure.
// https://docs.github.com/en/actions/reference/workflows-and-actions/expressions

export type JobStatus = "success" | "failure" | "cancelled";

export type ExpressionContext = {
  /** `github`, `steps`, `needs` … by name. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly status: JobStatus;
};

const EXPRESSION = /\$\{\{(.*?)\}\}/gs;

/** Text with its expressions replaced by what they say. */
export function fillIn(text: string, context: ExpressionContext): string {
  return text.replaceAll(EXPRESSION, (_, expression: string) => asText(evaluate(expression, context)));
}

/** Whether a job or step takes place. Without a status function it does only where all went well before. */
export function isMet(condition: string | null, context: ExpressionContext): boolean {
  if (condition === null) return context.status === "success";
  const expression = /^\$\{\{(.*)\}\}$/s.exec(condition)?.[1] ?? condition;
  const asksStatus = /\b(success|failure|cancelled|always)\(\)/.test(expression);
  if (!asksStatus && context.status !== "success") return false;
  return isTruthy(evaluate(expression, context));
}

/** The value of what stands between `${{` and `}}`. */
export function evaluate(expression: string, context: ExpressionContext): unknown {
  const parser = new Parser(tokensOf(expression), context);
  const value = parser.either();
  parser.expectEnd(expression);
  return value;
}

function tokensOf(expression: string): string[] {
  const tokens = expression.match(/'(?:[^']|'')*'|[A-Za-z_][\w.-]*|\d+|==|!=|&&|\|\||[!(),]|\S/g) ?? [];
  const strange = tokens.find((token) => !/^('|[\w(),!]|==|&&|\|\|)/.test(token));
  if (strange !== undefined) throw new Error(`No part of an expression: ${strange} in ${expression}`);
  return tokens;
}

class Parser {
  readonly #tokens: readonly string[];
  readonly #context: ExpressionContext;
  #at = 0;

  constructor(tokens: readonly string[], context: ExpressionContext) {
    this.#tokens = tokens;
    this.#context = context;
  }

  expectEnd(expression: string): void {
    if (this.#at < this.#tokens.length) throw new Error(`Too much in the expression ${expression}`);
  }

  either(): unknown {
    let value = this.#both();
    while (this.#takes("||")) {
      const other = this.#both();
      value = isTruthy(value) ? value : other;
    }
    return value;
  }

  #both(): unknown {
    let value = this.#compared();
    while (this.#takes("&&")) {
      const other = this.#compared();
      value = isTruthy(value) ? other : value;
    }
    return value;
  }

  #compared(): unknown {
    const value = this.#negated();
    if (this.#takes("==")) return isSame(value, this.#negated());
    return this.#takes("!=") ? !isSame(value, this.#negated()) : value;
  }

  #negated(): unknown {
    return this.#takes("!") ? !isTruthy(this.#negated()) : this.#value();
  }

  #value(): unknown {
    const token = this.#tokens[this.#at++] ?? "";
    if (token === "(") {
      const value = this.either();
      this.#expect(")");
      return value;
    }
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    if (/^\d+$/.test(token)) return Number(token);
    if (this.#takes("(")) return this.#called(token);
    return this.#found(token);
  }

  #called(name: string): unknown {
    const given: unknown[] = [];
    while (!this.#takes(")")) {
      given.push(this.either());
      this.#takes(",");
    }
    const { status } = this.#context;
    const [first, second] = given.map((value) => asText(value).toLowerCase());
    switch (name) {
      case "contains":
        return first?.includes(second ?? "");
      case "startsWith":
        return first?.startsWith(second ?? "");
      case "always":
        return true;
      case "success":
      case "failure":
      case "cancelled":
        return status === name;
      default:
        throw new Error(`This runner does not know the function ${name}.`);
    }
  }

  #found(path: string): unknown {
    const [context = "", ...names] = path.split(".");
    if (!(context in this.#context.values)) throw new Error(`This runner has no context "${context}".`);
    return names.reduce<unknown>(
      (value, name) =>
        (typeof value === "object" && value !== null ? Reflect.get(value, name) : null) ?? null,
      this.#context.values[context],
    );
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  #expect(token: string): void {
    if (!this.#takes(token)) throw new Error(`An expression lacks ${token}.`);
  }
}

function isTruthy(value: unknown): boolean {
  return value !== null && value !== undefined && value !== false && value !== 0 && value !== "";
}

/** Text is compared in any case. */
function isSame(one: unknown, other: unknown): boolean {
  return asText(one).toLowerCase() === asText(other).toLowerCase();
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") return Array.isArray(value) ? "Array" : "Object";
  return String(value);
}
