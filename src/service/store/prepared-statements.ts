// The statements that one connection has prepared on the server: those that were used last, within a bound. Pure.

/** A server keeps text, parse tree and plan of each, for each connection. */
export const MAX_PREPARED = 400;

export type ResultColumn = { readonly name: string; readonly parse: (text: string) => unknown };

/** On the server, under a name. `columns` are unknown until its first answer. */
export type PreparedStatement = { readonly name: string; columns: readonly ResultColumn[] | null };

export class PreparedStatements {
  /** By text, the one that was used last at the end. */
  readonly #statements = new Map<string, PreparedStatement>();
  #unused: string[] = [];
  #names = 0;

  /** Undefined where it has to be prepared. */
  use(text: string): PreparedStatement | undefined {
    const statement = this.#statements.get(text);
    if (statement === undefined) return undefined;
    this.#statements.delete(text);
    this.#statements.set(text, statement);
    return statement;
  }

  /** Where the bound is reached, the statement that was not used for longest makes room. */
  add(text: string): PreparedStatement {
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined && this.#statements.size >= MAX_PREPARED) this.remove(oldest);
    this.#names += 1;
    const statement = { name: `s${this.#names}`, columns: null };
    this.#statements.set(text, statement);
    return statement;
  }

  remove(text: string): void {
    const statement = this.#statements.get(text);
    if (statement === undefined) return;
    this.#statements.delete(text);
    this.#unused.push(statement.name);
  }

  /** The names that the server can forget, each once. It accepts a name that it never had. */
  takeUnused(): readonly string[] {
    const names = this.#unused;
    this.#unused = [];
    return names;
  }
}
