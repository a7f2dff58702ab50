// What an example is, wherever it belongs. Pure.

export type Example<Value> = { readonly summary: string; readonly value: Value };

/** Examples by names that are unique in the document. */
export type NamedExamples<Value = unknown> = Readonly<Record<string, Example<Value>>>;
