/** Longest quotation in a message: files may contain anything. */
const MAX_ITEM_LENGTH = 300;

/** Formats a list for a message: all of a few items, the first of many. Long items are cut. */
export function listSome(items: readonly string[], separator: string, most = 20): string {
  const listed = items.slice(0, most).map(shorten);
  if (items.length > most) listed.push(`and ${String(items.length - most)} more`);
  return listed.join(separator);
}

/** Formats a text for a message: one line of limited length. */
export function shorten(text: string): string {
  const line = text.slice(0, MAX_ITEM_LENGTH + 1).replaceAll(/\s+/g, ' ');
  return text.length > MAX_ITEM_LENGTH ? `${line.slice(0, MAX_ITEM_LENGTH)}…` : line;
}
