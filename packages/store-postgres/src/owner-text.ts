/** As JSON: NUL has no place in a text of Postgres, and two lone surrogates would be stored as the same UTF-8. */
export function ownerText(owner: string): string {
  return JSON.stringify(owner);
}

export function ownerOf(text: string): string {
  return JSON.parse(text) as string;
}
