// Pages of a list, with the headers by which clients find the next one. https://docs.gitlab.com/api/rest/#offset-based-pagination (2026-11-29)

const DEFAULT_SIZE = 20;
const MAX_SIZE = 100;

export type Page = {
  readonly items: readonly unknown[];
  readonly headers: Readonly<Record<string, string>>;
};

/** The page that `page` and `per_page` of the query ask for. */
export function pageOf(all: readonly unknown[], url: URL): Page {
  const size = Math.min(MAX_SIZE, Number(url.searchParams.get("per_page") ?? DEFAULT_SIZE));
  const page = Number(url.searchParams.get("page") ?? 1);
  const last = Math.max(1, Math.ceil(all.length / size));
  const previous = page > 1 ? page - 1 : null;
  const next = page < last ? page + 1 : null;
  const links = Object.entries({ prev: previous, next, first: 1, last }).flatMap(([rel, number]) =>
    number === null ? [] : [`<${addressOf(url, { page: number, size })}>; rel="${rel}"`],
  );
  return {
    items: all.slice((page - 1) * size, page * size),
    headers: {
      link: links.join(", "),
      "x-next-page": String(next ?? ""),
      "x-page": String(page),
      "x-per-page": String(size),
      "x-prev-page": String(previous ?? ""),
      "x-total": String(all.length),
      "x-total-pages": String(last),
    },
  };
}

function addressOf(url: URL, { page, size }: { readonly page: number; readonly size: number }): string {
  const address = new URL(url);
  address.searchParams.set("page", String(page));
  address.searchParams.set("per_page", String(size));
  return address.href;
}
