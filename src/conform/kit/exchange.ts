// One request and its answer, as they went over the wire. Nothing is decoded but JSON.

type Asked = {
  readonly method: string;
  /** Below the base URL, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

export type Answer = {
  readonly asked: Asked;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON; undefined where it is none. */
  readonly json: unknown;
};

const MAX_SHOWN_CHARS = 1_000;

/** The exchange for people and files, without credentials. */
export function shownExchange({ asked, status, headers, text }: Answer): {
  readonly request: Asked;
  readonly answer: { readonly status: number; readonly headers: Answer["headers"]; readonly body: string };
} {
  const { authorization, cookie, ...open } = asked.headers;
  const hidden: Record<string, string> = {
    ...(authorization === undefined ? {} : { authorization: `${authorization.split(" ", 1)[0]} ***` }),
    ...(cookie === undefined ? {} : { cookie: "***" }),
  };
  const { "set-cookie": setCookie, ...shown } = headers;
  const body = asked.body === null ? null : withoutSecrets(cut(asked.body));
  return {
    request: { ...asked, path: withoutSecrets(cut(asked.path)), headers: { ...open, ...hidden }, body },
    answer: {
      status,
      headers: setCookie === undefined ? shown : { ...shown, "set-cookie": "***" },
      body: withoutSecrets(cut(text)),
    },
  };
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN_CHARS
    ? text
    : `${text.slice(0, MAX_SHOWN_CHARS)}… (${text.length} characters)`;
}

/** Keys, capabilities and tokens of jobs. */
function withoutSecrets(text: string): string {
  return text
    .replace(/svc_[a-z]+_[\w-]{8,}/g, (secret) => `${secret.split("_", 2).join("_")}_***`)
    .replace(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "***");
}

/** A member of a JSON object; undefined where there is none. */
export function member(value: unknown, ...path: readonly (string | number)[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = Reflect.get(at, name);
  }
  return at;
}
