/** Returns the entries of a header that may be repeated or have commas. */
export function headerList(header: string | readonly string[] | undefined): readonly string[] {
  const lines = typeof header === 'string' ? [header] : (header ?? []);
  return lines
    .flatMap((line) => line.split(','))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
