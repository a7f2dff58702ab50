// Where the readers of inputs get a text from, and how they name an input in a message.

export type ReadInput = (name: string) => string;

export type Reading = { readonly read: ReadInput; readonly problems: string[] };

export function inputSource(read: ReadInput) {
  return { textOf: read, titleOf: (name: string) => `Input "${name}"` };
}
