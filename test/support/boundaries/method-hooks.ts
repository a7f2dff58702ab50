// Changes methods of Node's own modules, for what is loaded into a service by `node --import`.

export type Method = (this: unknown, ...args: unknown[]) => unknown;

export function replaceMethod(owner: object, name: string, change: (real: Method) => Method): void {
  const real: unknown = Reflect.get(owner, name);
  if (typeof real !== "function") throw new TypeError(`There is no ${name} to replace.`);
  Reflect.set(owner, name, change(real as Method));
}

/** What `open` of `node:fs/promises` returns is made by a class that is not exported. */
export async function fileHandlePrototype(): Promise<object> {
  const { open } = await import("node:fs/promises");
  const file = await open("/dev/null");
  try {
    return Object.getPrototypeOf(file);
  } finally {
    await file.close();
  }
}
