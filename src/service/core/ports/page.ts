// A page of rows, newest first.

export type PageQuery = {
  /** The id of a row; only those before it. With null from the newest on. */
  readonly before: string | null;
  readonly limit: number;
};
