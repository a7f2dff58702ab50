// The source of inputs for their readers: their texts, and their names in messages.

export type ReadInput = (name: string) => string;

export type Reading = { readonly read: ReadInput; readonly problems: string[] };

export function inputSource(read: ReadInput) {
  return { textOf: read, titleOf: (name: string) => `Input "${name}"` };
}
