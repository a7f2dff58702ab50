// Recognises a licence file by words that only it has. Pure.

const namePattern = /^(licen[cs]e|copying|unlicense)([.-][\w.-]+)?$/i;

/** In this order: a text that quotes another licence comes after what it quotes. */
const marks: readonly (readonly [name: string, mark: RegExp])[] = [
  ["AGPL-3.0", /GNU AFFERO GENERAL PUBLIC LICENSE\s+Version 3/i],
  ["LGPL-3.0", /GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3/i],
  ["LGPL-2.1", /GNU LESSER GENERAL PUBLIC LICENSE\s+Version 2\.1/i],
  ["GPL-3.0", /GNU GENERAL PUBLIC LICENSE\s+Version 3/i],
  ["GPL-2.0", /GNU GENERAL PUBLIC LICENSE\s+Version 2/i],
  ["Apache-2.0", /Apache License\s+Version 2\.0/i],
  ["MPL-2.0", /Mozilla Public License,? (Version|v\.) ?2\.0/i],
  ["EPL-2.0", /Eclipse Public License - v 2\.0/i],
  ["BSL-1.0", /Boost Software License - Version 1\.0/i],
  ["CC0-1.0", /CC0 1\.0 Universal/i],
  ["Unlicense", /This is free and unencumbered software released into the public domain/i],
  ["ISC", /Permission to use, copy, modify, and(\/or)? distribute this software for any purpose/i],
  ["MIT", /Permission is hereby granted, free of charge, to any person obtaining/i],
  ["BSD-3-Clause", /Redistribution and use in source and binary forms.{0,2000}Neither the name/i],
  ["BSD-2-Clause", /Redistribution and use in source and binary forms/i],
];

/** The licence file of the root folder, if there is one. */
export function findLicence(paths: readonly string[]): string | null {
  return paths.find((path) => namePattern.test(path)) ?? null;
}

/** The SPDX name of a licence text, or null when it is none that is known here. */
export function recogniseLicence(text: string): string | null {
  const flat = text.slice(0, 16 * 1024).replace(/\s+/g, " ");
  return marks.find(([, mark]) => mark.test(flat))?.[0] ?? null;
}
